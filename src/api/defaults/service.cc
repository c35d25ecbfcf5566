#include "api/defaults/service.h"

namespace muster::api {
namespace {

using core::Service;
using core::ServicePort;
using core::ServiceSpec;

constexpr const char* kClusterPolicy = "Cluster";
constexpr std::int32_t kClientIpTimeoutSeconds = 10800;

bool needs_target(const ServicePort& port) {
    return port.target_port.is_string() ? port.target_port.string().empty() : port.target_port.number() == 0;
}

void default_affinity(ServiceSpec& spec) {
    if (spec.session_affinity.empty()) spec.session_affinity = "None";
    if (spec.session_affinity == "None") spec.session_affinity_config.reset();
    if (!(spec.session_affinity == "ClientIP")) return;
    const auto& config = spec.session_affinity_config;
    if (!config || !config->client_ip || !config->client_ip->timeout_seconds)
        spec.session_affinity_config.edit().client_ip.edit().timeout_seconds = kClientIpTimeoutSeconds;
}

}  // namespace

void default_service(Service& service) {
    ServiceSpec& spec = service.spec;
    default_affinity(spec);
    if (spec.type.empty()) spec.type = "ClusterIP";
    for (std::size_t i = 0; i < spec.ports.size(); ++i) {
        if (spec.ports[i].protocol.empty()) spec.ports.edit()[i].protocol = "TCP";
        if (needs_target(spec.ports[i])) spec.ports.edit()[i].target_port = spec.ports[i].port;
    }
    const bool from_outside = spec.type == "NodePort" || spec.type == "LoadBalancer";
    if (from_outside && spec.external_traffic_policy.empty()) spec.external_traffic_policy = kClusterPolicy;
    if ((from_outside || spec.type == "ClusterIP") && !spec.internal_traffic_policy)
        spec.internal_traffic_policy = kClusterPolicy;
    if (spec.type == "LoadBalancer" && !spec.allocate_load_balancer_node_ports)
        spec.allocate_load_balancer_node_ports = true;
}

void prepare_service_create(Service& service) {
    service.status = {};
    ServiceSpec& spec = service.spec;
    if (!spec.cluster_ip.empty() && spec.cluster_ips.empty()) spec.cluster_ips = {spec.cluster_ip};
    if (!(spec.cluster_ip == "None") || spec.type == "ExternalName") return;
    // Without a selector the endpoints are not known, so both families are allowed.
    const bool any_endpoints = spec.selector.empty();
    if (spec.ip_families.empty()) {
        spec.ip_families = {"IPv4"};
        if (any_endpoints) spec.ip_families.edit().push_back("IPv6");
    }
    if (!spec.ip_family_policy)
        spec.ip_family_policy = spec.ip_families.size() > 1 ? "RequireDualStack" : "SingleStack";
}

}  // namespace muster::api
