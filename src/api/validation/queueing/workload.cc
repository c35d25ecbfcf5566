#include "api/validation/queueing/workload.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "api/schema/walk.h"
#include "api/validation/queueing/queueing.h"
#include "api/validation/rules/metadata.h"
#include "api/validation/rules/schema_rules.h"

namespace muster::api {
namespace {

using kueue::PodSet;
using kueue::Workload;
using kueue::WorkloadSpec;
using kueue::WorkloadStatus;

const FieldPath kWorkloadSpec("spec");
const FieldPath kWorkloadStatus("status");
constexpr std::size_t kGatesMax = 8;
constexpr std::size_t kGateNameMax = 63;
constexpr std::size_t kClustersMax = 20;
constexpr std::size_t kClusterNameMax = 256;
constexpr std::size_t kUnhealthyNodesMax = 8;
constexpr std::size_t kEvictionsMax = 256;
constexpr std::size_t kCheckMessageMax = 32768;

bool has_true(const Workload& workload, const char* type) {
    return std::any_of(workload.status.conditions.begin(), workload.status.conditions.end(),
                       [&](const meta::Condition& condition) {
                           return condition.type == type && condition.status == kueue::kConditionTrue;
                       });
}
bool is_reserved(const Workload& workload) { return has_true(workload, kueue::kWorkloadQuotaReserved); }

const PodSet* find_set(const WorkloadSpec& spec, std::string_view name) {
    for (const PodSet& set : spec.pod_sets)
        if (set.name == name) return &set;
    return nullptr;
}

std::vector<std::string_view> set_names(const WorkloadSpec& spec) {
    std::vector<std::string_view> names;
    for (const PodSet& set : spec.pod_sets) names.push_back(set.name);
    return names;
}

// The resource pods is counted by the queue itself.
void check_resources(const Map<Quantity>& resources, const FieldPath& path, FieldErrors& errors) {
    for (const auto& [name, amount] : resources) {
        if (name == kueue::kPodsResource)
            errors.add_invalid(path.key(name), name, "the key is reserved for internal kueue use");
        if (amount.sign() < 0) errors.add_invalid(path.key(name), amount.text(), kNonNegativeSentence);
    }
}

void check_container_list(const List<core::Container>& containers, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
        check_resources(containers[i].resources.requests, path.index(i).child("resources", "requests"), errors);
        check_resources(containers[i].resources.limits, path.index(i).child("resources", "limits"), errors);
    }
}

void check_topology_request(const kueue::PodSetTopologyRequest& request, const FieldPath& path, FieldErrors& errors) {
    constexpr const char* kNotSupported = "is not supported by this server";
    if (request.required) errors.add_forbidden(path.child("required"), kNotSupported);
    if (request.pod_set_slice_required_topology)
        errors.add_forbidden(path.child("podSetSliceRequiredTopology"), kNotSupported);
    if (!request.podset_slice_required_topology_constraints.empty())
        errors.add_forbidden(path.child("podsetSliceRequiredTopologyConstraints"), kNotSupported);
}

void check_pod_set(const PodSet& set, const FieldPath& path, QueueingErrors& errors) {
    errors.definition.add_problems(path.child("name"), set.name, is_dns1123_label(set.name));
    check_non_negative(path.child("count"), set.count, errors.definition);
    if (set.min_count && (*set.min_count < 1 || *set.min_count > set.count))
        errors.definition.add_invalid(path.child("minCount"), *set.min_count,
                                      "minCount should be positive and less or equal to count");
    const FieldPath metadata = path.child("template", "metadata");
    check_labels(set.template_.metadata.labels, metadata.child("labels"), errors.webhook);
    check_annotations(set.template_.metadata.annotations, metadata.child("annotations"), errors.webhook);
    const FieldPath spec = path.child("template", "spec");
    check_container_list(set.template_.spec.init_containers, spec.child("initContainers"), errors.webhook);
    check_container_list(set.template_.spec.containers, spec.child("containers"), errors.webhook);
    if (const auto* resources = set.template_.spec.resources.get()) {
        check_resources(resources->requests, spec.child("resources", "requests"), errors.webhook);
        check_resources(resources->limits, spec.child("resources", "limits"), errors.webhook);
    }
    if (set.topology_request)
        check_topology_request(*set.topology_request, path.child("topologyRequest"), errors.definition);
}

void check_pod_sets(const List<PodSet>& sets, QueueingErrors& errors) {
    const FieldPath path = kWorkloadSpec.child("podSets");
    if (sets.empty()) errors.definition.add_required(path, "must have at least one pod set");
    check_at_most(sets.size(), kueue::kPodSetsMax, path, errors.definition);
    int variable = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        check_pod_set(sets[i], path.index(i), errors);
        variable += sets[i].min_count ? 1 : 0;
    }
    if (variable > 1) errors.webhook.add_invalid(path, variable, "at most one podSet can use minCount");
}

