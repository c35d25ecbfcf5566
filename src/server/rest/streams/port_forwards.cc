#include "server/rest/streams/port_forwards.h"

#include <algorithm>
#include <deque>

#include "os/loop/guard.h"
#include "server/rest/streams/forward_wire.h"

namespace muster::server {
namespace {

constexpr std::size_t kForwardPiece = 16u << 10;

}  // namespace

class PortForwards::Session {
public:
    Session(PortForwards& owner, SessionSet<Session>::Id id, os::Network& network, ForwardRequest request,
            Protocol protocol, std::unique_ptr<os::HttpTunnel> tunnel)
        : owner_(owner),
          id_(id),
          network_(network),
          address_(std::move(request.pod_address)),
          tunnel_(std::move(tunnel)),
          wire_(make_forward_wire(protocol, std::move(request.ports))),
          tasks_(owner.loop_) {
        std::vector<ForwardEvent> events;
        wire_->begin(events);
        for (ForwardEvent& event : events) take(event);
    }
    ~Session() { owner_.loop_.cancel(grace_); }

    void receive(std::string_view bytes) {
        if (over_) return;
        std::vector<ForwardEvent> events;
        const Result<> read = wire_->receive(bytes, events);
        std::size_t kept = 0;
        for (ForwardEvent& event : events) kept += take(event);
        tunnel_->took(bytes.size() - std::min(kept, bytes.size()));
        unpaid_ += kept > bytes.size() ? kept - bytes.size() : 0;
        if (!read.ok()) leave();
    }

    // The client has gone, or says goodbye: pods get what it has sent, and the end of it.
    void depart() {
        end_tunnel();
        for (const auto& [connection, forward] : forwards_) {
            forward->input_ended = true;
            forward->arrived.notify();
        }
        if (forwards_.empty()) return forget_soon();
        if (grace_ == 0) grace_ = owner_.loop_.after(owner_.limits_.grace_time, [this] { forget_soon(); });
    }

private:
    // One connection of the client's.
    struct Forward {
        explicit Forward(os::Loop& loop) : arrived(loop) {}
        std::uint32_t connection = 0;
        std::uint16_t port = 0;
        os::Event arrived;
        std::deque<std::string> input;
        bool input_ended = false;
        std::unique_ptr<os::Stream> stream;
    };
    using ForwardRef = std::shared_ptr<Forward>;

    // Gives how many bytes of it are kept for later.
    std::size_t take(ForwardEvent& event) {
        switch (event.kind) {
            case ForwardEvent::Kind::kAnswer: write(std::move(event.bytes)); break;
            case ForwardEvent::Kind::kLeft: depart(); break;
            case ForwardEvent::Kind::kOpen: open(event); break;
            case ForwardEvent::Kind::kInput:
            case ForwardEvent::Kind::kEndOfInput: {
                const auto found = forwards_.find(event.connection);
                if (found == forwards_.end()) break;
                Forward& forward = *found->second;
                const std::size_t size = forward.input_ended ? 0 : event.bytes.size();
                if (size > 0) forward.input.push_back(std::move(event.bytes));
                if (event.kind == ForwardEvent::Kind::kEndOfInput) forward.input_ended = true;
                forward.arrived.notify();
                return size;
            }
        }
        return 0;
    }

    void open(const ForwardEvent& event) {
        if (forwards_.size() >= owner_.limits_.connections_max) return write(wire_->end(event.connection));
        auto forward = std::make_shared<Forward>(owner_.loop_);
        forward->connection = event.connection;
        forward->port = event.port;
        forwards_[event.connection] = forward;
        tasks_.spawn(os::apart(carry(forward), "a forwarded port", [this] { leave(); }));
    }

