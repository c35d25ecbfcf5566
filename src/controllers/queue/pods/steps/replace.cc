#include "controllers/queue/pods/steps/replace.h"

#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"

namespace muster::controllers::podqueue {

Replacement decide_replacement(const Standing& standing) {
    Replacement out;
    if (!standing.is_group()) return out;
    const OwnerUids owners(standing.workload);
    for (const Member& member : standing.members) {
        if (member.role < 0 || member.deleting || member.is_lost() || standing.is_rejected(member)) continue;
        if (!owners.contain(*member.pod)) out.add_owners.push_back(owner_reference(*member.pod, false));
    }
    for (const Role& role : standing.roles)
        for (std::size_t i = 0; i < role.replaced(); ++i) {
            const Member& member = standing.members[role.failed[i]];
            if (member.held && !is_unretriable(*member.pod)) out.release.push_back(member.pod);
        }
    return out;
}

}  // namespace muster::controllers::podqueue
