#include "node/pods/pod_admission.h"

#include <algorithm>

namespace muster::node {
namespace {

using api::core::Node;
using api::core::Pod;

constexpr std::string_view kOsLabel = "kubernetes.io/os";
constexpr std::string_view kOs = "linux";

PodRefusal by_rule(const char* rule, const char* why) {
    return {rule, std::string("Predicate ") + rule + " failed: " + why};
}

PodRefusal by_shortage(const std::string& resource, std::int64_t wanted, std::int64_t used, std::int64_t offered) {
    return {"OutOf" + resource, "Node didn't have enough resource: " + resource +
                                    ", requested: " + std::to_string(wanted) + ", used: " + std::to_string(used) +
                                    ", capacity: " + std::to_string(offered)};
}

// Resources that the node does not have at all are not the node's to refuse.
bool is_unknown(const Text& resource, const Node& node) {
    return resource.view().find('/') != std::string_view::npos && !node.status.allocatable.contains(resource);
}

std::optional<PodRefusal> check_room_of_node(const Pod& pod, const Node& node, const TakenRoom& taken) {
    const api::Quantity* pods_max = node.status.allocatable.find("pods");
    if (pods_max && taken.pods() + 1 > pods_max->value())
        return by_shortage("pods", 1, taken.pods(), pods_max->value());
    for (const api::Shortage& each :
         api::find_shortages(api::pod_requests(pod.spec), taken.requested(), api::amounts_of(node.status.allocatable)))
        if (!is_unknown(each.resource, node))
            return by_shortage(each.resource.str(), each.wanted, each.used, each.offered);
    return {};
}

}  // namespace

void TakenRoom::add(const Pod& pod) {
    const auto [at, fresh] = pods_.try_emplace(pod.metadata.uid);
    if (!fresh) return;
    at->second = {api::pod_requests(pod.spec), api::host_ports_of(pod.spec)};
    requested_ += at->second.requests;
}

void TakenRoom::remove(const Text& pod_uid) {
    const auto found = pods_.find(pod_uid);
    if (found == pods_.end()) return;
    requested_ -= found->second.requests;
    pods_.erase(found);
}

std::vector<api::HostPort> TakenRoom::host_ports() const {
    std::vector<api::HostPort> ports;
    for (const auto& [uid, taken] : pods_) ports.insert(ports.end(), taken.host_ports.begin(), taken.host_ports.end());
    return ports;
}

std::optional<PodRefusal> check_pod_admission(const Pod& pod, const Node& node, const TakenRoom& taken) {
    const Text* os_label = pod.metadata.labels.find(kOsLabel);
    if (os_label && !(*os_label == kOs))
        return PodRefusal{"PodOSSelectorNodeLabelDoesNotMatch",
                          "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"};
    if (pod.spec.os && !(pod.spec.os->name == kOs))
        return PodRefusal{"PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"};
    if (auto refusal = check_room_of_node(pod, node, taken)) return refusal;
    const auto& affinity = pod.spec.affinity;
    if (!api::matches_node_affinity(pod.spec.node_selector, affinity ? &*affinity : nullptr, node))
        return by_rule("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
    const std::vector<api::HostPort> ports = api::host_ports_of(pod.spec);
    if (!ports.empty() && api::any_conflict(ports, taken.host_ports()))
        return by_rule("NodePorts", "node(s) didn't have free ports for the requested pod ports");
    if (api::find_untolerated(pod.spec.tolerations, node, [](const Text& effect) { return effect == "NoExecute"; }))
        return by_rule("TaintToleration", "node(s) had taints that the pod didn't tolerate");
    return {};
}

}  // namespace muster::node
