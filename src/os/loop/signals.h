// Signals to the process, as calls on the loop.
#pragma once

#include <functional>
#include <vector>

#include "os/descriptor.h"
#include "os/loop/real_loop.h"

namespace muster::os {

// Those by which a process is asked to end: SIGTERM and SIGINT.
std::vector<int> end_signals();

// While it lives, the given signals do nothing but call `arrived` on the loop. To be made before any thread that is
// not a ThreadWorker, for threads inherit what is blocked.
class Signals {
public:
    Signals(RealLoop& loop, const std::vector<int>& signals, std::function<void(int signal)> arrived);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

private:
    void read_arrived();

    RealLoop& loop_;
    const std::vector<int> signals_;
    std::function<void(int)> arrived_;
    Descriptor source_;
    RealLoop::WatchId watch_ = 0;
};

}  // namespace muster::os
