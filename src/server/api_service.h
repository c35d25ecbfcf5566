// The API server: takes a request from the thread that carried it, finds out who asks and whether they may, and has it
// answered on the loop. What can be done without the loop (reading the request, checking a token's signature, encoding
// the answer) is done where the request is carried.
//     carried: target, route, authentication, body  →  loop: token's objects, impersonation, access, turn, the verb  →
//     durable  →  carried: encoding
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "os/http.h"
#include "os/task.h"
#include "server/access/flow.h"
#include "server/metrics.h"
#include "server/rest/dispatch.h"
#include "server/rest/log_streams.h"
#include "server/rest/pod_sessions.h"
#include "server/rest/port_forwards.h"
#include "server/rest/watch_streams.h"

namespace muster::server {

struct ApiServiceOptions {
    FlowOptions flow{};
    // Of answers that take long to make: one thread makes them, so one is made and one waits, of different flows.
    FlowOptions long_flow{.reads_max = 2, .share_max = 0.5};
    WatchLimits watches{};
    std::function<void(std::string line)> audit{};  // called on the loop with each line; none without it
    // Makes a copy of everything in a directory of this machine and calls `done` on the loop; none without it.
    std::function<void(std::string directory, std::function<void(Result<>)> done)> backup{};
    std::function<std::string()> more_metrics{};  // what others in the process count, in the text format of /metrics
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
    void hand_over(RequestPtr request);
    // On the loop.
    void begin(RequestPtr request);
    Result<> admit(Request& request) const;
    void take_turn(RequestPtr request);
    void run(RequestPtr request);
    bool waits_on(Request& request) const;
    void run_watch(RequestPtr request);
    void run_stream(RequestPtr request);
    os::Task<void> run_delete_collection(RequestPtr request);
    void run_session(RequestPtr request, const api::core::Pod& pod, NodeAccess* node);
    void run_port_forward(RequestPtr request, const api::core::Pod& pod, NodeAccess* node);
    Result<Upgrade> check_port_forward(const Request& request, const api::core::Pod& pod, NodeAccess* node,
                                       ForwardRequest& wanted) const;
    Result<> check_may_create(const Request& request) const;
    // What a session with a container needs, once it is allowed and possible.
    struct PodDoor {
        SessionRequest wanted{};
        Upgrade upgrade{};
    };
    Result<PodDoor> open_door(const Request& request, const api::core::Pod& pod, NodeAccess* node) const;
    void run_other(RequestPtr request);
    void run_backup(RequestPtr request);
    void finish(RequestPtr request, Result<Answer> result);
    void end_turn(FlowTicket ticket);
    void start_waiting(const std::vector<FlowTicket>& tickets);
    void leave_turn(FlowTicket ticket);
    void tell(RequestPtr request, Answer answer);
    void tell_long(RequestPtr request, Answer answer, FlowTicket making);
    void end_making(FlowTicket making);
    void start_making(const std::vector<FlowTicket>& tickets);
    void leave_making(FlowTicket making);
    os::Work on_loop(std::function<void(ApiService&)> what);
    void expire_making();
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
    std::unordered_map<FlowTicket, std::pair<RequestPtr, Answer>> to_make_;
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
