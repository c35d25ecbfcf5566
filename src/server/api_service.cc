#include "server/api_service.h"

#include <algorithm>

#include "server/access/audit.h"
#include "server/access/impersonation_check.h"
#include "server/access/pod_makers.h"
#include "server/discovery/answer.h"
#include "server/discovery/resources.h"
#include "server/health.h"
#include "server/objects/views.h"
#include "server/openid.h"
#include "server/rest/failure.h"
#include "server/rest/incoming.h"
#include "server/rest/list.h"
#include "server/rest/pod_log.h"
#include "server/rest/verbs.h"

namespace muster::server {
namespace {

constexpr const char* kBackupPath = "/muster/backup";
// What metrics and the audit log say of a request that was not run because its client had disconnected.
constexpr int kClientClosedRequest = 499;

Attributes attributes_of_route(const Route& route) {
    if (!route.is_resource) return Attributes::for_path(route.verb, route.path);
    Attributes attributes;
    attributes.verb = route.verb;
    attributes.group = route.group;
    attributes.version = route.version;
    attributes.resource = route.resource;
    attributes.subresource = route.subresource;
    attributes.namespace_ = route.namespace_;
    attributes.name = route.name.empty() ? route.selected_name : route.name;
    // A namespace is its own namespace, so that rights inside it reach it.
    if (route.group.empty() && route.resource == "namespaces") attributes.namespace_ = route.name;
    return attributes;
}

// Where the client reached us: what it called us is what it can use again.
std::string address_of(const os::HttpRequest& request) { return std::string(request.header("host")); }

// Who should not be disturbed by whom. A workstation's programs are all the same user, so their names count as well;
// but a client calls itself what it likes, so that a user has few flows whatever the names are: all of them together
// must leave seats and room to wait (FlowOptions) to others.
std::string flow_of(const User& user, const os::HttpRequest& request) {
    constexpr std::size_t kFlowsOfUser = 6;
    const std::size_t which = std::hash<std::string_view>()(request.header("user-agent")) % kFlowsOfUser;
    return user.name + "\n" + std::to_string(which);
}

// Whose account what is kept for a client counts in: the user's, or that of all who are not known.
std::uint64_t account_of(const User& user) {
    if (user.name.empty() || user.name == kAnonymousUser) return 0;
    return std::hash<std::string>()(user.name) | 1;
}

bool is_write(const Route& route) { return route.verb != "get" && route.verb != "list" && route.verb != "watch"; }

Result<> check_has_node(const api::core::Pod& pod, const NodeAccess* node) {
    if (pod.spec.node_name.empty())
        return Error{Code::kBadRequest, "pod " + pod.metadata.name.str() + " does not have a host assigned"};
    if (!node) return Error{Code::kUnavailable, "node \"" + pod.spec.node_name.str() + "\" only pretends to run pods"};
    return {};
}

// An upgrade when the client asks for a WebSocket.
Result<std::optional<Upgrade>> negotiate_if_asked(const os::HttpRequest& request,
                                                  Result<Upgrade> (*negotiate)(const os::HttpRequest&)) {
    if (!asks_for_websocket(request)) return std::optional<Upgrade>();
    TRY_ASSIGN(Upgrade upgrade, negotiate(request));
    return std::optional<Upgrade>(std::move(upgrade));
}

// How many objects there are of each resource that is stored.
std::vector<std::pair<std::string, std::size_t>> count_stored(const store::Store& store) {
    std::vector<std::pair<std::string, std::size_t>> counts;
    for (const ServedVersion& version : served_versions()) {
        for (const ServedResource& resource : version.resources) {
            if (resource.empty || resource.virtual_only || &stored_kind(*resource.kind) != resource.kind) continue;
            const auto listing = store.list(list_prefix(*resource.kind, ""), {.limit = 1});
            std::string name = resource.kind->options.plural;
            if (!version.group.empty()) name.append(1, '.').append(version.group);
            if (listing.ok()) counts.emplace_back(std::move(name), listing->items.size() + listing->remaining);
        }
    }
    return counts;
}

}  // namespace

// One request on its way through.
struct ApiService::Request {
    std::unique_ptr<os::HttpExchange> exchange;
    Authentication authentication{};
    std::optional<Impersonation> impersonation{};
    Incoming incoming{};
    std::string flow{};
    FlowTicket ticket = 0;
    std::string body{};  // until it is decoded
    std::uint64_t number = 0;
    Instant received{};
    std::optional<Duration> began{};  // by uptime
    std::optional<Error> refusal{};   // found before the loop heard of it
    bool authenticated = true;
    bool allowed = true;
    std::string reason{};                   // why they may or may not
    std::optional<Duration> waits_until{};  // for a version to come, by uptime
    store::Revision seen = 0;               // by what said that they may

