#include "controllers/queue/pods/group/gate.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/group/sets.h"
#include "controllers/queue/pods/group/shape.h"
#include "controllers/queue/workload/queued_metadata.h"

namespace muster::controllers::podqueue {
namespace {

namespace names = api::kueue;
using api::FieldErrors;
using api::FieldPath;
using api::core::Pod;

constexpr std::int64_t kGroupMax = 1'000'000;

bool is_suspended(const Pod& pod) { return is_gated(pod) || api::core::has_ended(pod); }

bool is_labelled_managed(const Pod& pod) {
    return value_under(pod.metadata.labels, names::kManagedLabel) == names::kTrue;
}

FieldPath group_path(const Pod& pod) {
    const bool annotated = !value_under(pod.metadata.annotations, names::kPodGroupName).empty();
    return annotated ? annotation_path(names::kPodGroupName) : label_path(names::kPodGroupName);
}

// A pod says how large its group is, or what sets it has, or that it belongs to one that has been announced.
void check_group_size(const Pod& pod, const PodSurroundings& around, FieldErrors& errors) {
    const Map<Text>& annotations = pod.metadata.annotations;
    const Text* total = annotations.find(names::kPodGroupTotalCountAnnotation);
    const Text* sets = annotations.find(names::kPodGroupSetsAnnotation);
    const FieldPath total_path = annotation_path(names::kPodGroupTotalCountAnnotation);
    const std::int64_t count = total ? parse_whole(*total).value_or(0) : 0;
    if (total && (count < 1 || count > kGroupMax))
        errors.add_invalid(total_path, *total, "must be a whole number of pods, 1 or more");
    if (!total && !sets && !around.driven_group && group_role_of(pod).empty())
        errors.add_required(total_path, std::string("a pod of a group must say its size, or ") +
                                            names::kPodGroupSetsAnnotation + " its sets");
    if (!sets) return;
    const FieldPath sets_path = annotation_path(names::kPodGroupSetsAnnotation);
    const auto parsed = parse_group_sets(*sets);
    if (!parsed.ok()) return errors.add_invalid(sets_path, *sets, parsed.error().message);
    if (total && count != count_pods(*parsed))
        errors.add_invalid(total_path, *total,
                           "must be the number of pods in " + std::string(names::kPodGroupSetsAnnotation) + ", " +
                               std::to_string(count_pods(*parsed)));
}

void check_group(const Pod& pod, const PodSurroundings& around, FieldErrors& errors) {
    const Text group = group_of(pod);
    const Map<Text>& annotations = pod.metadata.annotations;
    if (!group.empty()) {
        errors.add_problems(group_path(pod), group, api::is_dns1123_subdomain(group));
        check_group_size(pod, around, errors);
    } else {
        for (const char* key : {names::kPodGroupTotalCountAnnotation, names::kPodGroupSetsAnnotation})
            if (annotations.contains(key))
                errors.add_required(label_path(names::kPodGroupName), std::string("needed by ") + key);
    }
    if (const Text prebuilt = prebuilt_of(pod.metadata); !prebuilt.empty() && !group.empty() && !(prebuilt == group))
        errors.add_invalid(prebuilt_path(pod.metadata), prebuilt, "must be the name of the pod's group");
    if (const Text* index = pod.metadata.labels.find(names::kPodGroupPodIndexLabel)) {
        const std::int64_t number = parse_whole(*index).value_or(-1);
        const Text total = value_under(annotations, names::kPodGroupTotalCountAnnotation);
        if (number < 0 || number >= parse_whole(total).value_or(kGroupMax))
            errors.add_invalid(label_path(names::kPodGroupPodIndexLabel), *index,
                               "must be a whole number from 0 to one less than the size of the group");
    }
}

void check_same(const FieldPath& path, const Text& now, const Text& before, FieldErrors& errors) {
    if (!(now == before)) errors.add_invalid(path, now, api::kImmutableSentence);
}

}  // namespace

Text group_of(const Pod& pod) {
    Text annotated = value_under(pod.metadata.annotations, names::kPodGroupName);
    return annotated.empty() ? value_under(pod.metadata.labels, names::kPodGroupName) : annotated;
}

Text queue_of(const Pod& pod) { return queue_name_of(pod.metadata); }

Text group_role_of(const Pod& pod) {
    Text annotated = value_under(pod.metadata.annotations, names::kPodGroupRoleAnnotation);
    return annotated.empty() ? value_under(pod.metadata.labels, names::kPodGroupRoleAnnotation) : annotated;
}

bool is_managed(const Pod& pod) {
    const Map<Text>& annotations = pod.metadata.annotations;
    return is_labelled_managed(pod) && (annotations.contains(names::kRoleHashAnnotation) ||
                                        value_under(annotations, names::kQueuedAnnotation) == names::kTrue);
}

bool is_gated(const Pod& pod) {
    return std::any_of(pod.spec.scheduling_gates.begin(), pod.spec.scheduling_gates.end(),
                       [](const api::core::PodSchedulingGate& gate) { return gate.name == names::kAdmissionGate; });
}

bool speaks_of_queueing(const Pod& pod) {
    return !queue_of(pod).empty() || pod.metadata.labels.contains(names::kManagedLabel) || !group_of(pod).empty() ||
           pod.metadata.annotations.contains(names::kPodGroupTotalCountAnnotation) ||
           pod.metadata.annotations.contains(names::kPodGroupSetsAnnotation);
}

bool is_held(const Pod& pod) {
    const List<Text>& finalizers = pod.metadata.finalizers;
    return std::find(finalizers.begin(), finalizers.end(), Text(names::kPodFinalizer)) != finalizers.end();
}

bool is_unretriable(const Pod& pod) {
    return value_under(pod.metadata.annotations, names::kRetriableInGroupAnnotation) == names::kFalse;
}

bool is_subject(const Pod& pod, const QueueConfiguration& configuration, const PodSurroundings& around) {
    if (!covers_pod(configuration, pod.metadata.namespace_, around.namespace_labels, pod.metadata.labels)) return false;
    if (around.managed_owner) return false;
    return !queue_of(pod).empty() || around.default_queue || configuration.manage_jobs_without_queue_name;
}

bool is_suspended_by_parent(const Pod& pod) {
    return pod.metadata.annotations.contains(names::kSuspendingParentAnnotation);
}

void gate_pod(Pod& pod) {
    if (!is_gated(pod)) {
        api::core::PodSchedulingGate gate;
        gate.name = names::kAdmissionGate;
        pod.spec.scheduling_gates.edit().push_back(std::move(gate));
    }
    pod.metadata.annotations.set(names::kRoleHashAnnotation, role_hash(pod.spec));
}

void admit_pod(Pod& pod, const PodSurroundings& around) {
    Map<Text>& labels = pod.metadata.labels;
    if (queue_of(pod).empty() && around.default_queue)
        labels.set(names::kQueueNameLabel, names::kDefaultLocalQueueName);
    labels.set(names::kManagedLabel, names::kTrue);
    if (const Text* other = pod.metadata.annotations.find(names::kPodGroupPodIndexLabelAnnotation))
        if (const Text* index = labels.find(*other)) labels.set(names::kPodGroupPodIndexLabel, Text(*index));
    if (around.default_class && !labels.contains(names::kPriorityClassLabel))
        labels.set(names::kPriorityClassLabel, kDefaultPriorityClass);
    if (!is_held(pod)) pod.metadata.finalizers.edit().push_back(names::kPodFinalizer);
    gate_pod(pod);
}

FieldErrors check_pod(const Pod& pod, const PodSurroundings& around) {
    FieldErrors errors;
    if (!speaks_of_queueing(pod)) return errors;
    check_queued_metadata(pod.metadata, errors);
    if (const Text* managed = pod.metadata.labels.find(names::kManagedLabel); managed && !(*managed == names::kTrue))
        errors.add_forbidden(label_path(names::kManagedLabel), "can only be \"true\"");
    check_group(pod, around, errors);
    check_no_topology(pod.metadata, FieldPath("metadata").child("annotations"), errors);
    return errors;
}

FieldErrors check_pod_update(const Pod& now, const Pod& before, const PodSurroundings& around) {
    // What is to be let go must not be held back by what it once said.
    if (now.metadata.deletion_timestamp) return {};
    FieldErrors errors = check_pod(now, around);
    if (!is_managed(before)) {
        if (is_managed(now) || (is_labelled_managed(now) && !is_labelled_managed(before)))
            errors.add_forbidden(label_path(names::kManagedLabel),
                                 "only pods that are created can be put into a queue");
        return errors;
    }
    check_queued_metadata_update(now.metadata, before.metadata, is_suspended(now), is_suspended(before),
                                 around.default_queue, errors);
    if (!is_labelled_managed(now)) errors.add_invalid(label_path(names::kManagedLabel), "", api::kImmutableSentence);
    // A group can be joined by who waits, and not be left.
    if (!group_of(before).empty() || !is_gated(now))
        check_same(group_path(now), group_of(now), group_of(before), errors);
    for (const char* key : {names::kRoleHashAnnotation, names::kQueuedAnnotation})
        check_same(annotation_path(key), value_under(now.metadata.annotations, key),
                   value_under(before.metadata.annotations, key), errors);
    if (is_unretriable(before) && !is_unretriable(now))
        errors.add_forbidden(annotation_path(names::kRetriableInGroupAnnotation),
                             "a group that may not be retried stays so");
    return errors;
}

}  // namespace muster::controllers::podqueue
