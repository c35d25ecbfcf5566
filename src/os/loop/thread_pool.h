// Several threads that take work from one queue, for calls that block. Signals are blocked on them, as on a
// ThreadWorker.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "os/loop/loop.h"

namespace muster::os {

class ThreadPool final : public Worker {
public:
    ThreadPool(const std::string& name, int threads);
    // Does what it was given before.
    ~ThreadPool() override;

    void run(Work work) override;

private:
    void serve();

    std::mutex mutex_;  // guards the next three
    std::deque<Work> given_;
    int idle_ = 0;
    bool ending_ = false;
    std::condition_variable changed_;
    std::vector<std::thread> threads_;
};

}  // namespace muster::os
