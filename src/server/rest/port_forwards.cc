#include "server/rest/port_forwards.h"

#include <algorithm>
#include <charconv>
#include <deque>

#include "os/spdy.h"
#include "os/websocket.h"

namespace muster::server {
namespace {

constexpr std::size_t kForwardPiece = 16u << 10;
constexpr std::size_t kMessageMax = 1u << 20;

std::string_view spdy_header(const os::SpdyEvent& event, std::string_view name) {
    for (const os::HttpHeader& header : event.headers)
        if (header.name == name) return header.value;
    return {};
}

std::uint16_t parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() ? port : 0;
}

}  // namespace

class PortForwards::Session {
public:
    Session(PortForwards& owner, std::uint64_t id, os::Network& network, std::string address, Protocol protocol,
            std::unique_ptr<os::HttpTunnel> tunnel)
        : owner_(owner),
          id_(id),
          network_(network),
          address_(std::move(address)),
          wrapped_(protocol != Protocol::kSpdy),
          tunnel_(std::move(tunnel)),
          messages_(kMessageMax),
          tasks_(owner.loop_) {}

    void receive(std::string_view bytes) {
        if (over_) return;
        std::size_t kept = 0;
        const Result<> read = wrapped_ ? receive_wrapped(bytes, kept) : receive_frames(bytes, kept);
        tunnel_->took(bytes.size() - std::min(kept, bytes.size()));
        unpaid_ += kept > bytes.size() ? kept - bytes.size() : 0;
        if (!read.ok()) leave();
    }

private:
    // One connection of the client's.
    struct Forward {
        explicit Forward(os::Loop& loop) : arrived(loop) {}
        std::uint32_t data = 0;
        std::uint32_t errors = 0;
        std::uint16_t port = 0;
        os::Event arrived;
        std::deque<std::string> input;
        bool input_ended = false;
        std::unique_ptr<os::Stream> stream;
    };
    using ForwardRef = std::shared_ptr<Forward>;

    Result<> receive_wrapped(std::string_view bytes, std::size_t& kept) {
        std::vector<os::WebSocketMessage> messages;
        Result<> read = messages_.add(bytes, messages);
        for (const os::WebSocketMessage& message : messages) {
            if (message.opcode == os::WebSocketOpcode::kPing)
                write_raw(os::websocket_frame(os::WebSocketOpcode::kPong, message.payload));
            if (message.opcode == os::WebSocketOpcode::kClose) leave();
            const bool is_data =
                message.opcode == os::WebSocketOpcode::kBinary || message.opcode == os::WebSocketOpcode::kText;
            if (is_data) TRY(receive_frames(message.payload, kept));
        }
        return read;
    }

    Result<> receive_frames(std::string_view bytes, std::size_t& kept) {
        std::vector<os::SpdyEvent> events;
        Result<> read = reader_.add(bytes, events);
        for (os::SpdyEvent& event : events) kept += take(event);
        return read;
    }

    // Gives how many bytes of it are kept for later.
    std::size_t take(os::SpdyEvent& event) {
        switch (event.kind) {
            case os::SpdyEvent::Kind::kOpen: open(event); break;
            case os::SpdyEvent::Kind::kPing: write(os::SpdyWriter::ping(event.stream)); break;
            case os::SpdyEvent::Kind::kGoAway: leave(); break;
            case os::SpdyEvent::Kind::kReset:
            case os::SpdyEvent::Kind::kData: {
                const auto found = by_data_.find(event.stream);
                if (found == by_data_.end()) break;
                Forward& forward = *found->second;
                const std::size_t size = forward.input_ended ? 0 : event.bytes.size();
                if (size > 0) forward.input.push_back(std::move(event.bytes));
                if (event.last || event.kind == os::SpdyEvent::Kind::kReset) forward.input_ended = true;
                forward.arrived.notify();
                return size;
            }
        }
        return 0;
    }

    void open(const os::SpdyEvent& event) {
        write(writer_.reply(event.stream));
        const std::string request(spdy_header(event, "requestid"));
        if (spdy_header(event, "streamtype") == "error") {
            if (error_streams_.size() < owner_.limits_.connections_max) error_streams_[request] = event.stream;
            return;
        }
        const auto errors = error_streams_.extract(request);
        if (errors.empty() || by_data_.size() >= owner_.limits_.connections_max) {
            write(os::SpdyWriter::data(event.stream, "", true));
            return;
        }
        auto forward = std::make_shared<Forward>(owner_.loop_);
        forward->data = event.stream;
        forward->errors = errors.mapped();
        forward->port = parse_port(spdy_header(event, "port"));
        by_data_[event.stream] = forward;
        tasks_.spawn(carry(forward));
    }

