// Writes the lines of the log to a descriptor, on a thread of its own: a reader that does not read, or a slow terminal,
// holds up no one else. What waits is bounded; a line that does not fit is refused. The thread begins with the first
// line, and signals are blocked on it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/instant.h"

namespace muster::os {

class LogWriter {
public:
    static constexpr std::size_t kWaitingMax = 1u << 20;  // bytes

    // The descriptor must stay open. It may block.
    explicit LogWriter(int descriptor, std::size_t waiting_max = kWaitingMax);
    // Waits a second at most for what has not been written.
    ~LogWriter();
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    // Any thread may call it; it never waits for the reader. False: too much waits already.
    bool write(std::string_view line);
    // Until everything given before has been written, but no longer than that. Any thread but its own may call it.
    void flush(Duration patience);

private:
    void serve();
    // False: given up, or the descriptor takes nothing any more.
    bool put(std::string_view bytes);

    const int descriptor_;
    const std::size_t waiting_max_;
    std::mutex mutex_;  // guards the next four
    std::string waiting_;
    bool busy_ = false;
    bool ending_ = false;
    bool given_up_ = false;
    std::condition_variable changed_;
    std::thread thread_;
};

}  // namespace muster::os
