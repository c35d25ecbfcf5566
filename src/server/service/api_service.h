// The API server: takes a request from the thread that carried it, finds out who asks and whether they may, and has it
// answered on the loop. What can be done without the loop (reading the request, checking a token's signature, encoding
// the answer) is done where the request is carried. A body is read and decoded only for a client that may ask.
//     carried: target, route, authentication  →  loop: token's objects, impersonation, access  →  carried, a long one
//     on a worker: body  →  loop: the same again, turn, the verb  →  durable  →  carried: encoding
// The first visit to the loop is left out when the request has no body, and when the loop has allowed the user the same
// a moment ago (access/recent_rights.h).
// A request has a deadline (rest/deadline.h): one that still waits then, for its turn, for room to write or for the
// disk, is answered 504.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "os/http/http.h"
#include "os/loop/task.h"
#include "server/access/flow.h"
#include "server/access/rbac/recent_rights.h"
#include "server/metrics.h"
#include "server/rest/deadline.h"
#include "server/rest/dispatch.h"
#include "server/rest/streams/log_streams.h"
#include "server/rest/streams/pod_sessions.h"
#include "server/rest/streams/port_forwards.h"
#include "server/rest/streams/watch_streams.h"

namespace muster::server {

struct ApiServiceOptions {
    std::shared_ptr<const Kinds> kinds = std::make_shared<const Kinds>();  // what is served
    FlowOptions flow{};
    // Of answers that take long to make (reads) and of bodies that take long to decode (writes): one thread does each,
    // so one is under way and one waits for the thread, of different flows.
    FlowOptions long_flow{.reads_max = 2, .writes_max = 2, .share_max = 0.5};
    std::shared_ptr<os::Worker> decoder{};  // of long bodies; without it they are decoded where they are carried
    WatchLimits watches{};
    std::shared_ptr<os::ByteBudget> budget = std::make_shared<os::ByteBudget>();  // that the HTTP server uses, too
    std::function<void(std::string line)> audit{};  // called on the loop with each line; none without it
    // Makes a copy of everything in a directory of this machine and calls `done` on the loop; none without it.
    std::function<void(std::string directory, std::function<void(Result<>)> done)> backup{};
    // Containers run as the server's user: exec and attach are for administrators (access/pod_makers.h).
    bool sessions_for_administrators = false;
    std::function<std::string()> more_metrics{};  // what others in the process count, in the text format of /metrics
    Duration timeout_max = kRequestTimeoutMax;    // of a request that is not long-running, and what it has by default
    std::uint64_t seed = 0;
};

class ApiService final : public os::HttpService {
public:
    ApiService(os::Loop& loop, Services services, ApiServiceOptions options);
    ~ApiService() override;

    void serve(std::unique_ptr<os::HttpExchange> exchange) override;

    // Says on /readyz whether requests are welcome.
    void set_ready(bool ready) { ready_ = ready; }
    // Ends watches in order; the HTTP server is stopped afterwards.
    void finish_watches() { watches_.finish_all(); }

private:
    struct Request;
    using RequestPtr = std::unique_ptr<Request>;

    // On a carrying thread.
    bool answer_public(os::HttpExchange& exchange, const Target& target) const;
    Result<> identify(Request& request, const os::HttpRequest& http) const;
    bool may_read_body(const Request& request) const;
    void read_body(RequestPtr request);
    void on_body(RequestPtr request);
    void hand_over(RequestPtr request);
    // On the loop.
    template <class Read>
    auto reading(Request& request, Read read) const;
    void begin(RequestPtr request);
    Result<> admit(Request& request) const;
    void remember_right(const Request& request);
    void take_decoding_turn(RequestPtr request);
    void decode(RequestPtr request, FlowTicket decoding);
    void refuse_too_many(Request& request, int retry_after_seconds);
    void take_turn(RequestPtr request);
    bool waits_for_room(RequestPtr& request);
    void run(RequestPtr request);
    bool waits_on(Request& request) const;
    Result<> check_unread_delete(const Request& request) const;
    void run_watch(RequestPtr request);
    void run_stream(RequestPtr request);
    os::Task<void> run_delete_collection(RequestPtr request);
    void run_session(RequestPtr request, const api::core::Pod& pod, client::PodAccess* node);
    void run_port_forward(RequestPtr request, const api::core::Pod& pod, client::PodAccess* node);
    Result<Upgrade> check_port_forward(const Request& request, const api::core::Pod& pod, client::PodAccess* node,
                                       ForwardRequest& wanted) const;
    Result<> check_may_create(const Request& request) const;
    // What a session with a container needs, once it is allowed and possible.
    struct PodDoor {
        client::SessionRequest wanted{};
        Upgrade upgrade{};
    };
    Result<PodDoor> open_door(const Request& request, const api::core::Pod& pod, client::PodAccess* node) const;
    void run_other(RequestPtr request);
    void run_backup(RequestPtr request);
    void finish(RequestPtr request, Result<Answer> result);
    void end_turn(FlowTicket ticket);
    void start_waiting(const std::vector<FlowTicket>& tickets);
    void leave_turn(FlowTicket ticket);
    void tell(RequestPtr request, Answer answer);
    void encode_long(RequestPtr request, Answer answer, FlowTicket encoding);
    void end_long(FlowTicket ticket);
    void start_all_long(const std::vector<FlowTicket>& tickets);
    void leave_long(FlowTicket ticket);
    void drop_long(FlowTicket ticket);
    void await(Request& request, std::function<void(ApiService&)> dropped);
    void stop_awaiting(Request& request);
    os::Work on_loop(std::function<void(ApiService&)> what);
    void expire_long();
    void respond(Request& request, Answer answer, bool is_long = false);
    void expire_turns();
    // Notes, for the audit log and the metrics, how a request was answered.
    void record(const Request& request, int code);
    Answer answer_metrics();

    os::Loop& loop_;
    const Services services_;
    const ApiServiceOptions options_;
    FlowControl flow_;
    std::unordered_map<FlowTicket, RequestPtr> waiting_;  // for their turn, until they run
    FlowControl long_flow_;
    // What waits for its turn in `long_flow_`: an answer to be encoded, or, without one, a body to be decoded.
    struct LongWork {
        RequestPtr request;
        std::optional<Answer> answer{};
    };
    void wait_long(FlowTicket ticket, LongWork work);
    void start_long(LongWork work, FlowTicket ticket);
    std::unordered_map<FlowTicket, LongWork> long_work_;
    RecentRights rights_;
    WatchStreams watches_;
    LogStreams logs_;
    PodSessions sessions_;
    PortForwards forwards_;
    ServerMetrics metrics_;
    os::TimerId expire_timer_ = 0;
    std::atomic<bool> ready_{false};
    std::atomic<std::uint64_t> requests_{0};
    std::shared_ptr<ApiService*> self_;
    os::TaskScope tasks_;  // last: they use all of the above
};

}  // namespace muster::server
