#include "api/kinds/kueue/v1beta1_conversion.h"

#include "api/kinds/kueue/kueue_names.h"

namespace muster::api::kueue {
namespace {

constexpr const char* kWorkloadPriorityClassSource = "kueue.x-k8s.io/workloadpriorityclass";
constexpr const char* kPodPriorityClassSource = "scheduling.k8s.io/priorityclass";

Box<FlavorFungibility> fungibility_to_stored(const Box<v1beta1::FlavorFungibility>& from) {
    Box<FlavorFungibility> to;
    if (!from) return to;
    FlavorFungibility& out = to.edit();
    out.when_can_borrow = from->when_can_borrow == "Borrow" ? Text(kMayStopSearch) : from->when_can_borrow;
    out.when_can_preempt = from->when_can_preempt == "Preempt" ? Text(kMayStopSearch) : from->when_can_preempt;
    out.preference = from->preference;
    return to;
}

Box<v1beta1::FlavorFungibility> fungibility_from_stored(const Box<FlavorFungibility>& from) {
    Box<v1beta1::FlavorFungibility> to;
    if (!from) return to;
    v1beta1::FlavorFungibility& out = to.edit();
    out.when_can_borrow = from->when_can_borrow;
    out.when_can_preempt = from->when_can_preempt;
    out.preference = from->preference;
    return to;
}

// The plain list of checks wins over the strategy, as upstream; having both is refused before.
Box<AdmissionChecksStrategy> checks_to_stored(const v1beta1::ClusterQueueSpec& spec) {
    if (spec.admission_checks.empty()) return spec.admission_checks_strategy;
    Box<AdmissionChecksStrategy> strategy;
    for (const Text& name : spec.admission_checks) {
        AdmissionCheckStrategyRule rule;
        rule.name = name;
        strategy.edit().admission_checks.edit().push_back(std::move(rule));
    }
    return strategy;
}

// One slice that names every domain; the narrowest form is for those who compute assignments.
Box<TopologyAssignment> topology_to_stored(const Box<v1beta1::TopologyAssignment>& from) {
    Box<TopologyAssignment> to;
    if (!from) return to;
    TopologyAssignment& out = to.edit();
    out.levels = from->levels;
    if (from->domains.empty()) return to;
    TopologyAssignmentSlice slice;
    slice.domain_count = static_cast<std::int32_t>(from->domains.size());
    for (std::size_t level = 0; level < from->levels.size(); ++level) {
        TopologyAssignmentSliceLevelValues values;
        for (const v1beta1::TopologyDomainAssignment& domain : from->domains)
            values.individual.edit().roots.edit().push_back(level < domain.values.size() ? domain.values[level]
                                                                                         : Text());
        slice.values_per_level.edit().push_back(std::move(values));
    }
    for (const v1beta1::TopologyDomainAssignment& domain : from->domains)
        slice.pod_counts.individual.edit().push_back(domain.count);
    out.slices.edit().push_back(std::move(slice));
    return to;
}

Text value_in_domain(const TopologyAssignmentSliceLevelValues& level, std::size_t domain) {
    if (level.universal) return *level.universal;
    if (!level.individual || domain >= level.individual->roots.size()) return {};
    std::string value(level.individual->prefix ? level.individual->prefix->view() : std::string_view());
    value += level.individual->roots[domain].view();
    if (level.individual->suffix) value += level.individual->suffix->view();
    return Text(value);
}

// No slice tells of more domains than its lists have entries, whatever its count claims.
std::size_t domains_of(const TopologyAssignmentSlice& slice) {
    std::size_t known = slice.pod_counts.individual.size();
    for (const TopologyAssignmentSliceLevelValues& level : slice.values_per_level)
        if (level.individual) known = std::max(known, level.individual->roots.size());
    return std::max<std::size_t>(known, slice.domain_count > 0 ? 1 : 0);
}

Box<v1beta1::TopologyAssignment> topology_from_stored(const Box<TopologyAssignment>& from) {
    Box<v1beta1::TopologyAssignment> to;
    if (!from) return to;
    v1beta1::TopologyAssignment& out = to.edit();
    out.levels = from->levels;
    for (const TopologyAssignmentSlice& slice : from->slices)
        for (std::size_t domain = 0; domain < domains_of(slice); ++domain) {
            v1beta1::TopologyDomainAssignment one;
            for (const TopologyAssignmentSliceLevelValues& level : slice.values_per_level)
                one.values.edit().push_back(value_in_domain(level, domain));
            const auto& counts = slice.pod_counts;
            one.count = counts.universal                    ? *counts.universal
                        : domain < counts.individual.size() ? counts.individual[domain]
                                                            : 0;
            out.domains.edit().push_back(std::move(one));
        }
    return to;
}

// Assignments have the same fields but for the form of the topology.
template <class To, class From, class Topology>
To convert_assignment(const From& from, Topology topology) {
    To to;
    to.name = from.name;
    to.flavors = from.flavors;
    to.resource_usage = from.resource_usage;
    to.count = from.count;
    to.topology_assignment = topology(from.topology_assignment);
    to.delayed_topology_request = from.delayed_topology_request;
    return to;
}

template <class To, class Assignment, class From, class Topology>
Box<To> convert_admission(const Box<From>& from, Topology topology) {
    Box<To> to;
    if (!from) return to;
    to.edit().cluster_queue = from->cluster_queue;
    for (const auto& assignment : from->pod_set_assignments)
        to.edit().pod_set_assignments.edit().push_back(convert_assignment<Assignment>(assignment, topology));
    return to;
}

template <class To, class From>
void copy_workload_status(const From& from, To& to) {
    to.conditions = from.conditions;
    to.requeue_state = from.requeue_state;
    to.reclaimable_pods = from.reclaimable_pods;
    to.admission_checks = from.admission_checks;
    to.resource_requests = from.resource_requests;
    to.accumulated_past_execution_time_seconds = from.accumulated_past_execution_time_seconds;
    to.scheduling_stats = from.scheduling_stats;
    to.nominated_cluster_names = from.nominated_cluster_names;
    to.cluster_name = from.cluster_name;
    to.unhealthy_nodes = from.unhealthy_nodes;
}

template <class To, class From>
void copy_workload_spec(const From& from, To& to) {
    to.pod_sets = from.pod_sets;
    to.queue_name = from.queue_name;
    to.priority = from.priority;
    to.active = from.active;
    to.maximum_execution_time_seconds = from.maximum_execution_time_seconds;
}

template <class To, class From>
void copy_cluster_queue_spec(const From& from, To& to) {
    to.resource_groups = from.resource_groups;
    to.queueing_strategy = from.queueing_strategy;
    to.namespace_selector = from.namespace_selector;
    to.preemption = from.preemption;
    to.stop_policy = from.stop_policy;
    to.fair_sharing = from.fair_sharing;
    to.admission_scope = from.admission_scope;
}

template <class To, class From>
void copy_local_queue(const From& from, To& to) {
    to.metadata = from.metadata;
    to.spec = from.spec;
    to.status.conditions = from.status.conditions;
    to.status.pending_workloads = from.status.pending_workloads;
    to.status.reserving_workloads = from.status.reserving_workloads;
    to.status.admitted_workloads = from.status.admitted_workloads;
    to.status.flavors_reservation = from.status.flavors_reservation;
    to.status.fair_sharing = from.status.fair_sharing;
}

template <class To, class From>
To convert_check(const From& from) {
    To to;
    to.metadata = from.metadata;
    to.spec.controller_name = from.spec.controller_name;
    to.spec.parameters = from.spec.parameters;
    to.status = from.status;
    return to;
}

}  // namespace

ClusterQueue to_stored(const v1beta1::ClusterQueue& queue) {
    ClusterQueue out;
    out.metadata = queue.metadata;
    copy_cluster_queue_spec(queue.spec, out.spec);
    out.spec.cohort_name = queue.spec.cohort;
    out.spec.flavor_fungibility = fungibility_to_stored(queue.spec.flavor_fungibility);
    out.spec.admission_checks_strategy = checks_to_stored(queue.spec);
    out.status = queue.status;
    return out;
}

v1beta1::ClusterQueue from_stored(const ClusterQueue& queue) {
    v1beta1::ClusterQueue out;
    out.metadata = queue.metadata;
    copy_cluster_queue_spec(queue.spec, out.spec);
    out.spec.cohort = queue.spec.cohort_name;
    out.spec.flavor_fungibility = fungibility_from_stored(queue.spec.flavor_fungibility);
    out.spec.admission_checks_strategy = queue.spec.admission_checks_strategy;
    out.status = queue.status;
    return out;
}

LocalQueue to_stored(const v1beta1::LocalQueue& queue) {
    LocalQueue out;
    copy_local_queue(queue, out);
    out.status.flavors_usage = queue.status.flavor_usage;
    return out;
}

v1beta1::LocalQueue from_stored(const LocalQueue& queue) {
    v1beta1::LocalQueue out;
    copy_local_queue(queue, out);
    out.status.flavor_usage = queue.status.flavors_usage;
    return out;
}

Workload to_stored(const v1beta1::Workload& workload) {
    Workload out;
    out.metadata = workload.metadata;
    copy_workload_spec(workload.spec, out.spec);
    const bool of_queue = workload.spec.priority_class_source == kWorkloadPriorityClassSource;
    if (of_queue || workload.spec.priority_class_source == kPodPriorityClassSource) {
        PriorityClassRef& ref = out.spec.priority_class_ref.edit();
        ref.group = of_queue ? kWorkloadPriorityClassGroup : kPodPriorityClassGroup;
        ref.kind = of_queue ? kWorkloadPriorityClassKind : kPodPriorityClassKind;
        ref.name = workload.spec.priority_class_name;
    }
    copy_workload_status(workload.status, out.status);
    out.status.admission =
        convert_admission<Admission, PodSetAssignment>(workload.status.admission, topology_to_stored);
    return out;
}

v1beta1::Workload from_stored(const Workload& workload) {
    v1beta1::Workload out;
    out.metadata = workload.metadata;
    copy_workload_spec(workload.spec, out.spec);
    if (const PriorityClassRef* ref = workload.spec.priority_class_ref.get()) {
        out.spec.priority_class_source =
            ref->group == kWorkloadPriorityClassGroup ? kWorkloadPriorityClassSource : kPodPriorityClassSource;
        out.spec.priority_class_name = ref->name;
    }
    copy_workload_status(workload.status, out.status);
    out.status.admission = convert_admission<v1beta1::Admission, v1beta1::PodSetAssignment>(workload.status.admission,
                                                                                            topology_from_stored);
    return out;
}

AdmissionCheck to_stored(const v1beta1::AdmissionCheck& check) { return convert_check<AdmissionCheck>(check); }

v1beta1::AdmissionCheck from_stored(const AdmissionCheck& check) {
    return convert_check<v1beta1::AdmissionCheck>(check);
}

}  // namespace muster::api::kueue
