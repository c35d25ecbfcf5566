#include "sim/world/process_loop.h"

namespace muster::sim {

ProcessLoop::~ProcessLoop() {
    drop_spawned();
    inner_->dead = true;
    for (const auto& [id, timer] : inner_->timers) world_.cancel(timer.of_world);
    // What is waiting may own what cancels timers as it goes.
    const std::map<os::TimerId, Timer> timers = std::move(inner_->timers);
    const std::deque<os::Work> posted = std::move(inner_->posted);
    const std::deque<os::Work> held = std::move(inner_->held);
}

void ProcessLoop::run_post(const std::shared_ptr<Inner>& inner) {
    if (inner->dead) return;
    if (inner->paused) {
        inner->held.emplace_back([inner] { run_post(inner); });
        return;
    }
    os::Work next = std::move(inner->posted.front());
    inner->posted.pop_front();
    next();
}

void ProcessLoop::run_timer(const std::shared_ptr<Inner>& inner, os::TimerId id) {
    if (inner->dead) return;
    if (inner->paused) {
        inner->held.emplace_back([inner, id] { run_timer(inner, id); });
        return;
    }
    const auto found = inner->timers.find(id);
    if (found == inner->timers.end()) return;
    os::Work due = std::move(found->second.work);
    inner->timers.erase(found);
    due();
}

void ProcessLoop::post(os::Work work) {
    if (inner_->dead) return;
    inner_->posted.push_back(std::move(work));
    world_.post([inner = inner_] { run_post(inner); });
}

os::TimerId ProcessLoop::after(Duration delay, os::Work work) {
    const os::TimerId id = ++inner_->last_timer;
    if (inner_->dead) return id;
    // Never early by its own clock, which rounds.
    if (drift_permille_ != 0) delay = delay * 1000 / (1000 + drift_permille_) + 2ns;
    const os::TimerId of_world = world_.after(delay, [inner = inner_, id] { run_timer(inner, id); });
    inner_->timers.emplace(id, Timer{of_world, std::move(work)});
    return id;
}

void ProcessLoop::pause(Duration span) {
    if (inner_->paused) return;
    inner_->paused = true;
    world_.after(span, [inner = inner_, world = &world_] {
        inner->paused = false;
        std::deque<os::Work> held = std::move(inner->held);
        inner->held.clear();
        for (os::Work& work : held) world->post(std::move(work));
    });
}

void ProcessLoop::cancel(os::TimerId timer) {
    const auto found = inner_->timers.find(timer);
    if (found == inner_->timers.end()) return;
    world_.cancel(found->second.of_world);
    const os::Work work = std::move(found->second.work);
    inner_->timers.erase(found);
}

}  // namespace muster::sim
