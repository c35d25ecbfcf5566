// What a request becomes that goes on after its answer has begun: a watch, a log, a session with a container, a
// forwarded port.
#include "server/access/pod_makers.h"
#include "server/rest/streams/pod_log.h"
#include "server/rest/verbs.h"
#include "server/service/api_request.h"

namespace muster::server {
namespace {

Result<> check_has_node(const api::core::Pod& pod, const client::PodAccess* node) {
    if (pod.spec.node_name.empty())
        return Error{Code::kBadRequest, "pod " + pod.metadata.name.str() + " does not have a host assigned"};
    if (!node)
        return Error{Code::kUnavailable, "node \"" + pod.spec.node_name.str() + "\" has no processes on this server"};
    return {};
}

// An upgrade when the client asks for a WebSocket.
Result<std::optional<Upgrade>> negotiate_if_asked(const os::HttpRequest& request,
                                                  Result<Upgrade> (*negotiate)(const os::HttpRequest&)) {
    if (!asks_for_websocket(request)) return std::optional<Upgrade>();
    TRY_ASSIGN(Upgrade upgrade, negotiate(request));
    return std::optional<Upgrade>(std::move(upgrade));
}

}  // namespace

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
    const Result<KindObjectPtr> object = reading(*request, [&] { return services_.objects.get(place_of(call)); });
    if (!object.ok()) return finish(std::move(request), answer_error(object.error()));
    const auto& pod = as<api::core::Pod>(**object);
    client::PodAccess* node = services_.node ? services_.node() : nullptr;
    if (call.route.part->name == "portforward") return run_port_forward(std::move(request), pod, node);
    if (call.route.part->name != "log") return run_session(std::move(request), pod, node);
    Result<std::unique_ptr<client::LogStream>> log = open_log(pod, call.query, node);
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
void ApiService::run_session(RequestPtr request, const api::core::Pod& pod, client::PodAccess* node) {
    Result<PodDoor> door = reading(*request, [&] { return open_door(*request, pod, node); });
    if (!door.ok()) return finish(std::move(request), answer_error(door.error()));
    record(*request, 101);
    end_turn(request->ticket);
    sessions_.start(node->open_session(pod, door->wanted), door->wanted, std::move(door->upgrade),
                    std::move(request->exchange));
}

void ApiService::run_port_forward(RequestPtr request, const api::core::Pod& pod, client::PodAccess* node) {
    ForwardRequest wanted;
    wanted.pod_address = pod.status.pod_ip.str();
    Result<Upgrade> upgrade = reading(*request, [&] { return check_port_forward(*request, pod, node, wanted); });
    if (!upgrade.ok()) return finish(std::move(request), answer_error(upgrade.error()));
    record(*request, 101);
    end_turn(request->ticket);
    forwards_.start(node->network(), std::move(wanted), std::move(*upgrade), std::move(request->exchange));
}

Result<Upgrade> ApiService::check_port_forward(const Request& request, const api::core::Pod& pod,
                                               client::PodAccess* node, ForwardRequest& wanted) const {
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

// A WebSocket begins with a GET, but a client that may only read may not act: as Kubernetes from 1.35 on.
Result<> ApiService::check_may_create(const Request& request) const {
    Attributes creating = attributes_of_route(request.call().route);
    creating.verb = "create";
    return check_access(services_.roles, request.user(), creating);
}

Result<ApiService::PodDoor> ApiService::open_door(const Request& request, const api::core::Pod& pod,
                                                  client::PodAccess* node) const {
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

}  // namespace muster::server
