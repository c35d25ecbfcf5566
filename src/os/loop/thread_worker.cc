#include "os/loop/thread_worker.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

namespace muster::os {

void give_way() {
    constexpr int kNice = 5;
    ::setpriority(PRIO_PROCESS, 0, kNice);  // of this thread only
}

ThreadWorker::ThreadWorker(std::string name) {
    // A thread starts with its maker's mask; setting it before leaves no moment in which it could take a signal.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { serve(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    name.resize(std::min<std::size_t>(name.size(), 15));
    pthread_setname_np(thread_.native_handle(), name.c_str());
}

ThreadWorker::~ThreadWorker() {
    {
        std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void ThreadWorker::run(Work work) {
    bool wake;
    {
        std::lock_guard lock(mutex_);
        given_.push_back(std::move(work));
        wake = std::exchange(idle_, false);
    }
    if (wake) changed_.notify_one();
}

void ThreadWorker::serve() {
    std::vector<Work> batch;
    std::unique_lock lock(mutex_);
    for (;;) {
        while (given_.empty() && !ending_) {
            idle_ = true;
            changed_.wait(lock);
        }
        idle_ = false;
        if (given_.empty()) return;
        batch.swap(given_);
        lock.unlock();
        for (Work& work : batch) {
            work();
            work = Work();
        }
        batch.clear();
        lock.lock();
    }
}

}  // namespace muster::os