void check_priority_class(const kueue::PriorityClassRef& ref, const FieldPath& path, FieldErrors& errors) {
    const bool of_pods = ref.group == kueue::kPodPriorityClassGroup;
    const char* kind = of_pods ? kueue::kPodPriorityClassKind : kueue::kWorkloadPriorityClassKind;
    const bool known_group = of_pods || ref.group == kueue::kWorkloadPriorityClassGroup;
    if (known_group && !(ref.kind == kind))
        errors.add_invalid(path.child("kind"), ref.kind,
                           "only the " + std::string(kind) + " kind is allowed for the " + ref.group.str() + " group");
    check_object_name(ref.name, path.child("name"), errors);
}

void check_workload_spec(const WorkloadSpec& spec, QueueingErrors& errors) {
    check_pod_sets(spec.pod_sets, errors);
    check_object_name(spec.queue_name, kWorkloadSpec.child("queueName"), errors.definition);
    if (spec.priority_class_ref) {
        check_priority_class(*spec.priority_class_ref, kWorkloadSpec.child("priorityClassRef"), errors.definition);
        if (!spec.priority)
            errors.definition.add_required(kWorkloadSpec.child("priority"),
                                           "priority should not be nil when priorityClassRef is set");
    }
    if (spec.maximum_execution_time_seconds && *spec.maximum_execution_time_seconds < 1)
        errors.definition.add_invalid(kWorkloadSpec.child("maximumExecutionTimeSeconds"),
                                      *spec.maximum_execution_time_seconds, "should be greater than or equal to 1");
    const FieldPath gates = kWorkloadSpec.child("preemptionGates");
    check_at_most(spec.preemption_gates.size(), kGatesMax, gates, errors.definition);
    for (std::size_t i = 0; i < spec.preemption_gates.size(); ++i)
        if (spec.preemption_gates[i].name.size() > kGateNameMax)
            errors.definition.add_too_long(gates.index(i).child("name"), kGateNameMax);
}

bool divides_evenly(const std::string_view resource, const Quantity& amount, std::int32_t count) {
    return (resource == "cpu" ? amount.milli_value() : amount.value()) % count == 0;
}

void check_admission(const Workload& now, const Workload* before, QueueingErrors& errors) {
    const FieldPath path = kWorkloadStatus.child("admission");
    const kueue::Admission* admission = now.status.admission.get();
    if (!admission) {
        // One that was already like this goes through, so that it can be put right.
        if (!before || !is_reserved(*before) || before->status.admission)
            errors.webhook.add_required(path, "must be set while the QuotaReserved condition is true");
        return;
    }
    const FieldPath at = path.child("podSetAssignments");
    const auto& assignments = admission->pod_set_assignments;
    if (assignments.size() != now.spec.pod_sets.size())
        errors.definition.add_invalid(at, assignments.size(),
                                      "podSetAssignments must have the same number of podSets as the spec");
    for (std::size_t i = 0; i < assignments.size(); ++i) {
        const kueue::PodSetAssignment& assignment = assignments[i];
        if (!find_set(now.spec, assignment.name))
            errors.webhook.add_not_found(at.index(i).child("name"), assignment.name);
        if (assignment.count) check_non_negative(at.index(i).child("count"), *assignment.count, errors.definition);
        if (!assignment.count || *assignment.count <= 0) continue;
        for (const auto& [resource, amount] : assignment.resource_usage)
            if (!divides_evenly(resource, amount, *assignment.count))
                errors.webhook.add_invalid(at.index(i).child("resourceUsage").key(resource), amount.text(),
                                           "is not a multiple of " + std::to_string(*assignment.count));
    }
}

