#include "controllers/queue/admission/engine/translate.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "base/saturate.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;

PreemptPolicy parse_policy(const Text& text) {
    if (text == kueue::kPreemptAny) return PreemptPolicy::kAny;
    if (text == kueue::kPreemptLowerPriority) return PreemptPolicy::kLowerPriority;
    if (text == kueue::kPreemptLowerOrNewerEqualPriority) return PreemptPolicy::kLowerOrNewerEqualPriority;
    return PreemptPolicy::kNever;
}

std::vector<Quota> quotas_of(const List<kueue::ResourceGroup>& groups, bool in_cohort, Names& names) {
    std::vector<Quota> out;
    for (const kueue::ResourceGroup& group : groups) {
        for (const kueue::FlavorQuotas& flavor : group.flavors) {
            for (const kueue::ResourceQuota& quota : flavor.resources) {
                Quota it;
                it.resource = names.resource(quota.name);
                it.slot = names.slot(names.flavor(flavor.name), it.resource);
                it.nominal = amount_of(quota.name, quota.nominal_quota);
                if (in_cohort && quota.borrowing_limit)
                    it.borrowing_limit = amount_of(quota.name, *quota.borrowing_limit);
                if (in_cohort && quota.lending_limit) it.lending_limit = amount_of(quota.name, *quota.lending_limit);
                out.push_back(it);
            }
        }
    }
    return out;
}

double weight_of(const Box<kueue::FairSharing>& sharing) {
    return sharing && sharing->weight ? sharing->weight->approximate() : 1;
}

std::int32_t reclaimed(const kueue::Workload& workload, const Text& pod_set) {
    for (const kueue::ReclaimablePod& pods : workload.status.reclaimable_pods)
        if (pods.name == pod_set) return pods.count;
    return 0;
}

// How many of so many pods are still to run.
std::int32_t left_of(std::int32_t count, std::int32_t gone) { return std::max(0, sub_sat(count, gone)); }

std::int64_t pods_left(const kueue::Workload& workload, const Text& pod_set) {
    for (const kueue::PodSet& pods : workload.spec.pod_sets)
        if (pods.name == pod_set) return left_of(pods.count, reclaimed(workload, pod_set));
    return 0;
}

}  // namespace

Flavor flavor_of(const kueue::ResourceFlavor& flavor) {
    return {flavor.spec.node_labels, flavor.spec.node_taints, flavor.spec.tolerations};
}

QueueSpec queue_of(const kueue::ClusterQueue& queue, Names& names) {
    QueueSpec out;
    const kueue::ClusterQueueSpec& spec = queue.spec;
    out.name = queue.metadata.name;
    out.cohort = spec.cohort_name;
    out.quotas = quotas_of(spec.resource_groups, !spec.cohort_name.empty(), names);
    out.weight = weight_of(spec.fair_sharing);
    for (const kueue::ResourceGroup& group : spec.resource_groups) {
        ResourceGroup it;
        for (const Text& resource : group.covered_resources) it.resources.push_back(names.resource(resource));
        for (const kueue::FlavorQuotas& flavor : group.flavors) it.flavors.push_back(names.flavor(flavor.name));
        out.policy.groups.push_back(std::move(it));
    }
    out.policy.strict_fifo = spec.queueing_strategy == kueue::kStrictFifo;
    if (spec.preemption) {
        out.policy.within_queue = parse_policy(spec.preemption->within_cluster_queue);
        out.policy.reclaim = parse_policy(spec.preemption->reclaim_within_cohort);
        if (const auto& borrow = spec.preemption->borrow_within_cohort; borrow) {
            out.policy.borrow_while_preempting = borrow->policy == kueue::kPreemptLowerPriority;
            out.policy.borrow_priority_max = borrow->max_priority_threshold;
        }
    }
    if (spec.flavor_fungibility) {
        const auto& fungibility = *spec.flavor_fungibility;
        out.policy.next_flavor_rather_than_borrow = fungibility.when_can_borrow == kueue::kTryNextFlavor;
        out.policy.next_flavor_rather_than_preempt = !(fungibility.when_can_preempt == kueue::kMayStopSearch);
        out.policy.preempt_rather_than_borrow =
            fungibility.preference && *fungibility.preference == kueue::kPreemptionOverBorrowing;
    }
    return out;
}

CohortSpec cohort_of(const kueue::Cohort& cohort, Names& names) {
    return {cohort.metadata.name, cohort.spec.parent_name,
            quotas_of(cohort.spec.resource_groups, !cohort.spec.parent_name.empty(), names),
            weight_of(cohort.spec.fair_sharing)};
}

