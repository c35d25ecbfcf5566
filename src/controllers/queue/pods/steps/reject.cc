#include "controllers/queue/pods/steps/reject.h"

#include "base/check.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

std::string explain_excess(const Standing& standing, std::size_t role) {
    if (!standing.driven) return "The group has more pods than its total count says";
    return "The group has more pods of the set \"" + standing.set(role).name.str() + "\" than it announced";
}

}  // namespace

Rejection decide_rejection(const Standing& standing) {
    Rejection out;
    out.roles = standing.roles;
    const bool holds = has_reservation(standing.workload.status);
    if (!holds && !standing.driven) return out;
    for (std::size_t i = 0; i < out.roles.size(); ++i) {
        Role& role = out.roles[i];
        for (std::size_t excess = role.excess(); excess > 0; --excess) {
            CHECK(!role.live.empty(), "more pods are too many than there are");
            const Member& member = standing.members[role.live.back()];
            role.live.pop_back();
            out.remove.push_back({member.pod, WhyRemoved::kRejected, explain_excess(standing, i), kExcess});
        }
    }
    for (const Member& member : standing.members)
        if (member.role < 0 && member.waits() && !(drives(*member.pod) && !holds))
            out.remove.push_back(
                {member.pod, WhyRemoved::kRejected, explain_no_role(*member.pod, standing.workload), kUnknownShape});
    return out;
}

}  // namespace muster::controllers::podqueue
