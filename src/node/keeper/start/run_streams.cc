#include "node/keeper/start/run_streams.h"

#include "base/check.h"
#include "os/process/terminal.h"

namespace muster::node {
namespace {

constexpr std::size_t kTerminalRead = 16u << 10;
constexpr const char* kEndOfInput = "\x04";

}  // namespace

RunStreams::RunStreams(os::RealLoop& loop, RunKey key, os::Descriptor ours, bool terminal, Log log, Tell tell)
    : key_(std::move(key)),
      terminal_(terminal),
      log_(std::move(log)),
      tell_(std::move(tell)),
      end_(loop, std::move(ours), [this] { on_ready(); }) {}

void RunStreams::on_message(const StreamMessage& message) {
    switch (message.kind) {
        case StreamMessage::Kind::kAttach: ++attached_; break;
        case StreamMessage::Kind::kDetach: attached_ = attached_ > 0 ? attached_ - 1 : 0; break;
        case StreamMessage::Kind::kInput:
            if (ends_ || message.bytes.empty()) return tell_taken(message.bytes.size());
            waiting_.push_back(message.bytes);
            write_waiting();
            break;
        case StreamMessage::Kind::kEndInput:
            // A terminal's input ends with a character, and can go on after it.
            if (terminal_) {
                waiting_.push_back(kEndOfInput);
            } else {
                ends_ = true;
            }
            write_waiting();
            break;
        case StreamMessage::Kind::kResize:
            if (terminal_ && end_.descriptor())
                os::resize_terminal(end_.descriptor(), static_cast<int>(message.first),
                                    static_cast<int>(message.second));
            break;
        case StreamMessage::Kind::kOutput:
        case StreamMessage::Kind::kTaken: break;
    }
}

void RunStreams::on_ready() {
    if (terminal_) drain();
    write_waiting();
}

void RunStreams::drain() {
    if (!terminal_) return;
    for (;;) {
        StreamMessage output;
        const bool more = end_.read(output.bytes, kTerminalRead);
        if (output.bytes.empty()) {
            if (!more) end_.close();
            return;
        }
        log_(output.bytes);
        if (attached_ == 0) continue;
        output.key = key_;
        output.kind = StreamMessage::Kind::kOutput;
        tell_(output);
    }
}

void RunStreams::write_waiting() {
    while (!waiting_.empty()) {
        CHECK(written_ < waiting_.front().size());
        const auto count = end_.write(std::string_view(waiting_.front()).substr(written_));
        if (count && *count == 0) return;
        // Without a reader the input is dropped and counts as taken.
        written_ = count ? written_ + *count : waiting_.front().size();
        if (written_ < waiting_.front().size()) continue;
        const std::size_t size = waiting_.front().size();
        waiting_.pop_front();
        written_ = 0;
        tell_taken(size);
    }
    if (ends_) end_.close();
}

void RunStreams::tell_taken(std::size_t bytes) {
    StreamMessage taken;
    taken.key = key_;
    taken.kind = StreamMessage::Kind::kTaken;
    taken.first = static_cast<std::int64_t>(bytes);
    tell_(taken);
}

}  // namespace muster::node
