// A file that only grows: a log. A thread of its own writes the lines in order, so that callers do not wait for a slow
// disk. When the thread is far behind, lines are dropped and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/loop/thread_worker.h"

namespace muster::os {

class AppendFile {
public:
    // Makes the file, readable by us alone, if need be.
    static Result<std::unique_ptr<AppendFile>> open(const std::string& path);

    // The text with its line's end. Any thread.
    void write(std::string line);
    std::uint64_t dropped() const { return dropped_; }

private:
    static constexpr std::size_t kWaitingBytesMax = 16u << 20;
    explicit AppendFile(Descriptor file) : file_(std::move(file)), worker_("log") {}

    Descriptor file_;
    std::atomic<std::size_t> waiting_{0};  // bytes
    std::atomic<std::uint64_t> dropped_{0};
    ThreadWorker worker_;  // last: it writes what it was given before the file is closed
};

}  // namespace muster::os