// As many as Kueue's definition allows.
void check_list_sizes(const WorkloadStatus& status, FieldErrors& errors) {
    const auto at_most = [&](std::size_t count, std::size_t most, const char* name) {
        check_at_most(count, most, kWorkloadStatus.child(name), errors);
    };
    at_most(status.reclaimable_pods.size(), kueue::kPodSetsMax, "reclaimablePods");
    at_most(status.resource_requests.size(), kueue::kPodSetsMax, "resourceRequests");
    at_most(status.admission_checks.size(), kueue::kAdmissionChecksMax, "admissionChecks");
    at_most(status.nominated_cluster_names.size(), kClustersMax, "nominatedClusterNames");
    at_most(status.unhealthy_nodes.size(), kUnhealthyNodesMax, "unhealthyNodes");
    at_most(status.preemption_gates.size(), kGatesMax, "preemptionGates");
    if (status.admission)
        check_at_most(status.admission->pod_set_assignments.size(), kueue::kPodSetsMax,
                      kWorkloadStatus.child("admission", "podSetAssignments"), errors);
    if (status.scheduling_stats)
        check_at_most(status.scheduling_stats->evictions.size(), kEvictionsMax,
                      kWorkloadStatus.child("schedulingStats", "evictions"), errors);
    if (status.cluster_name && status.cluster_name->size() > kClusterNameMax)
        errors.add_too_long(kWorkloadStatus.child("clusterName"), kClusterNameMax);
    for (std::size_t i = 0; i < status.nominated_cluster_names.size(); ++i)
        if (status.nominated_cluster_names[i].size() > kClusterNameMax)
            errors.add_too_long(kWorkloadStatus.child("nominatedClusterNames").index(i), kClusterNameMax);
}

void check_reclaimable(const Workload& workload, QueueingErrors& errors) {
    const FieldPath path = kWorkloadStatus.child("reclaimablePods");
    for (const kueue::ReclaimablePod& pods : workload.status.reclaimable_pods) {
        const PodSet* set = find_set(workload.spec, pods.name);
        const FieldPath at = path.key(pods.name);
        check_non_negative(at.child("count"), pods.count, errors.definition);
        if (!set)
            errors.webhook.add_not_supported(at.child("name"), pods.name, set_names(workload.spec));
        else if (pods.count > set->count)
            errors.webhook.add_invalid(at.child("count"), pods.count,
                                       "should be less or equal to " + std::to_string(set->count));
    }
}

// What was given back is not taken again as long as the rest is held.
void check_reclaimable_grows(const Workload& now, const Workload& before, FieldErrors& errors) {
    if (!is_reserved(now) || !is_reserved(before)) return;
    const FieldPath path = kWorkloadStatus.child("reclaimablePods");
    const auto& pods = now.status.reclaimable_pods;
    for (const kueue::ReclaimablePod& old : before.status.reclaimable_pods) {
        const auto found = std::find_if(pods.begin(), pods.end(),
                                        [&](const kueue::ReclaimablePod& each) { return each.name == old.name; });
        if (found == pods.end())
            errors.add_required(path.key(old.name), "cannot be removed");
        else if (found->count < old.count)
            errors.add_invalid(path.key(old.name).child("count"), found->count,
                               "cannot be less than " + std::to_string(old.count));
    }
}

