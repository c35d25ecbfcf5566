#include "controllers/queue/pods/decide.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/owners.h"
#include "controllers/queue/pods/admitted.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

namespace names = api::kueue;
using api::kueue::Workload;

// How long a group may be incomplete before that is worth an event.
constexpr Duration kPatience = 10s;

// The Workload was created in advance for exactly these pods and has no controller yet.
bool is_prebuilt_for(const GroupView& view, const std::vector<Member>& members) {
    if (controller_of(view.workload->metadata)) return false;
    return std::all_of(members.begin(), members.end(), [&](const Member& one) {
        const Text prebuilt = prebuilt_of(one.pod->metadata);
        return !prebuilt.empty() && prebuilt == view.workload->metadata.name;
    });
}

// Made by us for a single pod, though its owner reference may be gone.
bool is_made_for(const Workload& workload, const Member& member) {
    return !controller_of(workload.metadata) &&
           value_under(workload.metadata.labels, names::kJobUidLabel) == member.pod->metadata.uid;
}

// A single pod that is being deleted is not made the owner again: it may be about to leave its Workload behind.
bool was_adopted(const GroupView& view, const std::vector<Member>& members) {
    const Workload& workload = *view.workload;
    if (!view.group.empty())
        return is_group_workload(workload) && (is_in_use(workload) || is_finished(workload.status));
    const OwnerUids owners(workload);
    return std::any_of(members.begin(), members.end(), [&](const Member& one) {
        return owners.contain(*one.pod) || (one.deleting && is_made_for(workload, one));
    });
}

// A Workload that only has the expected name belongs to another owner.
bool is_own(const GroupView& view, const std::vector<Member>& members) {
    if (view.group.empty() ? is_made_for(*view.workload, members.front()) : is_group_workload(*view.workload))
        return true;
    return was_adopted(view, members) || is_prebuilt_for(view, members);
}

GroupPlan decide_adoption(const GroupView& view, const std::vector<Member>& members) {
    GroupPlan plan;
    plan.adopt = true;
    for (const Member& member : members) plan.add_owners.push_back(owner_reference(*member.pod, view.group.empty()));
    return plan;
}

void release_lost(const GroupView& view, const std::vector<Member>& members, GroupPlan& plan) {
    for (const Member& member : members) {
        if (!member.held) continue;
        if (member.is_lost() || is_abandoned(member, view.now))
            plan.release.push_back(member.pod);
        else if (member.runs() && member.forced)
            wake_by(plan, given_up_at(*member.pod));
    }
}

GroupPlan decide_foreign(const GroupView& view, const std::vector<Member>& members) {
    GroupPlan plan;
    for (const Member& member : members) {
        if (!member.waits()) continue;
        plan.notes.push_back({member.pod, true, "WorkloadNameConflict",
                              "There is a Workload " + view.workload->metadata.name.str() +
                                  " that was not made for this; the pod waits until it is gone"});
        break;
    }
    // Deleting a pod that will never start must not hang.
    release_lost(view, members, plan);
    return plan;
}

// The Workload is being deleted. With a user's hand that ends the group; its quota is free when nothing runs any more.
// New pods under an old name are none of its.
GroupPlan decide_teardown(const GroupView& view, const std::vector<Member>& members) {
    GroupPlan plan;
    const OwnerUids owners(*view.workload);
    bool quiet = true;
    for (const Member& member : members) {
        if (!owners.contain(*member.pod) && (member.waits() || !member.held)) continue;
        if (!member.ended() && !member.deleting)
            plan.remove.push_back({member.pod, WhyRemoved::kStopped, "The Workload was deleted", "WorkloadDeleted"});
        if (is_awaited(member, view.now)) {
            quiet = false;
            if (member.deleting) wake_by(plan, given_up_at(*member.pod));
        } else if (member.held) {
            plan.release.push_back(member.pod);
        }
    }
    plan.release_workload = quiet && is_in_use(*view.workload);
    return plan;
}

