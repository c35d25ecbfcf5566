#include "sim/checkers/queue_facts.h"

#include <algorithm>

namespace muster::sim {
namespace {

std::int64_t pods_to_run(const QueuedWork& work, const Text& set) {
    for (const auto& asked : work.spec.pod_sets)
        if (asked.name == set) return std::max<std::int64_t>(0, asked.count - given_back(work, set));
    return 0;
}

}  // namespace

std::int64_t given_back(const QueuedWork& work, const Text& set) {
    for (const auto& reclaimable : work.status.reclaimable_pods)
        if (reclaimable.name == set) return reclaimable.count;
    return 0;
}

bool has_fault(const World& world, std::initializer_list<std::string_view> names) {
    for (const ScenarioPart& fault : world.scenario().faults)
        if (std::find(names.begin(), names.end(), fault.name) != names.end()) return true;
    return false;
}

bool is_gated(const Pod& pod) {
    for (const auto& gate : pod.spec.scheduling_gates)
        if (gate.name == "kueue.x-k8s.io/admission") return true;
    return false;
}

bool is_held(const Pod& pod) {
    for (const Text& finalizer : pod.metadata.finalizers)
        if (finalizer == "kueue.x-k8s.io/managed") return true;
    return false;
}

Text group_name_of(const Pod& pod) {
    const Text* name = pod.metadata.labels.find("kueue.x-k8s.io/pod-group-name");
    return name ? *name : Text();
}

std::int64_t group_size_of(const Pod& pod) {
    const Text* size = pod.metadata.annotations.find("kueue.x-k8s.io/pod-group-total-count");
    return size ? std::stoi(size->str()) : 0;
}

const api::meta::Condition* find_condition(const QueuedWork& work, std::string_view type) {
    for (const auto& condition : work.status.conditions)
        if (condition.type == type) return &condition;
    return nullptr;
}

bool has_condition(const QueuedWork& work, std::string_view type) {
    const auto* condition = find_condition(work, type);
    return condition && condition->status == "True";
}

bool holds_quota(const QueuedWork& work) {
    return has_condition(work, "QuotaReserved") && !has_condition(work, "Finished") && work.status.admission;
}

std::map<QuotaKey, std::int64_t> usage_of(const QueuedWork& work) {
    std::map<QuotaKey, std::int64_t> usage;
    if (!holds_quota(work)) return usage;
    for (const auto& set : work.status.admission->pod_set_assignments) {
        const std::int64_t count = set.count.value_or(1);
        const std::int64_t left = std::min(count, pods_to_run(work, set.name));
        for (const auto& [resource, flavor] : set.flavors) {
            const api::Quantity* asked = set.resource_usage.find(resource);
            if (asked && count > 0)
                usage[{work.status.admission->cluster_queue, flavor, resource}] += asked->milli_value() / count * left;
        }
    }
    return usage;
}

const QueuedWork* find_work(const World& world, const Text& group, const Text& uid) {
    for (const QueuedWork* work : world.history.all<QueuedWork>()) {
        if (!group.empty() && work->metadata.name == group) return work;
        if (!group.empty()) continue;
        for (const auto& owner : work->metadata.owner_references)
            if (owner.uid == uid) return work;
    }
    return nullptr;
}

bool waits_for_ever(const World& world, const Text& group, const Text& uid) {
    const QueuedWork* work = find_work(world, group, uid);
    const auto* quota = work ? find_condition(*work, "QuotaReserved") : nullptr;
    return quota && quota->status == "False" && quota->reason == "ExceedsMaxQuota" && !quota->message.empty();
}

bool decides_in_one_life(const World& world) {
    if (!has_fault(world, {"crash", "disk", "machines"})) return true;
    return world.is_embedded() && !has_fault(world, {"network", "partition"});
}

Duration decision_age_max(const World& world) {
    return has_fault(world, {"network", "partition"}) || !world.is_embedded() ? Duration(60s) : Duration(3s);
}

}  // namespace muster::sim
