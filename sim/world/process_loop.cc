#include "sim/world/process_loop.h"

namespace muster::sim {

ProcessLoop::~ProcessLoop() {
    drop_spawned();
    inner_->dead = true;
    for (const auto& [id, timer] : inner_->timers) world_.cancel(timer.of_world);
    // What is waiting may own what cancels timers as it goes.
    const std::map<os::TimerId, Timer> timers = std::move(inner_->timers);
    const std::deque<os::Work> posted = std::move(inner_->posted);
}

void ProcessLoop::post(os::Work work) {
    if (inner_->dead) return;
    inner_->posted.push_back(std::move(work));
    world_.post([inner = inner_] {
        if (inner->dead) return;
        os::Work next = std::move(inner->posted.front());
        inner->posted.pop_front();
        next();
    });
}

os::TimerId ProcessLoop::after(Duration delay, os::Work work) {
    const os::TimerId id = ++inner_->last_timer;
    if (inner_->dead) return id;
    const os::TimerId of_world = world_.after(delay, [inner = inner_, id] {
        const auto found = inner->timers.find(id);
        if (found == inner->timers.end()) return;
        os::Work due = std::move(found->second.work);
        inner->timers.erase(found);
        due();
    });
    inner_->timers.emplace(id, Timer{of_world, std::move(work)});
    return id;
}

void ProcessLoop::cancel(os::TimerId timer) {
    const auto found = inner_->timers.find(timer);
    if (found == inner_->timers.end()) return;
    world_.cancel(found->second.of_world);
    const os::Work work = std::move(found->second.work);
    inner_->timers.erase(found);
}

}  // namespace muster::sim