GroupPlan decide_finished(const GroupView& view, const std::vector<Member>& members) {
    GroupPlan plan;
    const OwnerUids owners(*view.workload);
    const bool has_owner =
        std::any_of(members.begin(), members.end(), [&](const Member& member) { return owners.contain(*member.pod); });
    // A replacement may have come when it was no longer needed. What could not be started stays to be looked at.
    const api::meta::Condition* finished = find_condition(view.workload->status, names::kWorkloadFinished);
    const bool ended = !view.group.empty() && !(finished->reason == names::kFinishedFailedToStart) &&
                       !(finished->reason == names::kFinishedOutOfSync);
    for (const Member& member : members) {
        if (member.waits() && has_owner && (ended || !owners.contain(*member.pod))) {
            plan.remove.push_back({member.pod, WhyRemoved::kRejected,
                                   "The group has finished; a new one needs another name, or the old pods gone",
                                   kExcess});
            if (member.held) plan.release.push_back(member.pod);
        } else if (member.held && !(member.waits() && !has_owner)) {
            plan.release.push_back(member.pod);
        }
    }
    plan.release_workload = is_in_use(*view.workload);
    // The garbage collector deletes the Workload when its owners are gone, and the new pods get another. Without owner
    // references it would stay, and the new pods would wait for ever.
    plan.remove_workload = !view.group.empty() && view.workload->metadata.owner_references.empty() &&
                           std::any_of(members.begin(), members.end(), [](const Member& member) {
                               return member.waits() && prebuilt_of(member.pod->metadata).empty();
                           });
    return plan;
}

// A label that all have alike, or that only some have.
void copy_labels(const std::vector<Text>& keys, const std::vector<Member>& members, Workload& draft) {
    for (const Text& key : keys) {
        const Text* value = nullptr;
        bool alike = true;
        for (const Member& member : members) {
            const Text* other = member.pod->metadata.labels.find(key);
            alike &= !other || !value || *other == *value;
            if (other) value = other;
        }
        if (value && alike) draft.metadata.labels.set(key, *value);
    }
}

GroupPlan decide_new(const GroupView& view, const std::vector<Member>& members) {
    GroupPlan plan;
    release_lost(view, members, plan);
    std::vector<Member> waiting;
    bool some_run = false;
    for (const Member& member : members) {
        if (member.waits()) waiting.push_back(member);
        // Its Workload is gone, so its success no longer counts.
        if (member.succeeded && member.held) plan.release.push_back(member.pod);
        some_run |= member.runs();
        if (member.runs() && !member.deleting) {
            plan.confirm_no_workload = true;
            plan.remove.push_back(
                {member.pod, WhyRemoved::kStopped, "There is no Workload for this pod", "NoWorkload"});
        }
    }
    if (waiting.empty() || some_run) return plan;
    if (const Text prebuilt = prebuilt_of(waiting.front().pod->metadata); !prebuilt.empty()) {
        plan.notes.push_back({waiting.front().pod, true, "PrebuiltWorkloadNotFound",
                              "The Workload " + prebuilt.str() + " that the pod names is not there"});
        return plan;
    }
    Composed composed = compose_workload(view.group, waiting, view.find_priority);
    if (!composed.complaint.empty()) {
        plan.notes.push_back({composed.about, true, composed.reason, composed.complaint});
        plan.wake_at = view.now + kPatience;  // a class that is missing may come
        return plan;
    }
    if (!composed.missing.empty()) {
        const Instant since = waiting.back().pod->metadata.creation_timestamp.instant();
        if (view.now < since + kPatience)
            plan.wake_at = since + kPatience;
        else
            plan.notes.push_back({composed.about, false, "WaitingForPods", composed.missing});
        return plan;
    }
    for (const PodRef& pod : composed.excess) {
        plan.remove.push_back(
            {pod, WhyRemoved::kRejected, "The group has more pods than its total count says", kExcess});
        plan.release.push_back(pod);
    }
    if (view.labels_to_copy) copy_labels(*view.labels_to_copy, waiting, *composed.draft);
    plan.create = std::move(composed.draft);
    return plan;
}

}  // namespace

GroupPlan decide_group(const GroupView& view) {
    std::vector<Member> members = sort_members(view.pods, view.workload);
    if (!view.workload) return decide_new(view, members);
    if (!members.empty() && !is_own(view, members)) return decide_foreign(view, members);
    if (view.workload->metadata.deletion_timestamp) return decide_teardown(view, members);
    if (!members.empty() && !was_adopted(view, members)) return decide_adoption(view, members);
    if (is_finished(view.workload->status)) return decide_finished(view, members);
    return decide_with_workload(view, std::move(members));
}

}  // namespace muster::controllers::podqueue
