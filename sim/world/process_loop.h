// The loop of one process of the simulated world. It runs on the world's loop and has clocks of its own, which may be
// wrong and run at another rate. A process can be stopped for a while, as a machine that is out of breath does: what
// was due meanwhile happens all at once when it goes on. When it is destroyed the process is dead: nothing that it
// posted or timed happens any more.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "os/loop/loop.h"

namespace muster::sim {

class ProcessLoop final : public os::Loop {
public:
    // The world's loop must outlive it. `skew` is how much the clock is ahead, `drift` by how many in a thousand both
    // of its clocks run faster than the world's; the wall clock is set right so often that it does not matter there.
    ProcessLoop(os::Loop& world, Duration skew, int drift_permille = 0)
        : world_(world), skew_(skew), drift_permille_(drift_permille), inner_(std::make_shared<Inner>()) {}
    ~ProcessLoop() override;

    Instant now() const override { return world_.now() + skew_; }
    Duration uptime() const override {
        return drift_permille_ == 0 ? world_.uptime() : world_.uptime() * (1000 + drift_permille_) / 1000;
    }
    void post(os::Work work) override;
    os::TimerId after(Duration delay, os::Work work) override;
    void cancel(os::TimerId timer) override;

    // Nothing of it runs for that span of the world's time. Not while it is stopped already.
    void pause(Duration span);
    // Its wall clock is set.
    void jump_wall_clock(Duration jump) { skew_ += jump; }

private:
    struct Timer {
        os::TimerId of_world;
        os::Work work;
    };
    struct Inner {
        std::deque<os::Work> posted;
        std::map<os::TimerId, Timer> timers;
        os::TimerId last_timer = 0;
        bool dead = false;
        bool paused = false;
        std::deque<os::Work> held;  // what was due while it was stopped
    };
    static void run_post(const std::shared_ptr<Inner>& inner);
    static void run_timer(const std::shared_ptr<Inner>& inner, os::TimerId id);

    os::Loop& world_;
    Duration skew_;
    const int drift_permille_;
    std::shared_ptr<Inner> inner_;
};

}  // namespace muster::sim