Shape shape_of(const kueue::Workload& workload, const PodRules& rules) {
    Shape out;
    for (const kueue::PodSet& pods : workload.spec.pod_sets) {
        PodSetShape it;
        it.name = pods.name;
        it.count = left_of(pods.count, reclaimed(workload, pods.name));
        it.min_count = std::clamp(pods.min_count.value_or(it.count), 0, it.count);
        const api::core::PodSpec& spec = pods.template_.spec;
        for (const auto& [resource, amount] : pod_amounts(spec, rules)) it.per_pod.emplace_back(resource, amount);
        it.placement.node_selector = spec.node_selector;
        it.placement.tolerations = spec.tolerations;
        if (spec.affinity && spec.affinity->node_affinity)
            it.placement.required = spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
        out.pod_sets.push_back(std::move(it));
    }
    return out;
}

List<kueue::PodSetRequest> requests_of(const kueue::Workload& workload, const PodRules& rules) {
    std::vector<kueue::PodSetRequest> out;
    for (const kueue::PodSet& pods : workload.spec.pod_sets) {
        kueue::PodSetRequest it;
        it.name = pods.name;
        const std::int32_t count = left_of(pods.count, reclaimed(workload, pods.name));
        for (const auto& [resource, amount] : pod_amounts(pods.template_.spec, rules))
            it.resources.set(resource, quantity_of(resource, times(amount, count)));
        out.push_back(std::move(it));
    }
    return List<kueue::PodSetRequest>(std::move(out));
}

Usage usage_of(const kueue::Workload& workload, Names& names) {
    Usage out;
    if (!workload.status.admission) return out;
    for (const kueue::PodSetAssignment& pods : workload.status.admission->pod_set_assignments) {
        const std::int64_t count = pods.count.value_or(0);
        const std::int64_t left = std::min<std::int64_t>(count, pods_left(workload, pods.name));
        for (const auto& [resource, quantity] : pods.resource_usage) {
            const Text* flavor = pods.flavors.find(resource);
            if (!flavor) continue;
            // Usage is never negative, whatever a status that comes from elsewhere says.
            Amount amount = std::max<Amount>(0, amount_of(resource, quantity));
            if (left < count) amount = times(amount / count, left);
            add_use(out, names.slot(names.flavor(*flavor), names.resource(resource)), amount);
        }
    }
    return out;
}

api::Quantity quantity_of(const Text& resource, Amount amount) {
    using api::Quantity;
    if (resource == "cpu") return Quantity::from_milli(amount);
    const bool bytes =
        resource == "memory" || resource == "ephemeral-storage" || resource.view().starts_with("hugepages-");
    return Quantity::from_int(amount, bytes ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI);
}

kueue::Admission make_admission(const kueue::Workload& workload, const Text& queue,
                                const std::vector<PodSetChoice>& pod_sets, const Names& names) {
    kueue::Admission out;
    out.cluster_queue = queue;
    auto& assignments = out.pod_set_assignments.edit();
    for (std::size_t i = 0; i < pod_sets.size() && i < workload.spec.pod_sets.size(); ++i) {
        kueue::PodSetAssignment it;
        const kueue::PodSet& pods = workload.spec.pod_sets[i];
        it.name = pods.name;
        it.count = pod_sets[i].count;
        for (const Choice& choice : pod_sets[i].choices) {
            const Text& resource = names.resource_name(choice.resource);
            it.flavors.set(resource, names.flavor_name(choice.flavor));
            it.resource_usage.set(resource, quantity_of(resource, choice.total));
        }
        assignments.push_back(std::move(it));
    }
    return out;
}

std::vector<Text> checks_for(const kueue::ClusterQueue& queue, const kueue::Admission& admission) {
    std::vector<Text> out;
    if (!queue.spec.admission_checks_strategy) return out;
    for (const auto& rule : queue.spec.admission_checks_strategy->admission_checks) {
        bool applies = rule.on_flavors.empty();
        for (const kueue::PodSetAssignment& pods : admission.pod_set_assignments)
            for (const auto& [resource, flavor] : pods.flavors)
                applies = applies ||
                          std::find(rule.on_flavors.begin(), rule.on_flavors.end(), flavor) != rule.on_flavors.end();
        if (applies) out.push_back(rule.name);
    }
    return out;
}

}  // namespace muster::controllers::queue
