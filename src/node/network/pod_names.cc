#include "node/network/pod_names.h"

#include <algorithm>

#include "api/kinds/conditions.h"
#include "api/kinds/core/pod_phase.h"

namespace muster::node {
namespace {

using api::core::Pod;
using api::core::Service;

constexpr const char* kDomain = "cluster.local";
constexpr std::size_t kHostNameMax = 63;

// " a.ns.svc.cluster.local a.ns.svc a.ns", and " a" for those of the same namespace. The full one comes first: it is
// what an address is turned back into.
void add_forms(const std::string& name, const Text& namespace_, const Text& reader, std::string& line) {
    const std::string base = ' ' + name + '.' + namespace_.str();
    line += base + ".svc." + kDomain + base + ".svc" + base;
    if (namespace_ == reader) line += ' ' + name;
}

bool has_ready_condition(const Pod& pod) { return api::is_condition_true(pod.status.conditions, "Ready"); }

bool selects(const Map<Text>& selector, const Map<Text>& labels) {
    return !selector.empty() && std::all_of(selector.begin(), selector.end(), [&](const auto& entry) {
        const Text* value = labels.find(entry.key);
        return value && *value == entry.value;
    });
}

bool may_be_unready(const Pod& pod) {
    if (!pod.spec.readiness_gates.empty()) return true;
    return std::any_of(pod.spec.containers.begin(), pod.spec.containers.end(),
                       [](const auto& container) { return static_cast<bool>(container.readiness_probe); });
}

}  // namespace

std::string host_name_of(const Pod& pod) {
    if (!pod.spec.hostname.empty()) return pod.spec.hostname.str();
    std::string name = pod.metadata.name.str().substr(0, kHostNameMax);
    while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
    return name;
}

bool is_reached_by(const Pod& pod, const Service& service) {
    if (!(service.metadata.namespace_ == pod.metadata.namespace_)) return false;
    if (has_ended(pod)) return false;
    if (!selects(service.spec.selector, pod.metadata.labels)) return false;
    if (service.spec.publish_not_ready_addresses) return true;
    return !pod.metadata.deletion_timestamp && has_ready_condition(pod);
}

std::vector<std::string> peer_lines(const Pod& pod, const Text& pod_ip, const std::vector<ServiceRef>& services,
                                    const Text& reader) {
    std::vector<std::string> lines;
    if (pod_ip.empty()) return lines;
    for (const ServiceRef& service : services) {
        if (!is_headless(*service) || !is_reached_by(pod, *service)) continue;
        const std::string name = service->metadata.name.str();
        const Text& namespace_ = pod.metadata.namespace_;
        std::string line = pod_ip.str();
        if (!pod.spec.hostname.empty() && pod.spec.subdomain == name)
            add_forms(pod.spec.hostname.str() + '.' + name, namespace_, reader, line);
        add_forms(name, namespace_, reader, line);
        lines.push_back(std::move(line));
    }
    return lines;
}

bool may_change_lines(const Pod& before, const Pod& now) {
    if (!(before.metadata.uid == now.metadata.uid) || !(before.status.pod_ip == now.status.pod_ip)) return true;
    if (has_ended(before) != has_ended(now) || !(before.metadata.labels == now.metadata.labels)) return true;
    if (static_cast<bool>(before.metadata.deletion_timestamp) != static_cast<bool>(now.metadata.deletion_timestamp))
        return true;
    return has_ready_condition(before) != has_ready_condition(now);
}

std::vector<std::string> service_lines(const Service& service, const Text& reader) {
    if (!has_cluster_ip(service)) return {};
    std::string line = service.spec.cluster_ip.str();
    add_forms(service.metadata.name.str(), service.metadata.namespace_, reader, line);
    return {std::move(line)};
}

std::string own_line(const Pod& pod, const Text& pod_ip) {
    std::string line = pod_ip.str();
    const std::string name = host_name_of(pod);
    // Others read it, too: where readiness is tried, the full name says that the pod is ready.
    if (!pod.spec.subdomain.empty() && !may_be_unready(pod))
        line += ' ' + name + '.' + pod.spec.subdomain.str() + '.' + pod.metadata.namespace_.str() + ".svc." + kDomain;
    return line + ' ' + name;
}

std::string alias_lines(const Pod& pod) {
    if (pod.spec.host_aliases.empty()) return {};
    std::string lines = "\n# Entries added by HostAliases.\n";
    for (const auto& alias : pod.spec.host_aliases) {
        lines += alias.ip.str();
        for (const Text& name : alias.hostnames) lines += '\t' + name.str();
        lines += '\n';
    }
    return lines;
}

}  // namespace muster::node