void check_checks(const Workload& workload, QueueingErrors& errors) {
    const FieldPath path = kWorkloadStatus.child("admissionChecks");
    const auto& checks = workload.status.admission_checks;
    for (std::size_t i = 0; i < checks.size(); ++i) {
        const FieldPath updates = path.index(i).child("podSetUpdates");
        check_at_most(checks[i].pod_set_updates.size(), kueue::kPodSetsMax, updates, errors.definition);
        if (checks[i].message.size() > kCheckMessageMax)
            errors.definition.add_too_long(path.index(i).child("message"), kCheckMessageMax);
        for (std::size_t j = 0; j < checks[i].pod_set_updates.size(); ++j) {
            const kueue::PodSetUpdate& update = checks[i].pod_set_updates[j];
            const FieldPath at = updates.index(j);
            if (!find_set(workload.spec, update.name))
                errors.webhook.add_not_supported(at.child("name"), update.name, set_names(workload.spec));
            check_flavor_tolerations(update.tolerations, at.child("tolerations"), errors);
            check_annotations(update.annotations, at.child("annotations"), errors.webhook);
            check_labels(update.node_selector, at.child("nodeSelector"), errors.webhook);
            check_labels(update.labels, at.child("labels"), errors.webhook);
        }
    }
}

void check_updates_stay(const Workload& now, const Workload& before, FieldErrors& errors) {
    const auto& checks = now.status.admission_checks;
    for (std::size_t i = 0; i < checks.size(); ++i) {
        if (!(checks[i].state == kueue::kCheckReady)) continue;
        for (const kueue::AdmissionCheckState& old : before.status.admission_checks)
            if (old.name == checks[i].name && old.state == kueue::kCheckReady &&
                !(old.pod_set_updates == checks[i].pod_set_updates))
                errors.add_invalid(kWorkloadStatus.child("admissionChecks").index(i).child("podSetUpdates"),
                                   shown_json(checks[i].pod_set_updates), kImmutableSentence);
    }
}

void check_cluster_name(const WorkloadStatus& now, const WorkloadStatus& before, QueueingErrors& errors) {
    const FieldPath path = kWorkloadStatus.child("clusterName");
    if (!now.cluster_name) return;
    if (!now.nominated_cluster_names.empty())
        errors.definition.add_invalid(path, *now.cluster_name,
                                      "clusterName and nominatedClusterNames are mutually exclusive");
    if (before.cluster_name && *before.cluster_name != *now.cluster_name)
        errors.definition.add_invalid(path, *now.cluster_name, "clusterName is immutable once set");
    const auto& nominated = before.nominated_cluster_names;
    if (!before.cluster_name && std::find(nominated.begin(), nominated.end(), *now.cluster_name) == nominated.end())
        errors.webhook.add_invalid(path, *now.cluster_name,
                                   "when setting clusterName it must be one of the nominatedClusterNames");
}

void check_workload_status(const Workload& now, const Workload* before, QueueingErrors& errors) {
    check_list_sizes(now.status, errors.definition);
    if (now.status.admission)
        check_object_name(now.status.admission->cluster_queue, kWorkloadStatus.child("admission", "clusterQueue"),
                          errors.definition);
    if (is_reserved(now)) check_admission(now, before, errors);
    check_conditions(now.status.conditions, kWorkloadStatus.child("conditions"), errors.definition);
    check_reclaimable(now, errors);
    check_checks(now, errors);
    if (!before) return;
    check_reclaimable_grows(now, *before, errors.webhook);
    const auto& admission = now.status.admission;
    const auto& old = before->status.admission;
    if (admission && old && !is_equal(kueue::Admission::info(), admission.get(), old.get()))
        errors.webhook.add_invalid(kWorkloadStatus.child("admission"), shown_json(*admission), kImmutableSentence);
    check_updates_stay(now, *before, errors.webhook);
    check_cluster_name(now.status, before->status, errors);
}

