#include "node/inside/attach_session.h"

#include <algorithm>
#include <deque>

namespace muster::node {
namespace {

// What a client may be behind before the log waits for it; of a terminal, before it loses what it has not read.
constexpr std::size_t kBehindMax = 1u << 20;
constexpr std::size_t kInputPiece = 8u << 10;
// After the end of a client's input, for what the container says to the last of it.
constexpr Duration kLastWords = 1s;

}  // namespace

class Attachments::Session final : public os::Session {
public:
    Session(Attachments& owner, AttachRequest request)
        : owner_(owner), request_(std::move(request)), changed_(owner.places_.loop), tasks_(owner.places_.loop) {
        place_ = owner_.sessions_.emplace(request_.key, this);
        run_ = owner_.places_.board.watch(request_.key, [this] { changed_.notify(); });
        if (request_.terminal) {
            send(StreamMessage::Kind::kAttach);
            return;
        }
        opening_ = reading_ = (request_.output ? 1 : 0) + (request_.errors ? 1 : 0);
        if (request_.output) tasks_.spawn(read_log("stdout", false));
        if (request_.errors) tasks_.spawn(read_log("stderr", true));
    }
    ~Session() override {
        owner_.places_.loop.cancel(detaching_);
        owner_.sessions_.erase(place_);
        if (request_.terminal) send(StreamMessage::Kind::kDetach);
        if (request_.input && request_.ends_input && !input_ended_) send(StreamMessage::Kind::kEndInput);
    }

    void on_message(const StreamMessage& message) {
        if (message.kind == StreamMessage::Kind::kTaken) untaken_ -= std::min<std::int64_t>(untaken_, message.first);
        if (message.kind == StreamMessage::Kind::kOutput && behind_ < kBehindMax) push(message.bytes, false);
        changed_.notify();
    }

    os::Task<std::optional<Output>> next() override {
        for (;;) {
            // Asked first: what it said before its end is told before it.
            const bool runs = owner_.places_.board.may_run(request_.key);
            if (!outputs_.empty()) {
                Output output = std::move(outputs_.front());
                outputs_.pop_front();
                behind_ -= output.bytes.size();
                changed_.notify();
                co_return std::optional<Output>(std::move(output));
            }
            if (detached_ || (!runs && reading_ == 0)) co_return std::optional<Output>();
            co_await changed_.wait();
        }
    }

    os::Task<void> write(std::string bytes) override {
        if (!request_.input) co_return;
        // What the container says to it must not be missed.
        while (opening_ > 0) co_await changed_.wait();
        for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kInputPiece))) {
            StreamMessage message;
            message.bytes = rest.substr(0, kInputPiece);
            untaken_ += static_cast<std::int64_t>(message.bytes.size());
            message.key = request_.key;
            message.kind = StreamMessage::Kind::kInput;
            owner_.runtime_.send_stream(message);
            while (untaken_ > 0 && owner_.places_.board.may_run(request_.key)) co_await changed_.wait();
        }
    }

    // A container whose input does not end with the client's keeps it open for the next client, and this one is
    // detached, as container engines do it.
    void end_input() override {
        if (!request_.input || std::exchange(input_ended_, true)) return;
        if (request_.ends_input) return send(StreamMessage::Kind::kEndInput);
        detaching_ = owner_.places_.loop.after(kLastWords, [this] {
            detached_ = true;
            changed_.notify();
        });
    }

    void resize(int columns, int rows) override {
        if (request_.terminal) send(StreamMessage::Kind::kResize, columns, rows);
    }

    // The client was attached, and that went well, however the container ended.
    Result<int> end() const override { return 0; }

private:
    void send(StreamMessage::Kind kind, int first = 0, int second = 0) {
        StreamMessage message;
        message.key = request_.key;
        message.kind = kind;
        message.first = first;
        message.second = second;
        owner_.runtime_.send_stream(message);
    }

    void push(std::string bytes, bool is_error) {
        behind_ += bytes.size();
        Output output;
        output.is_error = is_error;
        output.bytes = std::move(bytes);
        outputs_.push_back(std::move(output));
        changed_.notify();
    }

    os::Task<void> read_log(std::string stream, bool is_error) {
        LogRequest log;
        log.key = request_.key;
        log.path = request_.log_path;
        log.follow = true;
        log.selection.tail_lines = 0;
        log.selection.stream = stream;
        LogFollower follower(owner_.places_, std::move(log));
        Result<> opened = co_await follower.open();
        --opening_;
        changed_.notify();
        while (opened.ok()) {
            while (behind_ >= kBehindMax) co_await changed_.wait();
            Result<std::optional<std::string>> part = co_await follower.next();
            if (!part.ok() || !*part) break;
            push(**std::move(part), is_error);
        }
        --reading_;
        changed_.notify();
    }

    Attachments& owner_;
    const AttachRequest request_;
    std::multimap<RunKey, Session*>::iterator place_;
    std::unique_ptr<RunBoard::Watch> run_;
    os::Event changed_;
    std::deque<Output> outputs_;
    std::size_t behind_ = 0;    // bytes of outputs_
    std::int64_t untaken_ = 0;  // bytes of input that are on their way
    int opening_ = 0;           // logs whose end is still looked for
    int reading_ = 0;           // logs that go on
    bool input_ended_ = false;
    bool detached_ = false;
    os::TimerId detaching_ = 0;
    os::TaskScope tasks_;  // last: its coroutines use all of the above
};

Attachments::Attachments(KeeperClient& runtime, LogPlaces places) : runtime_(runtime), places_(places) {
    runtime_.listen_streams([this](const StreamMessage& message) { on_message(message); });
}

Attachments::~Attachments() { runtime_.listen_streams({}); }

std::unique_ptr<os::Session> Attachments::attach(AttachRequest request) {
    return std::make_unique<Session>(*this, std::move(request));
}

void Attachments::on_message(const StreamMessage& message) {
    const auto [first, last] = sessions_.equal_range(message.key);
    for (auto session = first; session != last; ++session) session->second->on_message(message);
}

}  // namespace muster::node
