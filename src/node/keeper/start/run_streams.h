// The input of a run that has one, or its terminal. The keeper holds it as long as the run lives, so that clients can
// come and go. Output of a terminal goes to the log and to the clients that are attached at that moment.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "node/runtime/run.h"
#include "os/descriptor.h"
#include "os/process/pipe_end.h"

namespace muster::node {

// What an attached client and the keeper say to each other about a run.
struct StreamMessage {
    enum class Kind {
        kAttach,    // tell me what its terminal says from now on
        kDetach,    //
        kInput,     // bytes
        kEndInput,  // no more will come
        kResize,    // first: columns, second: rows
        kOutput,    // from the keeper: bytes
        kTaken,     // from the keeper: `first` bytes of input were taken, or dropped because there is no reader
    };
    RunKey key{};
    Kind kind = Kind::kAttach;
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::string bytes{};
    bool operator==(const StreamMessage&) const = default;
};
inline constexpr int kLastStreamKind = static_cast<int>(StreamMessage::Kind::kTaken);

class RunStreams {
public:
    using Log = std::function<void(std::string_view data)>;
    using Tell = std::function<void(const StreamMessage& message)>;
    // `ours` is the end of its input, or of its terminal: only then is `log` called.
    RunStreams(os::RealLoop& loop, RunKey key, os::Descriptor ours, bool terminal, Log log, Tell tell);

    void on_message(const StreamMessage& message);
    // All clients are detached.
    void leave() { attached_ = 0; }
    // Reads the terminal's output that is not read yet.
    void drain();

private:
    void on_ready();
    void write_waiting();
    void tell_taken(std::size_t bytes);

    const RunKey key_;
    const bool terminal_;
    Log log_;
    Tell tell_;
    int attached_ = 0;
    std::deque<std::string> waiting_;
    std::size_t written_ = 0;  // of the first that waits
    bool ends_ = false;        // when all that waits is written
    os::PipeEnd end_;
};

}  // namespace muster::node