void check_class_stays(const WorkloadSpec& now, const WorkloadSpec& before, FieldErrors& errors) {
    const FieldPath path = kWorkloadSpec.child("priorityClassRef");
    const kueue::PriorityClassRef* ref = now.priority_class_ref.get();
    const kueue::PriorityClassRef* old = before.priority_class_ref.get();
    constexpr const char* kReserved = "is immutable while workload quota reserved";
    if (!ref != !old) errors.add_invalid(path, ref ? shown_json(*ref) : Shown::json("null"), kReserved);
    if (!ref || !old) return;
    if (!(ref->group == old->group)) errors.add_invalid(path.child("group"), ref->group, kReserved);
    if (!(ref->kind == old->kind)) errors.add_invalid(path.child("kind"), ref->kind, kReserved);
    // A workload's class may change and move it in the queue; the priority of running pods cannot.
    if (ref->group == kueue::kPodPriorityClassGroup && !(ref->name == old->name))
        errors.add_invalid(path.child("name"), ref->name, kReserved);
}

void check_spec_stays(const Workload& now, const Workload& before, QueueingErrors& errors) {
    if (!is_reserved(before)) return;
    const auto& sets = now.spec.pod_sets;
    const auto& old = before.spec.pod_sets;
    const FieldPath path = kWorkloadSpec.child("podSets");
    if (sets.size() != old.size()) errors.webhook.add_invalid(path, sets.size(), kImmutableSentence);
    for (std::size_t i = 0; i < sets.size() && i < old.size(); ++i)
        if (!is_equal(PodSet::info(), &sets[i], &old[i]))
            errors.webhook.add_invalid(path.index(i), sets[i].name, kImmutableSentence);
    check_class_stays(now.spec, before.spec, errors.definition);
    if (is_reserved(now) && !(now.spec.queue_name == before.spec.queue_name))
        errors.definition.add_invalid(kWorkloadSpec.child("queueName"), now.spec.queue_name,
                                      "queueName is immutable while workload quota reserved");
    if (has_true(now, kueue::kWorkloadAdmitted) && has_true(before, kueue::kWorkloadAdmitted) &&
        now.spec.maximum_execution_time_seconds.value_or(0) != before.spec.maximum_execution_time_seconds.value_or(0))
        errors.definition.add_invalid(kWorkloadSpec.child("maximumExecutionTimeSeconds"),
                                      now.spec.maximum_execution_time_seconds.value_or(0),
                                      "maximumExecutionTimeSeconds is immutable while workload quota reserved");
}

}  // namespace

QueueingErrors check_queueing_create(const Workload& workload) {
    QueueingErrors errors;
    check_metadata(workload.metadata, true, is_dns1123_subdomain, kMetadata, errors.definition);
    check_schema(WorkloadSpec::info(), &workload.spec, kQueueingPackages, kWorkloadSpec, errors.definition);
    check_workload_spec(workload.spec, errors);
    return errors;
}

QueueingErrors check_queueing_update(const Workload& now, const Workload& before) {
    QueueingErrors errors;
    check_schema(WorkloadSpec::info(), &now.spec, kQueueingPackages, kWorkloadSpec, errors.definition);
    check_workload_spec(now.spec, errors);
    check_spec_stays(now, before, errors);
    // Sets that the status does not fit any more would have every later status refused.
    if (!(now.spec.pod_sets == before.spec.pod_sets)) check_reclaimable(now, errors);
    return errors;
}

QueueingErrors check_workload_status_update(const Workload& now, const Workload& before) {
    QueueingErrors errors;
    check_schema(WorkloadStatus::info(), &now.status, kQueueingPackages, kWorkloadStatus, errors.definition);
    check_workload_status(now, &before, errors);
    return errors;
}

}  // namespace muster::api
