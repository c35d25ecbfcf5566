#include "server/service/api_service.h"

#include "server/access/pod_makers.h"
#include "server/discovery/answer.h"
#include "server/health.h"
#include "server/rest/deadline.h"
#include "server/service/api_request.h"

namespace muster::server {
namespace {

// The flow of a request (see FlowControl). The programs of a workstation are usually one user, so a hash of the user
// agent separates them. A client can send any user agent, so each user has at most kFlowsOfUser flows: all of them
// together must leave seats and queue space (FlowOptions) to other users.
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

}  // namespace

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

std::string address_of(const os::HttpRequest& request) { return std::string(request.header("host")); }

bool is_write(const Route& route) { return route.verb != "get" && route.verb != "list" && route.verb != "watch"; }

ApiService::ApiService(os::Loop& loop, Services services, ApiServiceOptions options)
    : loop_(loop),
      services_(std::move(services)),
      options_(std::move(options)),
      flow_(options_.flow),
      long_flow_(options_.long_flow),
      rights_(options_.seed),
      watches_(services_.objects, options_.seed, options_.watches, options_.budget),
      logs_(loop, {}, options_.budget),
      sessions_(loop, {}, options_.budget),
      forwards_(loop, {}, options_.budget),
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
    Route route = parse_route(exchange->request.method, *target, options_.kinds->now());
    const bool is_long = is_long_running(route);
    const Result<Duration> timeout = is_long ? Duration::zero() : parse_timeout(target->query, options_.timeout_max);
    if (!timeout.ok()) {
        exchange->respond(http_response(answer_error(timeout.error()), {}));
        return;
    }
    if (answer_public(*exchange, *target)) return;
    auto request = std::make_unique<Request>();
    request->number = ++requests_;
    request->received = loop_.now();
    if (!is_long) request->deadline = loop_.uptime() + *timeout;
    if (Result<> identified = identify(*request, exchange->request); !identified.ok())
        request->refusal = std::move(identified).error();
    request->flow = flow_of(request->user(), exchange->request);
    exchange->belongs_to(std::hash<std::string>()(request->flow), account_of(request->authentication.user));
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
    Result<os::HttpResponse> version =
        answer_discovery(exchange.request, target, address_of(exchange.request), *options_.kinds->now());
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
    const Result<> admitted = request->refusal ? *request->refusal : reading(*request, [&] { return admit(*request); });
    if (!admitted.ok()) {
        request->allowed = false;
        const store::Revision seen = request->seen;
        auto tell = [self = self_, request = std::move(request), answer = answer_error(admitted.error())]() mutable {
            if (*self) (*self)->respond(*request, std::move(answer));
        };
        return services_.objects.store().when_durable(seen, std::move(tell));
    }
    if (request->incoming.wants_body) {
        remember_right(*request);
        return read_body(std::move(request));
    }
    request->call().user = request->user();
    request->call().as.now = loop_.now();
    if (request->deadline && *request->deadline <= loop_.uptime()) return respond(*request, answer_error(timed_out()));
    take_turn(std::move(request));
}

// A right that holds for single objects only is not remembered: the next request may be about another.
void ApiService::remember_right(const Request& request) {
    if (request.impersonation) return;
    Attributes any = attributes_of_route(request.call().route);
    any.name = {};
    if (authorize(services_.roles, request.user(), any).allowed) rights_.remember(request.user(), any);
}

// Checks authentication, then impersonation, then authorization of the effective user.
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

}  // namespace muster::server
