#include "server/rest/streams/pod_sessions.h"

#include <algorithm>
#include <deque>

#include "os/loop/guard.h"
#include "server/rest/streams/remote_wire.h"

namespace muster::server {

class PodSessions::Session {
public:
    Session(PodSessions& owner, SessionSet<Session>::Id id, Result<std::unique_ptr<os::Session>> pod,
            const client::SessionRequest& request, Protocol protocol, std::unique_ptr<os::HttpTunnel> tunnel)
        : owner_(owner),
          id_(id),
          request_(request),
          pod_(pod.ok() ? std::move(*pod) : nullptr),
          problem_(pod.ok() ? Result<int>(0) : Result<int>(pod.error())),
          tunnel_(std::move(tunnel)),
          settling_(protocol == Protocol::kWebSocketV5 ? owner.limits_.settling_time : Duration(0)),
          wire_(make_wire(protocol, request, owner.limits_.message_bytes_max)),
          arrived_(owner.loop_),
          tasks_(owner.loop_) {
        write(wire_->greet());
        tasks_.spawn(os::apart(run(), "a session", [this] { on_failure(); }));
        if (pod_ && request_.input) tasks_.spawn(os::apart(feed(), "a session", [this] { on_failure(); }));
        if (!wire_->is_ready())
            opening_ = owner_.loop_.after(owner_.limits_.opening_time, [this] {
                if (!wire_->is_ready()) leave(Error{Code::kTimeout, "the streams were not opened in time"});
            });
    }
    ~Session() {
        owner_.loop_.cancel(opening_);
        owner_.loop_.cancel(grace_);
    }

    void receive(std::string_view bytes) {
        if (over_) return;
        std::vector<RemoteEvent> events;
        const Result<> read = wire_->receive(bytes, events);
        std::size_t kept = 0;
        for (RemoteEvent& event : events) kept += take(std::move(event));
        arrived_.notify();
        tunnel_->took(bytes.size() - std::min(kept, bytes.size()));
        unpaid_ += kept > bytes.size() ? kept - bytes.size() : 0;
        if (!read.ok()) leave(read);
    }

    // The client has gone, or says goodbye.
    void depart() {
        if (std::exchange(departed_, true)) return;
        end_tunnel({});
        input_ended_ = true;
        arrived_.notify();
        if (is_done()) return forget_soon();
        grace_ = owner_.loop_.after(owner_.limits_.grace_time, [this] { forget_soon(); });
    }

private:
    os::Task<void> run() {
        if (settling_ > Duration(0)) co_await os::sleep_for(owner_.loop_, settling_);
        while (!wire_->is_ready() && !departed_) co_await arrived_.wait();
        while (pod_) {
            std::optional<os::Session::Output> output = co_await pod_->next();
            if (!output) break;
            const bool wanted = output->is_error ? request_.errors : request_.output;
            if (wanted) write(wire_->send(output->is_error ? Channel::kErrors : Channel::kOutput, output->bytes));
            co_await let_client_take();
        }
        write(wire_->send_end(pod_ ? pod_->end() : problem_));
        leave({});
    }

    // The client's input, at the pace at which it is taken.
    os::Task<void> feed() {
        for (;;) {
            while (input_.empty() && !input_ended_) co_await arrived_.wait();
            if (input_.empty()) break;
            std::string bytes = std::move(input_.front());
            input_.pop_front();
            const std::size_t size = bytes.size();
            co_await pod_->write(std::move(bytes));
            // A message that came in pieces was partly let go before it was whole.
            const std::size_t paid = std::min(unpaid_, size);
            unpaid_ -= paid;
            tunnel_->took(size - paid);
        }
        pod_->end_input();
        fed_ = true;
        if (departed_ && is_done()) forget_soon();
    }

    // Nothing is left to do for a client that has departed. A command that reads input has time to use it.
    bool is_done() const { return !pod_ || !request_.input || (request_.command.empty() && fed_); }

