#include "controllers/pod_gc/decide.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "api/kinds/conditions.h"
#include "api/kinds/core/pod_phase.h"

namespace muster::controllers {
namespace {

using api::core::Node;
using api::core::Pod;
using api::core::PodStatus;

constexpr const char* kOutOfServiceTaint = "node.kubernetes.io/out-of-service";

// Also an empty or unknown phase, as Kubernetes has it.
bool is_terminated(const Pod& pod) {
    const Text& phase = pod.status.phase;
    return phase != "Pending" && phase != "Running" && phase != "Unknown";
}

bool is_leaving_unplaced(const Pod& pod) { return pod.metadata.deletion_timestamp && pod.spec.node_name.empty(); }

bool is_evicted(const Pod& pod) { return pod.status.phase == "Failed" && pod.status.reason == "Evicted"; }

bool is_ready(const Node& node) { return api::is_condition_true(node.status.conditions, "Ready"); }

bool is_out_of_service(const Node& node) {
    const auto is_it = [](const auto& taint) { return taint.key == kOutOfServiceTaint; };
    return !is_ready(node) && std::any_of(node.spec.taints.begin(), node.spec.taints.end(), is_it);
}

// A pod goes for the first reason found.
class Removals {
public:
    void add(const PodPtr& pod, PodGarbage reason) {
        if (taken_.insert(pod.get()).second) removals_.push_back({pod, reason});
    }
    std::vector<PodRemoval> take() { return std::move(removals_); }

private:
    std::unordered_set<const Pod*> taken_;
    std::vector<PodRemoval> removals_;
};

void add_terminated(const PodGcView& view, Removals& removals) {
    const std::set<PodPtr, GoesBefore>& ended = view.census.ended;
    if (view.terminated_max <= 0) return;
    const auto kept = static_cast<std::size_t>(view.terminated_max);
    if (ended.size() <= kept) return;
    const std::size_t count = std::min(ended.size() - kept, view.ended_at_once_max);
    auto pod = ended.begin();
    for (std::size_t i = 0; i < count; ++i) removals.add(*pod++, PodGarbage::kTerminated);
}

void add_out_of_service(const PodGcView& view, Removals& removals) {
    std::set<Text> out_of_service;
    for (const NodePtr& node : view.nodes)
        if (is_out_of_service(*node)) out_of_service.insert(node->metadata.name);
    if (out_of_service.empty()) return;
    std::set<PodPtr, GoesBefore> stuck;
    for (const PodPtr& pod : view.pods)
        if (pod->metadata.deletion_timestamp && out_of_service.contains(pod->spec.node_name)) stuck.insert(pod);
    for (const PodPtr& pod : stuck) removals.add(pod, PodGarbage::kOutOfService);
}

}  // namespace

std::string_view name_of(PodGarbage reason) {
    switch (reason) {
        case PodGarbage::kTerminated: return "terminated";
        case PodGarbage::kOutOfService: return "out-of-service";
        case PodGarbage::kOrphaned: return "orphaned";
        case PodGarbage::kUnscheduled: break;
    }
    return "unscheduled";
}

std::vector<PodRemoval> decide_pod_gc(const PodGcView& view) {
    Removals removals;
    add_terminated(view, removals);
    add_out_of_service(view, removals);
    for (const PodPtr& pod : view.pods) {
        const Text& node = pod->spec.node_name;
        if (node.empty() || !view.missing.contains(node)) continue;
        if (std::find(view.confirmed.begin(), view.confirmed.end(), node) != view.confirmed.end())
            removals.add(pod, PodGarbage::kOrphaned);
    }
    for (const PodPtr& pod : view.pods)
        if (is_leaving_unplaced(*pod)) removals.add(pod, PodGarbage::kUnscheduled);
    return removals.take();
}

bool GoesBefore::operator()(const PodPtr& left, const PodPtr& right) const {
    const bool evicted = is_evicted(*left);
    if (evicted != is_evicted(*right)) return evicted;
    const api::meta::ObjectMeta& a = left->metadata;
    const api::meta::ObjectMeta& b = right->metadata;
    if (!(a.creation_timestamp == b.creation_timestamp)) return a.creation_timestamp < b.creation_timestamp;
    if (const auto order = a.name <=> b.name; order != 0) return order < 0;
    return a.namespace_ < b.namespace_;
}

void PodCensus::count(const PodPtr& before, const PodPtr& now) {
    const auto add = [this](const PodPtr& pod, std::int64_t by) {
        if (!pod) return;
        if (is_leaving_unplaced(*pod)) leaving_unplaced += by;
        const Text& node = pod->spec.node_name;
        if (!node.empty() && (on_node[node] += by) == 0) on_node.erase(node);
    };
    add(now, 1);  // first, so that a node's count does not pass through nothing
    add(before, -1);
    if (before && is_terminated(*before)) ended.erase(before);
    if (now && is_terminated(*now)) ended.insert(now);
}

bool needs_all_pods(const PodCensus& census, std::span<const NodePtr> nodes, std::span<const Text> confirmed) {
    return census.leaving_unplaced > 0 || !confirmed.empty() ||
           std::any_of(nodes.begin(), nodes.end(), [](const NodePtr& node) { return is_out_of_service(*node); });
}

std::map<Text, Instant> find_missing_nodes(const PodCensus& census, std::span<const NodePtr> nodes,
                                           const std::map<Text, Instant>& before, Instant now) {
    std::unordered_set<Text> there;
    for (const NodePtr& node : nodes) there.insert(node->metadata.name);
    std::map<Text, Instant> missing;
    for (const auto& [node, pods] : census.on_node) {
        if (there.contains(node)) continue;
        const auto known = before.find(node);
        missing.emplace(node, known == before.end() ? now : known->second);
    }
    return missing;
}

std::vector<Text> overdue_nodes(const std::map<Text, Instant>& missing, Duration quarantine, Instant now) {
    std::vector<Text> overdue;
    for (const auto& [node, since] : missing)
        if (now - since >= quarantine) overdue.push_back(node);
    return overdue;
}

std::optional<PodStatus> failed_status(const Pod& pod, PodGarbage reason, Instant now) {
    if (has_ended(pod)) return std::nullopt;
    PodStatus status = pod.status;
    status.phase = "Failed";
    if (reason != PodGarbage::kOrphaned) return status;
    api::set_condition(
        status.conditions,
        {"DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists", pod.metadata.generation},
        api::Time::from_instant(now));
    return status;
}

}  // namespace muster::controllers
