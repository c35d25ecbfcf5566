#include "os/loop/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>

namespace muster::os {

ThreadPool::ThreadPool(const std::string& name, int threads) {
    // A thread starts with its maker's mask; setting it before leaves no moment in which it could take a signal.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 0; i < threads; ++i) {
        threads_.emplace_back([this] { serve(); });
        pthread_setname_np(threads_.back().native_handle(),
                           name.substr(0, std::min<std::size_t>(name.size(), 15)).c_str());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ThreadPool::~ThreadPool() {
    {
        std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(Work work) {
    bool wake;
    {
        std::lock_guard lock(mutex_);
        given_.push_back(std::move(work));
        wake = idle_ > 0;
    }
    if (wake) changed_.notify_one();
}

void ThreadPool::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        while (given_.empty() && !ending_) {
            ++idle_;
            changed_.wait(lock);
            --idle_;
        }
        if (given_.empty()) return;
        Work work = std::move(given_.front());
        given_.pop_front();
        lock.unlock();
        work();
        work = Work();
        lock.lock();
    }
}

}  // namespace muster::os
