#include "controllers/queue/pods/steps/start.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

namespace names = api::kueue;
using api::core::Pod;

// A Workload that was made before its pods may have quota before they are all there; they start together.
bool waits_for_first_pods(const Standing& standing) {
    return standing.is_prebuilt() && !standing.driven && standing.absent() > 0 &&
           std::all_of(standing.members.begin(), standing.members.end(),
                       [](const Member& member) { return member.waits() || (member.gated && member.deleting); });
}

void remove_gates(Pod& pod) {
    auto& gates = pod.spec.scheduling_gates.edit();
    gates.erase(std::remove_if(gates.begin(), gates.end(),
                               [](const api::core::PodSchedulingGate& gate) {
                                   return gate.name == names::kAdmissionGate || gate.name == names::kTopologyGate;
                               }),
                gates.end());
    if (gates.empty()) pod.spec.scheduling_gates.reset();
}

// A worker is one of many, and so is a replacement among those that run with the group's quota. A pod that was there
// from the start cannot be left out.
void refuse_start(const Standing& standing, const Member& member, const std::string& why, Starting& out) {
    if (standing.driven || standing.some_run()) {
        out.remove.push_back({member.pod, WhyRemoved::kRejected, why, names::kFinishedFailedToStart});
        return;
    }
    out.notes.push_back({member.pod, true, names::kFinishedFailedToStart, why});
    out.ending = Ending{names::kFinishedFailedToStart, why};
}

void start_role(const Standing& standing, const Role& role, const PodSetStart& start, Starting& out) {
    std::int32_t room = role.room(standing.members);
    for (const std::size_t at : role.live) {
        if (room == 0) return;
        const Member& member = standing.members[at];
        if (!member.waits()) continue;
        --room;
        Pod draft = *member.pod;
        const Result<> injected = inject_start(start, draft.metadata, draft.spec);
        if (!injected.ok()) {
            refuse_start(standing, member, injected.error().message, out);
            continue;
        }
        remove_gates(draft);
        // A former Workload of this name may have removed the pod's finalizer. The pod's end counts for this one.
        if (!member.held && !is_suspended_by_parent(draft))
            draft.metadata.finalizers.edit().emplace_back(names::kPodFinalizer);
        out.start.push_back({member.pod, std::make_shared<const Pod>(std::move(draft))});
    }
}

}  // namespace

Starting decide_start(const Standing& standing) {
    Starting out;
    if (!is_admitted(standing.workload.status)) return out;
    const bool some_wait = std::any_of(standing.members.begin(), standing.members.end(),
                                       [](const Member& member) { return member.waits() && member.role >= 0; });
    if (!some_wait || waits_for_first_pods(standing)) return out;
    const auto starts = starts_of(standing.workload, standing.view.find_flavor);
    if (!starts.ok()) {
        out.notes.push_back({{}, true, names::kFinishedFailedToStart, starts.error().message});
        out.wake_at = standing.view.now + kLookAgain;
        return out;
    }
    for (std::size_t i = 0; i < standing.roles.size(); ++i)
        for (const PodSetStart& one : *starts)
            if (one.name == standing.set(i).name) start_role(standing, standing.roles[i], one, out);
    if (out.ending) out.start.clear();
    return out;
}

}  // namespace muster::controllers::podqueue
