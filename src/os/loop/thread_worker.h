// A Worker that is a thread. Signals are blocked on it: they are the loop's (os/loop/signals.h).
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "os/loop/loop.h"

namespace muster::os {

// Has the calling thread give way to all others that want the processor.
void give_way();

class ThreadWorker final : public Worker {
public:
    // The name shows in top and in debuggers; the kernel keeps its first 15 characters.
    explicit ThreadWorker(std::string name);
    ~ThreadWorker() override;

    void run(Work work) override;

private:
    void serve();

    std::mutex mutex_;  // guards the next three
    std::vector<Work> given_;
    bool idle_ = false;
    bool ending_ = false;
    std::condition_variable changed_;
    std::thread thread_;
};

}  // namespace muster::os
