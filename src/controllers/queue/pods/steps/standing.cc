#include "controllers/queue/pods/steps/standing.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "base/check.h"
#include "base/saturate.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

// Drops pods that have succeeded and have no finalizer: they belong to a former Workload of this name.
std::vector<Member> without_former(std::vector<Member> members, bool grouped) {
    if (grouped) std::erase_if(members, [](const Member& member) { return member.succeeded && !member.held; });
    return members;
}

// A single pod is its Workload's only set, whatever its spec has become.
std::vector<Role> survey_single(std::vector<Member>& members) {
    std::vector<Role> roles(1);
    roles[0].count = 1;
    for (std::size_t i = 0; i < members.size(); ++i) {
        Member& member = members[i];
        member.role = 0;
        if (member.succeeded)
            ++roles[0].succeeded;
        else if (member.failed)
            roles[0].failed.push_back(i);
        else if (!member.deleting)
            roles[0].live.push_back(i);
        else if (member.runs())
            ++roles[0].ending;
    }
    return roles;
}

}  // namespace

Standing survey_group(const GroupView& view, std::vector<Member> members) {
    CHECK(view.workload, "a group without a Workload");
    const bool grouped = !view.group.empty();
    Standing out{view, *view.workload, without_former(std::move(members), grouped), {}};
    out.roles = grouped ? survey_roles(out.members, out.workload) : survey_single(out.members);
    CHECK(!grouped || out.roles.size() == out.workload.spec.pod_sets.size(), "a role for each set");
    out.driven = is_driven(out.workload);
    out.serving = grouped && is_serving(out.workload);
    for (const Member& member : out.members) {
        const api::core::Pod& pod = *member.pod;
        out.serving |= grouped && serves(pod);
        out.fast |=
            value_under(pod.metadata.annotations, api::kueue::kPodGroupFastAdmissionAnnotation) == api::kueue::kTrue;
        out.unended += member.ended() || member.is_lost() ? 0 : 1;
    }
    return out;
}

bool Standing::some_run() const {
    return std::any_of(members.begin(), members.end(), [](const Member& member) { return member.runs(); });
}

bool Standing::is_prebuilt() const { return !members.empty() && !prebuilt_of(members.front().pod->metadata).empty(); }

std::int32_t Standing::absent() const {
    if (driven) return has_driver() ? 0 : 1;
    std::int32_t sum = 0;
    bool some = false;
    for (const Role& role : roles) {
        sum = add_sat(sum, role.absent());
        some |= role.absent() < role.count;
    }
    // Of a group that grows, one is enough.
    return fast && some ? 0 : sum;
}

bool Standing::has_driver() const {
    const bool restarts = is_evicted(workload.status) && !has_reservation(workload.status);
    return std::any_of(members.begin(), members.end(), [&](const Member& member) {
        if (!drives(*member.pod) || is_rejected(member)) return false;
        if (member.succeeded) return !(restarts && member.deleting);
        return !member.failed && (!member.deleting || member.runs());
    });
}

Ending owner_not_found() { return {reason_of(Word::kOwnerNotFound), say(Word::kOwnerNotFound)}; }

}  // namespace muster::controllers::podqueue
