#include "controllers/queue/pods/steps/mend.h"

#include <algorithm>

#include "api/defaults/pod.h"
#include "api/kinds/kueue/kueue_names.h"
#include "base/check.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/shape.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

namespace names = api::kueue;
using api::kueue::PodSet;
using api::kueue::Workload;
using api::kueue::WorkloadSpec;

// Another class moves the workload among those that may be preempted; one cannot be added now. The class is asked for
// its value only then: later it may mean another, and those that are there keep what they have.
void mend_priority(const Standing& standing, WorkloadSpec& spec) {
    const auto& reference = standing.workload.spec.priority_class_ref;
    if (!reference || !(reference->kind == names::kWorkloadPriorityClassKind)) return;
    const Text named = value_under(standing.members.front().pod->metadata.labels, names::kPriorityClassLabel);
    if (named.empty() || named == reference->name) return;
    const std::optional<std::int32_t> value = standing.view.find_priority(named);
    if (!value) return;
    spec.priority = *value;
    spec.priority_class_ref.edit().name = named;
}

// With quota: the class of its priority, and until it is admitted how long it may run.
Mending mend_reserved(const Standing& standing) {
    Mending out;
    WorkloadSpec spec = standing.workload.spec;
    mend_priority(standing, spec);
    const Member& first = standing.members.front();
    if (!is_admitted(standing.workload.status) && first.waits())
        spec.maximum_execution_time_seconds = max_execution_seconds(first.pod->metadata);
    if (!(spec == standing.workload.spec)) out.spec = std::move(spec);
    return out;
}

// A part of the group is done, so its sets stay as they are, and pods of no set will not be let through.
Mending tell_strangers(const Standing& standing) {
    Mending out;
    for (const Member& member : standing.members)
        if (member.role < 0 && member.waits() && !standing.is_rejected(member))
            out.notes.push_back({member.pod, true, kNoSet, explain_no_role(*member.pod, standing.workload)});
    return out;
}

// What a driver announces is written by hand, and a server may have filled it in since.
bool same_template(const PodSet& a, const PodSet& b, bool driven) {
    if (!driven) return same_shape(a.template_.spec, b.template_.spec);
    api::core::PodTemplateSpec left = a.template_;
    api::core::PodTemplateSpec right = b.template_;
    api::default_pod_template(left);
    api::default_pod_template(right);
    return same_shape(left.spec, right.spec);
}

bool shapes_changed(const Standing& standing, const Workload& draft) {
    const auto& old = standing.workload.spec.pod_sets;
    const auto& now = draft.spec.pod_sets;
    return !std::equal(old.begin(), old.end(), now.begin(), now.end(), [&](const PodSet& a, const PodSet& b) {
        return a.name == b.name && a.count == b.count && same_template(a, b, standing.driven);
    });
}

// Whether what was made beforehand is for these pods, whatever its sets are called.
bool agrees(const Workload& made, const Workload& draft) {
    const auto& sets = made.spec.pod_sets;
    const auto& asked = draft.spec.pod_sets;
    return sets.size() == asked.size() && std::all_of(asked.begin(), asked.end(), [&](const PodSet& wanted) {
               return std::any_of(sets.begin(), sets.end(), [&](const PodSet& set) {
                   return set.count == wanted.count && (same_shape(wanted.template_.spec, set.template_.spec) ||
                                                        is_described_by(wanted.template_.spec, set.template_.spec));
               });
           });
}

Composed compose_again(const Standing& standing, const std::vector<Member>& waiting) {
    // A class that is gone was worth something when the Workload got it.
    const FindPriority find_priority = [&standing](const Text& name) {
        const WorkloadSpec& spec = standing.workload.spec;
        const bool has_it = spec.priority_class_ref &&
                            spec.priority_class_ref->kind == names::kWorkloadPriorityClassKind &&
                            spec.priority_class_ref->name == name;
        const auto value = standing.view.find_priority(name);
        return value || !has_it ? value : spec.priority;
    };
    return compose_workload(standing.view.group, waiting, find_priority);
}

WorkloadSpec mended_spec(const Standing& standing, const Workload& draft) {
    WorkloadSpec spec = standing.workload.spec;
    spec.queue_name = draft.spec.queue_name;
    // A class that means another value now means it for those that come later.
    if (!(spec.priority_class_ref == draft.spec.priority_class_ref)) {
        spec.priority = draft.spec.priority;
        spec.priority_class_ref = draft.spec.priority_class_ref;
    }
    spec.maximum_execution_time_seconds = draft.spec.maximum_execution_time_seconds;
    if (standing.driven == is_driven(draft) && shapes_changed(standing, draft)) spec.pod_sets = draft.spec.pod_sets;
    return spec;
}

Mending mend_by_pods(const Standing& standing, const std::vector<Member>& waiting) {
    Mending out;
    const Composed composed = compose_again(standing, waiting);
    if (!composed.complaint.empty()) {
        out.notes.push_back({composed.about, true, composed.reason, composed.complaint});
        wake_by(out.wake_at, standing.view.now + kLookAgain);
    }
    if (!has_reservation(standing.workload.status)) out.missing = composed.complaint + composed.missing;
    if (!composed.missing.empty() && !out.missing.empty() && standing.absent() == 0)
        out.notes.push_back({composed.about, false, "WaitingForPods", out.missing});
    if (!composed.draft) return out;
    if (standing.is_prebuilt()) {
        if (!standing.driven && !agrees(standing.workload, *composed.draft))
            out.ending = Ending{names::kFinishedOutOfSync, "The Workload was made for other pods than these"};
        return out;
    }
    for (const PodRef& pod : composed.excess)
        out.remove.push_back(
            {pod, WhyRemoved::kRejected, "The group has more pods than its total count says", kExcess});
    WorkloadSpec spec = mended_spec(standing, *composed.draft);
    if (!(spec == standing.workload.spec)) out.spec = std::move(spec);
    return out;
}

}  // namespace

Mending decide_mending(const Standing& standing) {
    CHECK(!standing.members.empty(), "nothing to mend a Workload by");
    if (has_reservation(standing.workload.status) && !standing.is_prebuilt()) return mend_reserved(standing);
    if (standing.serving) return {};
    std::vector<Member> waiting;
    for (const Member& member : standing.members) {
        if (member.succeeded || member.runs()) return tell_strangers(standing);
        if (member.waits() && !standing.is_rejected(member)) waiting.push_back(member);
    }
    if (waiting.empty()) return {};
    // Workers alone say nothing of their group.
    if (standing.driven &&
        std::none_of(waiting.begin(), waiting.end(), [](const Member& member) { return drives(*member.pod); }))
        return {};
    return mend_by_pods(standing, waiting);
}

std::optional<Text> decide_gates(const Standing& standing) {
    if (has_reservation(standing.workload.status)) return std::nullopt;
    for (const Member& member : standing.members) {
        if (!member.waits() || standing.is_rejected(member)) continue;
        const Text gates = gates_of(member.pod->metadata);
        if (prebuilt_of(member.pod->metadata).empty() && !(gates == gates_of(standing.workload.metadata))) return gates;
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace muster::controllers::podqueue
