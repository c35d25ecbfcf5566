#include "os/log/log_writer.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace muster::os {
namespace {

// A pipe that can be written to takes so much at once.
constexpr std::size_t kPieceMax = 4096;
constexpr int kPollMs = 100;

}  // namespace

LogWriter::LogWriter(int descriptor, std::size_t waiting_max) : descriptor_(descriptor), waiting_max_(waiting_max) {}

LogWriter::~LogWriter() {
    flush(1s);
    {
        std::lock_guard lock(mutex_);
        ending_ = true;
        given_up_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

bool LogWriter::write(std::string_view line) {
    {
        std::lock_guard lock(mutex_);
        if (waiting_.size() + line.size() > waiting_max_) return false;
        waiting_ += line;
        if (!thread_.joinable()) {
            // A thread starts with its maker's mask.
            sigset_t all;
            sigset_t before;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
            thread_ = std::thread([this] { serve(); });
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
            pthread_setname_np(thread_.native_handle(), "log");
        }
    }
    changed_.notify_all();
    return true;
}

void LogWriter::flush(Duration patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return waiting_.empty() && !busy_; });
}

void LogWriter::serve() {
    std::string batch;
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !waiting_.empty() || ending_; });
        if (waiting_.empty() || given_up_) return;
        batch.swap(waiting_);
        busy_ = true;
        lock.unlock();
        put(batch);
        batch.clear();
        lock.lock();
        busy_ = false;
        changed_.notify_all();
    }
}

bool LogWriter::put(std::string_view bytes) {
    while (!bytes.empty()) {
        pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
        const int count = ::poll(&ready, 1, kPollMs);
        {
            std::lock_guard lock(mutex_);
            if (given_up_) return false;
        }
        if (count <= 0) continue;
        const ssize_t put = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kPieceMax));
        if (put < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (put <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

}  // namespace muster::os
