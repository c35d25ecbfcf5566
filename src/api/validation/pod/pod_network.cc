// Rules of a pod's network: DNS, host names and aliases, ports of the host.
#include "api/validation/pod/pod_rules.h"

namespace muster::api {
namespace {

constexpr std::size_t kNameserversMax = 3;
constexpr std::size_t kSearchesMax = 32;
constexpr std::size_t kSearchBytesMax = 2048;
constexpr std::size_t kHostnameOverrideMax = 64;

void check_searches(const List<Text>& searches, const FieldPath& path, FieldErrors& errors) {
    if (searches.size() > kSearchesMax)
        errors.add_invalid(path, shown_json(searches), "must not have more than 32 search paths");
    std::size_t bytes = searches.empty() ? 0 : searches.size() - 1;
    for (const Text& search : searches) bytes += search.size();
    if (bytes > kSearchBytesMax)
        errors.add_invalid(path, shown_json(searches),
                           "must not have more than 2048 characters (including spaces) in the search list");
    for (std::size_t i = 0; i < searches.size(); ++i) {
        std::string_view search = searches[i];
        if (search == ".") continue;
        if (search.ends_with('.')) search.remove_suffix(1);
        errors.add_problems(path.index(i), search, is_dns1123_subdomain_with_underscore(search));
    }
}

void check_dns_config(const core::PodSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (spec.dns_policy == "None") {
        if (!spec.dns_config) return errors.add_required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
        if (spec.dns_config->nameservers.empty())
            return errors.add_required(path.child("nameservers"),
                                       "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
    if (!spec.dns_config) return;
    const core::PodDNSConfig& config = *spec.dns_config;
    const FieldPath servers = path.child("nameservers");
    if (config.nameservers.size() > kNameserversMax)
        errors.add_invalid(servers, shown_json(config.nameservers), "must not have more than 3 nameservers");
    for (std::size_t i = 0; i < config.nameservers.size(); ++i)
        errors.add_problems(servers.index(i), config.nameservers[i], is_valid_ip(config.nameservers[i]));
    check_searches(config.searches, path.child("searches"), errors);
    for (std::size_t i = 0; i < config.options.size(); ++i)
        if (config.options[i].name.empty()) errors.add_required(path.child("options").index(i), "must not be empty");
}

}  // namespace

void check_dns(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    check_dns_config(spec, spec_path.child("dnsConfig"), errors);
}

void check_dns_policy(const Text& policy, const FieldPath& path, FieldErrors& errors) {
    if (policy.empty()) {
        errors.add_required(path, "");
    } else if (!is_one_of(policy, {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"})) {
        errors.add_not_supported(path, policy, {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
    }
}

void check_host_aliases(const List<core::HostAlias>& aliases, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < aliases.size(); ++i) {
        errors.add_problems(path.index(i).child("ip"), aliases[i].ip, is_valid_ip(aliases[i].ip));
        for (std::size_t h = 0; h < aliases[i].hostnames.size(); ++h)
            errors.add_problems(path.index(i).child("hostnames").index(h), aliases[i].hostnames[h],
                                is_dns1123_subdomain(aliases[i].hostnames[h]));
    }
}

void check_host_name(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    if (!spec.hostname_override) return;
    const FieldPath path = spec_path.child("hostnameOverride");
    if (spec.set_hostname_as_fqdn.value_or(false))
        errors.add_forbidden(path, "may not be specified when setHostnameAsFQDN is true");
    if (spec.host_network) errors.add_forbidden(path, "may not be specified when hostNetwork is true");
    if (spec.hostname_override->size() > kHostnameOverrideMax) errors.add_too_long(path, kHostnameOverrideMax);
    errors.add_problems(path, *spec.hostname_override, is_dns1123_subdomain(*spec.hostname_override));
}

// On the node's network a container's port is the node's. A template may leave the node's port out: it is filled in
// when the pod is made.
void check_host_network_ports(const PodSurroundings& pod, const FieldPath& spec_path, FieldErrors& errors) {
    if (!pod.spec.host_network) return;
    for (std::size_t c = 0; c < pod.spec.containers.size(); ++c) {
        const List<core::ContainerPort>& ports = pod.spec.containers[c].ports;
        for (std::size_t p = 0; p < ports.size(); ++p) {
            if ((pod.is_pod || ports[p].host_port != 0) && ports[p].host_port != ports[p].container_port)
                errors.add_invalid(spec_path.child("containers").index(c).child("ports").index(p).child("hostPort"),
                                   ports[p].host_port, "must match `containerPort` when `hostNetwork` is true");
        }
    }
}

}  // namespace muster::api
