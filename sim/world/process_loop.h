// The loop of one process of the simulated world. It runs on the world's loop and has a clock of its own, which may be
// wrong; when it is destroyed the process is dead: nothing that it posted or timed happens any more.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "os/loop.h"

namespace muster::sim {

class ProcessLoop final : public os::Loop {
public:
    // The world's loop must outlive it. `skew` is how much the clock is ahead.
    ProcessLoop(os::Loop& world, Duration skew) : world_(world), skew_(skew), inner_(std::make_shared<Inner>()) {}
    ~ProcessLoop() override;

    Instant now() const override { return world_.now() + skew_; }
    Duration uptime() const override { return world_.uptime(); }
    void post(os::Work work) override;
    os::TimerId after(Duration delay, os::Work work) override;
    void cancel(os::TimerId timer) override;

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
    };

    os::Loop& world_;
    const Duration skew_;
    std::shared_ptr<Inner> inner_;
};

}  // namespace muster::sim