    os::Task<void> carry(ForwardRef forward) {
        os::Address to(address_, forward->port);
        Result<std::unique_ptr<os::Stream>> stream = Error{Code::kBadRequest, "there is no such port"};
        if (forward->port != 0) stream = co_await network_.connect(to);
        if (stream.ok()) {
            forward->stream = std::move(*stream);
            tasks_.spawn(feed(forward));
            co_await fetch(forward);
        } else {
            const std::string why =
                "error forwarding port " + std::to_string(forward->port) + " to the pod: " + stream.error().message;
            write(os::SpdyWriter::data(forward->errors, why, false));
        }
        write(os::SpdyWriter::data(forward->data, "", true));
        write(os::SpdyWriter::data(forward->errors, "", true));
        let_go(*forward);
    }

    // From the pod to the client.
    os::Task<void> fetch(ForwardRef forward) {
        std::string buffer(kForwardPiece, '\0');
        for (;;) {
            const Result<std::size_t> count = co_await forward->stream->read(buffer);
            if (!count.ok() || *count == 0) co_return;
            write(os::SpdyWriter::data(forward->data, std::string_view(buffer).substr(0, *count), false));
            for (Duration wait = 1ms; tunnel_->unsent() > owner_.limits_.unsent_bytes_max;
                 wait = std::min<Duration>(2 * wait, 50ms))
                co_await os::sleep_for(owner_.loop_, wait);
        }
    }

    // From the client to the pod.
    os::Task<void> feed(ForwardRef forward) {
        for (;;) {
            while (forward->input.empty() && !forward->input_ended) co_await forward->arrived.wait();
            if (forward->input.empty()) break;
            const std::string bytes = std::move(forward->input.front());
            forward->input.pop_front();
            const Result<> written = co_await forward->stream->write(bytes);
            pay(bytes.size());
            if (!written.ok()) break;
        }
        forward->stream->end_writing();
    }

    // Nobody takes what is left of its input.
    void let_go(Forward& forward) {
        for (const std::string& bytes : forward.input) pay(bytes.size());
        forward.input.clear();
        forward.input_ended = true;
        forward.arrived.notify();
        by_data_.erase(forward.data);
    }

    // A message that came in pieces was partly let go before it was whole.
    void pay(std::size_t size) {
        const std::size_t paid = std::min(unpaid_, size);
        unpaid_ -= paid;
        tunnel_->took(size - paid);
    }

    void write(std::string frames) {
        write_raw(wrapped_ ? os::websocket_frame(os::WebSocketOpcode::kBinary, frames) : std::move(frames));
    }
    void write_raw(std::string bytes) {
        if (!over_) tunnel_->write(std::make_shared<const std::string>(std::move(bytes)));
    }

    void leave() {
        if (over_) return;
        if (wrapped_) write_raw(os::websocket_close_frame(os::WebSocketClose::kNormal));
        over_ = true;
        tunnel_->finish();
        owner_.loop_.post([self = owner_.self_, id = id_] {
            if (*self) (*self)->forget(id);
        });
    }

    PortForwards& owner_;
    const std::uint64_t id_;
    os::Network& network_;
    const std::string address_;
    const bool wrapped_;  // into a WebSocket
    std::unique_ptr<os::HttpTunnel> tunnel_;
    os::WebSocketReader messages_;
    os::SpdyReader reader_;
    os::SpdyWriter writer_;
    std::map<std::string, std::uint32_t> error_streams_;  // that wait for the other, by request
    std::map<std::uint32_t, ForwardRef> by_data_;
    std::size_t unpaid_ = 0;
    bool over_ = false;
    os::TaskScope tasks_;  // last: its coroutines use all of the above
};

PortForwards::PortForwards(os::Loop& loop, PortForwardLimits limits)
    : loop_(loop), limits_(limits), self_(std::make_shared<PortForwards*>(this)) {}

PortForwards::~PortForwards() { *self_ = nullptr; }

Result<> PortForwards::check_room() const {
    if (sessions_.size() < limits_.sessions_max) return {};
    Error error{Code::kTooManyRequests, "too many clients forward ports, please try again later"};
    error.retry_after_seconds = 1;
    return error;
}

void PortForwards::start(os::Network& network, std::string pod_address, Upgrade upgrade,
                         std::unique_ptr<os::HttpExchange> exchange) {
    const std::uint64_t id = ++last_id_;
    exchange->when_gone([&loop = loop_, self = self_, id] {
        loop.post([self, id] {
            if (*self) (*self)->forget(id);
        });
    });
    auto tunnel = exchange->upgrade(std::move(upgrade.head), [&loop = loop_, self = self_, id](std::string_view bytes) {
        loop.post([self, id, received = std::string(bytes)]() mutable {
            if (*self) (*self)->receive(id, std::move(received));
        });
    });
    sessions_.emplace(
        id, std::make_unique<Session>(*this, id, network, std::move(pod_address), upgrade.protocol, std::move(tunnel)));
}

void PortForwards::forget(std::uint64_t id) { sessions_.erase(id); }

void PortForwards::receive(std::uint64_t id, std::string bytes) {
    const auto found = sessions_.find(id);
    if (found != sessions_.end()) found->second->receive(bytes);
}

}  // namespace muster::server