    os::Task<void> carry(ForwardRef forward) {
        os::Address to(address_, forward->port);
        Result<std::unique_ptr<os::Stream>> stream = Error{Code::kBadRequest, "there is no such port"};
        if (forward->port != 0) stream = co_await network_.connect(to);
        if (stream.ok()) {
            forward->stream = std::move(*stream);
            tasks_.spawn(os::apart(feed(forward), "a forwarded port", [this] { leave(); }));
            co_await fetch(forward);
        } else {
            const std::string why =
                "error forwarding port " + std::to_string(forward->port) + " to the pod: " + stream.error().message;
            write(wire_->send_error(forward->connection, why));
        }
        write(wire_->end(forward->connection));
        drop(*forward);
        if (forwards_.empty() && (over_ || !wire_->opens_more())) leave();
    }

    // From the pod to the client.
    os::Task<void> fetch(ForwardRef forward) {
        std::string buffer(kForwardPiece, '\0');
        for (;;) {
            const Result<std::size_t> count = co_await forward->stream->read(buffer);
            if (!count.ok() || *count == 0) co_return;
            write(wire_->send(forward->connection, std::string_view(buffer).substr(0, *count)));
            for (Duration wait = 1ms;
                 !over_ && owner_.budget_->is_behind(tunnel_->unsent(), owner_.limits_.unsent_bytes_max);
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

    // What is left of its input is taken by none.
    void drop(Forward& forward) {
        for (const std::string& bytes : forward.input) pay(bytes.size());
        forward.input.clear();
        forward.input_ended = true;
        forward.arrived.notify();
        forwards_.erase(forward.connection);
    }

    // A message that came in pieces was partly paid for before it was whole.
    void pay(std::size_t size) {
        const std::size_t paid = std::min(unpaid_, size);
        unpaid_ -= paid;
        tunnel_->took(size - paid);
    }

    void write(std::string bytes) {
        if (!over_ && !bytes.empty()) tunnel_->write(owner_.budget_->share(std::move(bytes)));
    }

    void leave() {
        end_tunnel();
        forget_soon();
    }
    void end_tunnel() {
        if (over_) return;
        // When the end cannot be told, the connection is cut as soon as the session is forgotten.
        const Result<> said = os::attempt([this] { write(wire_->finish()); });
        over_ = true;
        if (said.ok()) tunnel_->finish();
    }
    // When nothing of this is running.
    void forget_soon() { owner_.sessions_.forget_soon(id_); }

    PortForwards& owner_;
    const SessionSet<Session>::Id id_;
    os::Network& network_;
    const std::string address_;
    std::unique_ptr<os::HttpTunnel> tunnel_;
    std::unique_ptr<ForwardWire> wire_;
    std::map<std::uint32_t, ForwardRef> forwards_;
    std::size_t unpaid_ = 0;
    bool over_ = false;  // nothing more is sent
    os::TimerId grace_ = 0;
    os::TaskScope tasks_;  // last: its coroutines use all of the above
};

PortForwards::PortForwards(os::Loop& loop, PortForwardLimits limits, std::shared_ptr<os::ByteBudget> budget)
    : loop_(loop), limits_(limits), budget_(std::move(budget)), sessions_(loop, "a forwarded port") {}

PortForwards::~PortForwards() = default;

Result<> PortForwards::check_room() const {
    return sessions_.check_room(limits_.sessions_max, "too many clients forward ports, please try again later");
}

void PortForwards::start(os::Network& network, ForwardRequest request, Upgrade upgrade,
                         std::unique_ptr<os::HttpExchange> exchange) {
    const auto id = sessions_.take_id();
    exchange->when_gone(sessions_.on_loop(id, [](Session& session) { session.depart(); }));
    auto tunnel = exchange->upgrade(
        std::move(upgrade.head),
        sessions_.on_loop_with_bytes(id, [](Session& session, std::string_view bytes) { session.receive(bytes); }));
    sessions_.add(
        id, std::make_unique<Session>(*this, id, network, std::move(request), upgrade.protocol, std::move(tunnel)));
}

}  // namespace muster::server