    Call& call() { return incoming.call; }
    const Call& call() const { return incoming.call; }
    const User& user() const { return impersonation ? impersonation->user : authentication.user; }
};

ApiService::ApiService(os::Loop& loop, Services services, ApiServiceOptions options)
    : loop_(loop),
      services_(std::move(services)),
      options_(std::move(options)),
      flow_(options_.flow),
      long_flow_(options_.long_flow),
      rights_(options_.seed),
      watches_(services_.objects, options_.seed, options_.watches, options_.budget),
      logs_(loop),
      sessions_(loop),
      forwards_(loop),
      self_(std::make_shared<ApiService*>(this)),
      tasks_(loop) {
    expire_turns();
}

ApiService::~ApiService() {
    *self_ = nullptr;
    loop_.cancel(expire_timer_);
}

void ApiService::serve(std::unique_ptr<os::HttpExchange> exchange) {
    Result<Target> target = parse_target(exchange->request.target);
    if (!target.ok()) {
        exchange->respond(http_response(answer_error(target.error()), {}));
        return;
    }
    if (answer_public(*exchange, *target)) return;
    auto request = std::make_unique<Request>();
    request->number = ++requests_;
    request->received = loop_.now();
    if (Result<> identified = identify(*request, exchange->request); !identified.ok())
        request->refusal = std::move(identified).error();
    request->flow = flow_of(request->user(), exchange->request);
    exchange->belongs_to(std::hash<std::string>()(request->flow), account_of(request->authentication.user));
    Route route = parse_route(exchange->request.method, *target);
    if (route.is_resource && !request->refusal) {
        request->incoming = read_resource_head(exchange->request, std::move(*target), std::move(route));
    } else {
        request->incoming.target = std::move(*target);
        request->incoming.call.route = std::move(route);
    }
    if (!request->authentication.warning.empty()) request->call().warnings.push_back(request->authentication.warning);
    request->exchange = std::move(exchange);
    may_read_body(*request) ? read_body(std::move(request)) : hand_over(std::move(request));
}

// Whether there is a body, and the loop would surely let this user send it. Whether a user may act as another, and
// whether a token is still good, only the loop knows.
bool ApiService::may_read_body(const Request& request) const {
    if (!request.incoming.wants_body || request.impersonation) return false;
    const User& user = request.authentication.user;
    if (user.in_group(kMastersGroup) && !request.authentication.claims) return true;
    return rights_.held(user, attributes_of_route(request.call().route));
}

// On any thread: the body comes where the request is carried.
void ApiService::read_body(RequestPtr request) {
    os::HttpExchange& exchange = *request->exchange;
    exchange.read_body([this, request = std::move(request)]() mutable { on_body(std::move(request)); });
}

void ApiService::on_body(RequestPtr request) {
    std::string body = request->exchange->take_body();
    if (!options_.decoder || !is_long_body(request->incoming, body.size())) {
        read_resource_body(request->incoming, body);
        return hand_over(std::move(request));
    }
    request->body = std::move(body);
    loop_.post_asked([self = self_, request = std::move(request)]() mutable {
        if (*self) (*self)->take_decoding_turn(std::move(request));
    });
}

// Who asks, as far as the request alone can tell.
Result<> ApiService::identify(Request& request, const os::HttpRequest& http) const {
    Result<Authentication> authentication = services_.authenticator->authenticate(http, request.received);
    request.authenticated = authentication.ok();
    if (!authentication.ok()) return unauthorized_error();
    request.authentication = std::move(*authentication);
    TRY_ASSIGN(request.impersonation, read_impersonation(http));
    return {};
}

// Health and version are for everybody, also when the loop is busy.
bool ApiService::answer_public(os::HttpExchange& exchange, const Target& target) const {
    if (auto health = answer_health(target, ready_)) {
        exchange.respond(http_response(std::move(*health), {}));
        return true;
    }
    if (target.path() != "/version") return false;
    Result<os::HttpResponse> version = answer_discovery(exchange.request, target, address_of(exchange.request));
    exchange.respond(version.ok() ? std::move(*version) : http_response(answer_error(version.error()), {}));
    return true;
}

void ApiService::hand_over(RequestPtr request) {
    loop_.post_asked([self = self_, request = std::move(request)]() mutable {
        if (*self) (*self)->begin(std::move(request));
    });
}

void ApiService::begin(RequestPtr request) {
    if (!request->began) request->began = loop_.uptime();
    store::Store& store = services_.objects.store();
    store.take_seen();
    const Result<> admitted = request->refusal ? *request->refusal : admit(*request);
    request->seen = store.take_seen();
    if (!admitted.ok()) {
        request->allowed = false;
        const store::Revision seen = request->seen;
        store.when_durable(seen,
                           [this, request = std::move(request), answer = answer_error(admitted.error())]() mutable {
                               respond(*request, std::move(answer));
                           });
        return;
    }
    if (request->incoming.wants_body) {
        remember_right(*request);
        return read_body(std::move(request));
    }
    request->call().user = request->user();
    request->call().as.now = loop_.now();
    take_turn(std::move(request));
}

// A right that holds for single objects only is not remembered: the next request may be about another.
void ApiService::remember_right(const Request& request) {
    if (request.impersonation) return;
    Attributes any = attributes_of_route(request.call().route);
    any.name = {};
    if (authorize(services_.roles, request.user(), any).allowed) rights_.remember(request.user(), any);
}

void ApiService::take_decoding_turn(RequestPtr request) {
    const FlowDecision decision = long_flow_.arrive(request->flow, FlowKind::kWrite, loop_.uptime());
    switch (decision.answer) {
        case FlowAnswer::kStart: decode(std::move(request), decision.ticket); break;
        case FlowAnswer::kWait: wait_long(decision.ticket, {std::move(request)}); break;
        case FlowAnswer::kRefuse: refuse_too_many(*request, decision.retry_after_seconds); break;
    }
}

void ApiService::decode(RequestPtr request, FlowTicket decoding) {
    options_.decoder->run([&loop = loop_, self = self_, request = std::move(request), decoding]() mutable {
        read_resource_body(request->incoming, std::exchange(request->body, {}));
        loop.post_asked([self, request = std::move(request), decoding]() mutable {
            if (!*self) return;
            (*self)->end_long(decoding);
            (*self)->begin(std::move(request));
        });
    });
}

void ApiService::refuse_too_many(Request& request, int retry_after_seconds) {
    Error error{Code::kTooManyRequests, "too many requests, please try again later"};
    error.retry_after_seconds = retry_after_seconds;
    respond(request, answer_error(error));
}

// Who it is, whether they may act as somebody else, and whether that one may do this.
Result<> ApiService::admit(Request& request) const {
    request.authenticated = check_authentication(request.authentication, services_.bound_objects, loop_.now()).ok();
    if (!request.authenticated) return unauthorized_error();
    if (request.impersonation)
        TRY(check_impersonation(services_.roles, request.authentication.user, *request.impersonation));
    const Attributes attributes = attributes_of_route(request.call().route);
    const Explain explain = options_.audit ? Explain::kEverything : Explain::kDenials;
    Decision decision = authorize(services_.roles, request.user(), attributes, explain);
    request.reason = std::move(decision.reason);
    return check_decision({decision.allowed, request.reason}, request.user(), attributes);
}

void ApiService::take_turn(RequestPtr request) {
    const FlowKind kind = is_write(request->call().route) ? FlowKind::kWrite : FlowKind::kRead;
    const FlowDecision decision = flow_.arrive(request->flow, kind, loop_.uptime());
    request->ticket = decision.ticket;
    switch (decision.answer) {
        case FlowAnswer::kStart: run(std::move(request)); break;
        case FlowAnswer::kWait: {
            os::HttpExchange& exchange = *request->exchange;
            waiting_.emplace(decision.ticket, std::move(request));
            exchange.when_gone(on_loop([ticket = decision.ticket](ApiService& self) { self.leave_turn(ticket); }));
            break;
        }
        case FlowAnswer::kRefuse: refuse_too_many(*request, decision.retry_after_seconds); break;
    }
}

void ApiService::end_turn(FlowTicket ticket) { start_waiting(flow_.finish(ticket)); }

// Each keeps its place in `waiting_` until it runs, so that its client can still leave.
void ApiService::start_waiting(const std::vector<FlowTicket>& tickets) {
    for (const FlowTicket ticket : tickets) {
        // Not from here: one that ends at once would end the next's turn, and so on.
        loop_.post_asked([self = self_, ticket] {
            if (!*self) return;
            if (auto found = (*self)->waiting_.extract(ticket)) (*self)->run(std::move(found.mapped()));
        });
    }
}

// The client of a request that waits has disconnected: the request is not run.
void ApiService::leave_turn(FlowTicket ticket) {
    const auto found = waiting_.extract(ticket);
    if (!found) return;
    record(*found.mapped(), kClientClosedRequest);
    start_waiting(flow_.cancel(ticket));
}

// The same for one whose long answer or body waits.
void ApiService::leave_long(FlowTicket ticket) {
    const auto found = long_work_.extract(ticket);
    if (!found) return;
    const LongWork& work = found.mapped();
    record(*work.request, kClientClosedRequest);
    if (work.answer) end_turn(work.request->ticket);
    start_all_long(long_flow_.cancel(ticket));
}

// Work for another thread to call that does something on the loop, if the service is still there then.
os::Work ApiService::on_loop(std::function<void(ApiService&)> what) {
    return [&loop = loop_, self = self_, what = std::move(what)]() mutable {
        loop.post([self, what = std::move(what)] {
            if (*self) what(**self);
        });
    };
}

void ApiService::expire_turns() {
    for (const FlowTicket ticket : flow_.expire(loop_.uptime())) {
        auto found = waiting_.find(ticket);
        if (found == waiting_.end()) continue;
        Error error{Code::kTooManyRequests, "this request has waited too long for its turn, please try again later"};
        error.retry_after_seconds = 1;
        respond(*found->second, answer_error(error));
        waiting_.erase(found);
    }
    expire_long();
    rights_.forget();
    options_.budget->report_history(services_.objects.store().stats().history_bytes);
    expire_timer_ = loop_.after(1s, [this] { expire_turns(); });
}

void ApiService::expire_long() {
    for (const FlowTicket ticket : long_flow_.expire(loop_.uptime())) {
        const auto found = long_work_.extract(ticket);
        if (!found) continue;
        const LongWork& work = found.mapped();
        Error error{Code::kTooManyRequests, "this request has waited too long for its turn, please try again later"};
        error.retry_after_seconds = 1;
        respond(*work.request, answer_error(error));
        if (work.answer) end_turn(work.request->ticket);
    }
}

// Calls `run` later when so much waits for the disk that no more should be written now.
bool ApiService::waits_for_room(RequestPtr& request) {
    store::Store& store = services_.objects.store();
    if (store.has_room() || !is_write(request->call().route)) return false;
    auto held = std::make_shared<RequestPtr>(std::move(request));
    store.when_room([self = self_, held] {
        if (*self) (*self)->run(std::move(*held));
    });
    return true;
}

void ApiService::run(RequestPtr request) {
    if (waits_for_room(request)) return;
    Call& call = request->call();
    services_.objects.store().take_seen();
    if (!call.route.is_resource) {
        run_other(std::move(request));
    } else if (request->incoming.problem) {
        Answer answer = answer_error(*request->incoming.problem, {call.as.form.encoding});
        finish(std::move(request), std::move(answer));
    } else if (call.verb == Verb::kWatch) {
        run_watch(std::move(request));
    } else if (call.route.part && call.route.part->stream) {
        run_stream(std::move(request));
    } else if (call.verb == Verb::kDeleteCollection) {
        tasks_.spawn(run_delete_collection(std::move(request)));
    } else {
        Result<Answer> answer = dispatch(services_, call);
        if (!answer.ok() && answer.error().code == Code::kTimeout && waits_on(*request)) {
            auto held = std::make_shared<RequestPtr>(std::move(request));
            loop_.after(kVersionPoll, [self = self_, held] {
                if (*self) (*self)->run(std::move(*held));
            });
            return;
        }
        finish(std::move(request), std::move(answer));
    }
}

os::Task<void> ApiService::run_delete_collection(RequestPtr request) {
    Result<Answer> answer = co_await delete_collection(services_.objects, request->call());
    finish(std::move(request), std::move(answer));
}

// Whether the version that a request wants may still come in its time.
bool ApiService::waits_on(Request& request) const {
    if (!request.waits_until) request.waits_until = loop_.uptime() + kVersionWait;
    return loop_.uptime() < *request.waits_until;
}

void ApiService::run_watch(RequestPtr request) {
    Call& call = request->call();
    Result<ListQuery> list = parse_list_query(call.query, call.resource_kind(), true);
    if (!list.ok()) {
        finish(std::move(request), answer_error(list.error()));
        return;
    }
    Result<std::optional<Upgrade>> upgrade = negotiate_if_asked(request->exchange->request, negotiate_watch);
    if (!upgrade.ok()) return finish(std::move(request), answer_error(upgrade.error()));
    record(*request, *upgrade ? 101 : 200);
    end_turn(request->ticket);
    watches_.start(std::move(call), std::move(*list), std::move(request->exchange), std::move(*upgrade));
}

void ApiService::run_stream(RequestPtr request) {
    const Call& call = request->call();
    const Result<KindObjectPtr> object = services_.objects.get(place_of(call));
    if (!object.ok()) return finish(std::move(request), answer_error(object.error()));
    const auto& pod = *static_cast<const api::core::Pod*>((*object)->data());
    NodeAccess* node = services_.node ? services_.node() : nullptr;
    if (call.route.part->name == "portforward") return run_port_forward(std::move(request), pod, node);
    if (call.route.part->name != "log") return run_session(std::move(request), pod, node);
    Result<std::unique_ptr<LogSource>> log = open_log(pod, call.query, node);
    if (!log.ok()) return finish(std::move(request), answer_error(log.error()));
    Result<std::optional<Upgrade>> upgrade = negotiate_if_asked(request->exchange->request, negotiate_bytes);
    if (!upgrade.ok()) return finish(std::move(request), answer_error(upgrade.error()));
    if (!*log && !*upgrade) return finish(std::move(request), Answer{200, "text/plain", std::string()});
    record(*request, *upgrade ? 101 : 200);
    end_turn(request->ticket);
    logs_.start(std::move(*log), std::move(request->exchange), std::move(*upgrade));
}

// All that can be wrong is found before the protocol is: clients that do not speak it try again with another, and
// should learn of the other problems then.
void ApiService::run_session(RequestPtr request, const api::core::Pod& pod, NodeAccess* node) {
    Result<PodDoor> door = open_door(*request, pod, node);
    if (!door.ok()) return finish(std::move(request), answer_error(door.error()));
    record(*request, 101);
    end_turn(request->ticket);
    sessions_.start(node->open_session(pod, door->wanted), door->wanted, std::move(door->upgrade),
                    std::move(request->exchange));
}

void ApiService::run_port_forward(RequestPtr request, const api::core::Pod& pod, NodeAccess* node) {
    ForwardRequest wanted;
    wanted.pod_address = pod.status.pod_ip.str();
    Result<Upgrade> upgrade = check_port_forward(*request, pod, node, wanted);
    if (!upgrade.ok()) return finish(std::move(request), answer_error(upgrade.error()));
    record(*request, 101);
    end_turn(request->ticket);
    forwards_.start(node->network(), std::move(wanted), std::move(*upgrade), std::move(request->exchange));
}

Result<Upgrade> ApiService::check_port_forward(const Request& request, const api::core::Pod& pod, NodeAccess* node,
                                               ForwardRequest& wanted) const {
    TRY(check_may_create(request));
    TRY(check_has_node(pod, node));
    if (pod.status.phase != "Running" || pod.status.pod_ip.empty())
        return Error{Code::kBadRequest,
                     "unable to forward port because pod is not running. Current status=" + pod.status.phase.str()};
    TRY(forwards_.check_room());
    TRY_ASSIGN(Upgrade upgrade, negotiate_port_forward(request.exchange->request));
    const bool is_spdy = upgrade.protocol == Protocol::kSpdy || upgrade.protocol == Protocol::kSpdyInWebSocket;
    if (!is_spdy) {
        TRY_ASSIGN(wanted.ports, parse_forwarded_ports(request.call().query));
    }
    return upgrade;
}

// A WebSocket begins with a GET, but whoever may only read may not act: as Kubernetes from 1.35 on.
Result<> ApiService::check_may_create(const Request& request) const {
    Attributes creating = attributes_of_route(request.call().route);
    creating.verb = "create";
    return check_access(services_.roles, request.user(), creating);
}

Result<ApiService::PodDoor> ApiService::open_door(const Request& request, const api::core::Pod& pod,
                                                  NodeAccess* node) const {
    const Call& call = request.call();
    TRY(check_may_create(request));
    if (options_.sessions_for_administrators)
        TRY(check_pod_session(request.user(), pod.metadata.name, call.route.part->name));
    PodDoor door;
    TRY_ASSIGN(door.wanted, parse_session_request(call.query, call.route.part->name == "exec"));
    TRY_ASSIGN(door.wanted.container, choose_container(pod, door.wanted.container));
    TRY(check_has_node(pod, node));
    TRY(node->check_session(pod, door.wanted));
    TRY(sessions_.check_room());
    TRY_ASSIGN(door.upgrade, negotiate_upgrade(request.exchange->request));
    return door;
}

void ApiService::run_other(RequestPtr request) {
    const Target& target = request->incoming.target;
    if (is_discovery(target)) {
        Result<os::HttpResponse> found =
            answer_discovery(request->exchange->request, target, address_of(request->exchange->request));
        if (found.ok()) {
            record(*request, found->status);
            end_turn(request->ticket);
            request->exchange->respond(std::move(*found));
            return;
        }
        // Groups that are not there have no page, as upstream.
        const bool absent = found.error().code == Code::kNotFound;
        finish(std::move(request), absent ? answer_text(404, "404 page not found\n") : answer_error(found.error()));
        return;
    }
    if (target.path() == "/") {
        finish(std::move(request), answer_paths());
    } else if (target.path() == "/metrics") {
        finish(std::move(request), answer_metrics());
    } else if (target.path() == kBackupPath && request->exchange->request.method == "POST" && options_.backup) {
        run_backup(std::move(request));
    } else if (auto openid =
                   answer_openid(services_.authenticator->verifier(), target, address_of(request->exchange->request))) {
        finish(std::move(request), std::move(*openid));
    } else {
        finish(std::move(request), answer_text(404, "404 page not found\n"));
    }
}

// The directory is the server's to write, so only who may do everything may ask, unless a role says otherwise.
void ApiService::run_backup(RequestPtr request) {
    std::string directory(request->incoming.target.query.get("directory"));
    if (!directory.starts_with('/') || directory.find('\0') != std::string::npos)
        return finish(std::move(request),
                      answer_error({Code::kBadRequest, "directory must be a path from the root of the file system"}));
    auto held = std::make_shared<RequestPtr>(std::move(request));
    options_.backup(std::move(directory), [self = self_, held](const Result<>& made) {
        if (!*self) return;
        api::meta::Status done;
        done.status = "Success";
        done.code = 200;
        (*self)->finish(std::move(*held), made.ok() ? answer_status(done, {}) : answer_error(made.error()));
    });
}

// The answer leaves when what it tells is on disk: what was written, and what was read for it. That something is not
// there is told as well.
void ApiService::finish(RequestPtr request, Result<Answer> result) {
    AnswerForm error_form{request->call().as.form.encoding};
    error_form.pretty = request->call().as.form.pretty;
    Answer answer = result.ok() ? std::move(*result) : answer_error(result.error(), error_form);
    store::Store& store = services_.objects.store();
    const store::Revision durable = std::max({answer.durable, request->seen, store.take_seen()});
    if (durable <= store.durable_revision()) return tell(std::move(request), std::move(answer));
    store.when_durable(durable, [this, request = std::move(request), answer = std::move(answer)]() mutable {
        tell(std::move(request), std::move(answer));
    });
}

// A long list is encoded when its flow's turn has come; it keeps its seat until then.
void ApiService::tell(RequestPtr request, Answer answer) {
    constexpr std::size_t kLongItems = 50;
    if (answer.items > kLongItems && std::holds_alternative<std::function<std::string()>>(answer.body)) {
        const FlowDecision decision = long_flow_.arrive(request->flow, FlowKind::kRead, loop_.uptime());
        switch (decision.answer) {
            case FlowAnswer::kStart: return encode_long(std::move(request), std::move(answer), decision.ticket);
            case FlowAnswer::kWait: return wait_long(decision.ticket, {std::move(request), std::move(answer)});
            case FlowAnswer::kRefuse: refuse_too_many(*request, decision.retry_after_seconds); break;
        }
    } else {
        respond(*request, std::move(answer));
    }
    end_turn(request->ticket);
}

void ApiService::wait_long(FlowTicket ticket, LongWork work) {
    os::HttpExchange& exchange = *work.request->exchange;
    long_work_.emplace(ticket, std::move(work));
    exchange.when_gone(on_loop([ticket](ApiService& self) { self.leave_long(ticket); }));
}

void ApiService::start_long(LongWork work, FlowTicket ticket) {
    if (work.answer)
        encode_long(std::move(work.request), *std::move(work.answer), ticket);
    else
        decode(std::move(work.request), ticket);
}

void ApiService::encode_long(RequestPtr request, Answer answer, FlowTicket encoding) {
    // Lives as long as the making: until it is done, or until nobody wants it.
    std::shared_ptr<void> turn(nullptr, [&loop = loop_, self = self_, encoding](void*) {
        loop.post([self, encoding] {
            if (*self) (*self)->end_long(encoding);
        });
    });
    answer.body = [make = std::get<std::function<std::string()>>(std::move(answer.body)), turn = std::move(turn)] {
        return make();
    };
    respond(*request, std::move(answer), true);
    end_turn(request->ticket);
}

void ApiService::end_long(FlowTicket ticket) { start_all_long(long_flow_.finish(ticket)); }

void ApiService::start_all_long(const std::vector<FlowTicket>& tickets) {
    for (const FlowTicket ticket : tickets)
        if (auto found = long_work_.extract(ticket)) start_long(std::move(found.mapped()), ticket);
}

void ApiService::respond(Request& request, Answer answer, bool is_long) {
    record(request, answer.code);
    os::HttpResponse response = http_response(std::move(answer), request.call().warnings);
    response.is_long = is_long;
    request.exchange->respond(std::move(response));
}

void ApiService::record(const Request& request, int code) {
    const Route& route = request.call().route;
    const bool is_watch = route.verb == "watch" && (code == 200 || code == 101);
    const Duration took = loop_.uptime() - request.began.value_or(loop_.uptime());
    metrics_.observe_request(route, code, took, is_watch);
    if (!options_.audit) return;
    const os::HttpRequest& http = request.exchange->request;
    const std::string id =
        std::to_string(request.received.since_epoch().count()) + "-" + std::to_string(request.number);
    const std::string source = http.peer.host;
    AuditRecord audited;
    audited.id = id;
    audited.received = request.received;
    audited.latency = took;
    audited.user = request.authenticated ? &request.authentication.user : nullptr;
    audited.impersonated = request.impersonation ? &request.impersonation->user : nullptr;
    audited.attributes = attributes_of_route(route);
    audited.request_uri = http.target;
    audited.source_ip = source;
    audited.user_agent = http.header("user-agent");
    audited.code = code;
    audited.allowed = request.allowed;
    audited.reason = request.reason;
    audited.annotations = request.call().audit;
    options_.audit(format_audit_line(audited));
}

Answer ApiService::answer_metrics() {
    ServerMetrics::Now now;
    now.store = services_.objects.store().stats();
    now.revision = services_.objects.store().revision();
    now.stored = count_stored(services_.objects.store());
    now.buffered = options_.budget->used();
    now.watches = watches_.count();
    now.reads = flow_.under_way(FlowKind::kRead);
    now.writes = flow_.under_way(FlowKind::kWrite);
    now.waiting = flow_.waiting(FlowKind::kRead) + flow_.waiting(FlowKind::kWrite);
    std::string text = metrics_.format(now);
    if (options_.more_metrics) text += options_.more_metrics();
    return {200, "text/plain; version=0.0.4; charset=utf-8", std::move(text)};
}

}  // namespace muster::server
