#include "controllers/queue/pods/group/compose.h"

#include <algorithm>
#include <map>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/owners.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/pods/group/roles.h"
#include "controllers/queue/pods/group/sets.h"
#include "controllers/queue/pods/group/shape.h"
#include "controllers/queue/workload/queued_metadata.h"

namespace muster::controllers::podqueue {
namespace {

namespace names = api::kueue;
using api::core::Pod;
using api::kueue::PodSet;
using api::kueue::Workload;

Composed complain(const PodRef& about, std::string what) {
    Composed composed;
    composed.complaint = std::move(what);
    composed.about = about;
    return composed;
}

const Text* annotation(const Pod& pod, const char* key) { return pod.metadata.annotations.find(key); }

std::string quoted(const Text& text) { return '"' + text.str() + '"'; }

// The first that says another thing under the key than the oldest that says anything, and what that is.
struct Disagreement {
    PodRef pod;
    std::string what;
};
template <class ValueOf>
std::optional<Disagreement> find_disagreement(const std::vector<Member>& waiting, const char* key, ValueOf value_of) {
    const PodRef& first = waiting.front().pod;
    for (const Member& member : waiting)
        if (!(value_of(*member.pod) == value_of(*first)))
            return Disagreement{member.pod, std::string(key) + " is " + quoted(value_of(*member.pod)) + " here and " +
                                                quoted(value_of(*first)) + " in pod " + first->metadata.name.str() +
                                                " of the same group"};
    return std::nullopt;
}

PodSet set_of(const std::string& name, const Pod& pod, std::int32_t count) {
    PodSet set;
    set.name = name;
    set.count = count;
    set.template_.spec = pod.spec;
    // The gate is the pod's affair, not its shape's.
    set.template_.spec.scheduling_gates.reset();
    set.template_.spec.node_name = Text();
    return set;
}

// One set for each shape, by name.
std::vector<PodSet> sets_by_shape(const std::vector<Member>& members) {
    std::vector<PodSet> sets;
    for (const Member& member : members) {
        const auto known = std::find_if(sets.begin(), sets.end(), [&](const PodSet& set) {
            return same_shape(set.template_.spec, member.pod->spec);
        });
        if (known != sets.end())
            ++known->count;
        else
            sets.push_back(set_of(role_hash(member.pod->spec), *member.pod, 1));
    }
    std::sort(sets.begin(), sets.end(), [](const PodSet& a, const PodSet& b) { return a.name.view() < b.name.view(); });
    return sets;
}

// Priority: of the workload's class if one is named, else the pod's own.
std::string set_priority(Workload& draft, const Pod& pod, const FindPriority& find_priority) {
    const Text named = value_under(pod.metadata.labels, names::kPriorityClassLabel);
    api::kueue::PriorityClassRef reference;
    if (!named.empty()) {
        const std::optional<std::int32_t> value = find_priority(named);
        if (!value) return "there is no WorkloadPriorityClass " + quoted(named);
        reference.group = names::kWorkloadPriorityClassGroup;
        reference.kind = names::kWorkloadPriorityClassKind;
        reference.name = named;
        draft.spec.priority = *value;
    } else {
        draft.spec.priority = pod.spec.priority.value_or(0);
        if (pod.spec.priority_class_name.empty()) return {};
        reference.group = names::kPodPriorityClassGroup;
        reference.kind = names::kPodPriorityClassKind;
        reference.name = pod.spec.priority_class_name;
    }
    draft.spec.priority_class_ref = std::move(reference);
    return {};
}

Composed finish_draft(Workload draft, const Text& group, const std::vector<Member>& members,
                      const FindPriority& find_priority) {
    const PodRef& first = members.front().pod;
    draft.metadata.namespace_ = first->metadata.namespace_;
    for (PodSet& set : draft.spec.pod_sets.edit()) keep_last_variables(set.template_.spec);
    draft.metadata.finalizers.edit().push_back(names::kResourceInUseFinalizer);
    draft.spec.queue_name = queue_of(*first);
    draft.spec.active = true;
    draft.spec.maximum_execution_time_seconds = max_execution_seconds(first->metadata);
    if (std::string why = set_priority(draft, *first, find_priority); !why.empty()) {
        Composed composed = complain(first, std::move(why));
        composed.reason = "WorkloadPriorityClassNotFound";
        return composed;
    }
    if (group.empty()) {
        draft.metadata.name = single_workload_name(*first);
        draft.metadata.labels.set(names::kJobUidLabel, first->metadata.uid);
    } else {
        draft.metadata.name = group;
        draft.metadata.annotations.set(names::kIsGroupWorkloadAnnotation, names::kTrue);
        // Stored in the Workload, as the pod that has the annotation may be gone while other pods of the group run.
        if (std::any_of(members.begin(), members.end(), [](const Member& member) { return serves(*member.pod); }))
            draft.metadata.annotations.set(names::kPodGroupServingAnnotation, names::kTrue);
    }
    if (const Text gates = gates_of(first->metadata); !gates.empty())
        draft.metadata.annotations.set(names::kAdmissionGatedByAnnotation, gates);
    auto& owners = draft.metadata.owner_references.edit();
    for (const Member& member : members) owners.push_back(owner_reference(*member.pod, group.empty()));
    Composed composed;
    composed.draft = std::move(draft);
    return composed;
}

// The driver brings the sets; its workers come when it runs.
Composed compose_driven(const Text& group, const std::vector<Member>& waiting, const Member& driver,
                        const FindPriority& find_priority) {
    const Text& text = *annotation(*driver.pod, names::kPodGroupSetsAnnotation);
    for (const Member& member : waiting) {
        const Text* other = annotation(*member.pod, names::kPodGroupSetsAnnotation);
        if (other && !(*other == text))
            return complain(member.pod, std::string(names::kPodGroupSetsAnnotation) + " differs from that of pod " +
                                            driver.pod->metadata.name.str() + " of the same group");
    }
    const auto parsed = parse_group_sets(text);
    if (!parsed.ok())
        return complain(driver.pod, std::string("metadata.annotations[") + names::kPodGroupSetsAnnotation +
                                        "]: " + parsed.error().message);
    Workload draft;
    draft.spec.pod_sets = fill_group_sets(*parsed, set_of("", *driver.pod, 1).template_.spec);
    draft.metadata.annotations.set(names::kPodGroupSetsAnnotation, names::kTrue);
    if (find_roles(*driver.pod, draft).empty())
        return complain(driver.pod, std::string("none of the sets in ") + names::kPodGroupSetsAnnotation +
                                        " is this pod: leave out the template of its own set");
    std::vector<Member> owners;
    for (const Member& member : waiting)
        if (drives(*member.pod)) owners.push_back(member);
    return finish_draft(std::move(draft), group, owners, find_priority);
}

void keep_last_variables_of(List<api::core::Container>& containers) {
    for (std::size_t at = 0; at < containers.size(); ++at) {
        std::map<std::string_view, const api::core::EnvVar*> last;
        for (const api::core::EnvVar& variable : containers[at].env) last[variable.name.view()] = &variable;
        if (last.size() == containers[at].env.size()) continue;
        std::vector<api::core::EnvVar> kept;
        for (const api::core::EnvVar& variable : containers[at].env) {
            const auto found = last.find(variable.name.view());
            if (found == last.end()) continue;
            kept.push_back(*found->second);
            last.erase(found);
        }
        containers.edit()[at].env = List<api::core::EnvVar>(std::move(kept));
    }
}

}  // namespace

void keep_last_variables(api::core::PodSpec& spec) {
    keep_last_variables_of(spec.init_containers);
    keep_last_variables_of(spec.containers);
}

Composed compose_workload(const Text& group, const std::vector<Member>& waiting, const FindPriority& find_priority) {
    const PodRef& first = waiting.front().pod;
    if (group.empty()) {
        Workload draft;
        draft.spec.pod_sets = {set_of(names::kDefaultPodSetName, *first, 1)};
        return finish_draft(std::move(draft), group, {waiting.front()}, find_priority);
    }
    if (const auto differs = find_disagreement(waiting, names::kQueueNameLabel, queue_of))
        return complain(differs->pod, differs->what);
    for (const Member& member : waiting)
        if (drives(*member.pod)) return compose_driven(group, waiting, member, find_priority);

    const auto total_text = [](const Pod& pod) {
        return value_under(pod.metadata.annotations, names::kPodGroupTotalCountAnnotation);
    };
    if (const auto differs = find_disagreement(waiting, names::kPodGroupTotalCountAnnotation, total_text))
        return complain(differs->pod, differs->what);
    const auto priority_text = [](const Pod& pod) {
        return value_under(pod.metadata.labels, names::kPriorityClassLabel);
    };
    if (const auto differs = find_disagreement(waiting, names::kPriorityClassLabel, priority_text))
        return complain(differs->pod, differs->what);
    const std::int64_t total = parse_whole(total_text(*first)).value_or(0);
    if (total < 1 || total > INT32_MAX)
        return complain(first, std::string("the group's size is not known: ") + names::kPodGroupTotalCountAnnotation +
                                   " is " + quoted(total_text(*first)) + ", and no pod has " +
                                   names::kPodGroupSetsAnnotation);
    const bool fast = value_under(first->metadata.annotations, names::kPodGroupFastAdmissionAnnotation) == names::kTrue;
    const auto present = static_cast<std::int64_t>(waiting.size());
    if (present < total && !fast) {
        Composed composed;
        composed.missing = "The group " + group.str() + " has " + std::to_string(present) + " of " +
                           std::to_string(total) + " pods; it waits for the others";
        composed.about = first;
        return composed;
    }
    const std::size_t kept_count = static_cast<std::size_t>(std::min(present, total));
    const std::vector<Member> kept(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(kept_count));
    std::vector<PodSet> sets = sets_by_shape(kept);
    if (sets.size() > kRolesMax)
        return complain(first, "The group " + group.str() + " has pods of " + std::to_string(sets.size()) +
                                   " different shapes; at most " + std::to_string(kRolesMax) + " are allowed");
    // Those that are still to come are taken to be like the oldest.
    if (present < total)
        for (PodSet& set : sets)
            if (same_shape(set.template_.spec, first->spec)) set.count += static_cast<std::int32_t>(total - present);
    Workload draft;
    draft.spec.pod_sets = List<PodSet>(std::move(sets));
    Composed composed = finish_draft(std::move(draft), group, kept, find_priority);
    for (std::size_t i = waiting.size(); i > kept_count; --i) composed.excess.push_back(waiting[i - 1].pod);
    return composed;
}

bool drives(const Pod& pod) { return pod.metadata.annotations.contains(names::kPodGroupSetsAnnotation); }

bool is_driven(const Workload& workload) {
    return workload.metadata.annotations.contains(names::kPodGroupSetsAnnotation);
}

bool serves(const Pod& pod) {
    return value_under(pod.metadata.annotations, names::kPodGroupServingAnnotation) == names::kTrue;
}

bool is_serving(const Workload& workload) {
    return value_under(workload.metadata.annotations, names::kPodGroupServingAnnotation) == names::kTrue;
}

bool is_group_workload(const Workload& workload) {
    return value_under(workload.metadata.annotations, names::kIsGroupWorkloadAnnotation) == names::kTrue;
}

Text single_workload_name(const Pod& pod) {
    Text prebuilt = prebuilt_of(pod.metadata);
    if (!prebuilt.empty()) return prebuilt;
    return workload_name_for("Pod", "", pod.metadata.name.view(), pod.metadata.uid.view());
}

OwnerUids::OwnerUids(const Workload& workload) {
    for (const api::meta::OwnerReference& owner : workload.metadata.owner_references) uids_.insert(owner.uid.view());
}

api::meta::OwnerReference owner_reference(const Pod& pod, bool controller) {
    return controller ? controller_reference(kPodOwner, pod.metadata)
                      : controllers::owner_reference(kPodOwner, pod.metadata);
}

}  // namespace muster::controllers::podqueue