    // Gives how many bytes of it are kept for later.
    std::size_t take(RemoteEvent event) {
        switch (event.kind) {
            case RemoteEvent::Kind::kAnswer: write(std::move(event.bytes)); break;
            case RemoteEvent::Kind::kLeft: depart(); break;
            case RemoteEvent::Kind::kEndOfInput: input_ended_ = true; break;
            case RemoteEvent::Kind::kResize:
                if (const auto size = parse_terminal_size(event.bytes); size && pod_ && request_.terminal)
                    pod_->resize(size->first, size->second);
                break;
            case RemoteEvent::Kind::kInput: {
                if (!pod_ || !request_.input || input_ended_ || event.bytes.empty()) break;
                const std::size_t size = event.bytes.size();
                input_.push_back(std::move(event.bytes));
                return size;
            }
        }
        return 0;
    }

    void write(std::string bytes) {
        if (!over_ && !bytes.empty()) tunnel_->write(owner_.budget_->share(std::move(bytes)));
    }

    void on_failure() { leave(Error{Code::kInternal, "the session failed"}); }

    void leave(const Result<>& why) {
        end_tunnel(why);
        forget_soon();
    }
    // Tells the client how the session ended.
    void end_tunnel(const Result<>& why) {
        if (over_) return;
        // When the end cannot be told, the connection is cut as soon as the session is forgotten.
        const Result<> said = os::attempt([&] { write(wire_->finish(why)); });
        over_ = true;
        if (said.ok()) tunnel_->finish();
    }
    // When nothing of this is running.
    void forget_soon() { owner_.sessions_.forget_soon(id_); }

    os::Task<void> let_client_take() {
        constexpr Duration kFirst = 1ms;
        constexpr Duration kMax = 50ms;
        for (Duration wait = kFirst;
             !over_ && owner_.budget_->is_behind(tunnel_->unsent(), owner_.limits_.unsent_bytes_max);
             wait = std::min(2 * wait, kMax))
            co_await os::sleep_for(owner_.loop_, wait);
    }

    PodSessions& owner_;
    const SessionSet<Session>::Id id_;
    const client::SessionRequest request_;
    std::unique_ptr<os::Session> pod_;  // null when it could not be opened: see problem_
    const Result<int> problem_;
    std::unique_ptr<os::HttpTunnel> tunnel_;
    const Duration settling_;
    std::unique_ptr<RemoteWire> wire_;
    os::TimerId opening_ = 0;
    os::Event arrived_;
    std::deque<std::string> input_;
    std::size_t unpaid_ = 0;  // bytes of input that were let go before they came together
    bool input_ended_ = false;
    bool fed_ = false;       // all input was taken, and its end was told
    bool departed_ = false;  // the client has
    bool over_ = false;      // nothing more is sent
    os::TimerId grace_ = 0;
    os::TaskScope tasks_;  // last: its coroutines use all of the above
};

PodSessions::PodSessions(os::Loop& loop, PodSessionLimits limits, std::shared_ptr<os::ByteBudget> budget)
    : loop_(loop), limits_(limits), budget_(std::move(budget)), sessions_(loop, "a session") {}

PodSessions::~PodSessions() = default;

Result<> PodSessions::check_room() const {
    return sessions_.check_room(limits_.sessions_max, "too many commands and attached clients, please try again later");
}

void PodSessions::start(Result<std::unique_ptr<os::Session>> pod, const client::SessionRequest& request,
                        Upgrade upgrade, std::unique_ptr<os::HttpExchange> exchange) {
    const auto id = sessions_.take_id();
    exchange->when_gone(sessions_.on_loop(id, [](Session& session) { session.depart(); }));
    auto tunnel = exchange->upgrade(
        std::move(upgrade.head),
        sessions_.on_loop_with_bytes(id, [](Session& session, std::string_view bytes) { session.receive(bytes); }));
    sessions_.add(id,
                  std::make_unique<Session>(*this, id, std::move(pod), request, upgrade.protocol, std::move(tunnel)));
}

}  // namespace muster::server
