#include "controllers/garbage/decide.h"

#include <algorithm>

#include "base/check.h"

namespace muster::controllers {

using api::meta::ObjectMeta;
using api::meta::OwnerReference;

bool has_finalizer(const ObjectMeta& metadata, std::string_view finalizer) {
    return std::any_of(metadata.finalizers.begin(), metadata.finalizers.end(),
                       [&](const Text& held) { return held == finalizer; });
}

OwnerStanding standing_of(const ObjectMeta& owner) {
    const bool waits = owner.deletion_timestamp && has_finalizer(owner, kDeleteDependents);
    return waits ? OwnerStanding::kWaiting : OwnerStanding::kSolid;
}

DependentPlan decide_dependent(const DependentView& view) {
    const auto& owners = view.latest.owner_references;
    CHECK(owners.size() == view.standings.size());
    DependentPlan plan;
    if (owners.empty() || view.latest.deletion_timestamp) return plan;
    const auto any = [&](OwnerStanding standing) {
        return std::find(view.standings.begin(), view.standings.end(), standing) != view.standings.end();
    };
    if (any(OwnerStanding::kSolid)) {
        for (std::size_t i = 0; i < owners.size(); ++i)
            if (view.standings[i] != OwnerStanding::kSolid) plan.drop_owners.push_back(owners[i].uid);
        return plan;
    }
    if (any(OwnerStanding::kWaiting) && view.has_dependents) {
        plan.unblock_owners = view.has_waiting_dependent;
        plan.remove = client::Propagation::kForeground;
    } else if (has_finalizer(view.latest, kOrphanDependents)) {
        plan.remove = client::Propagation::kOrphan;
    } else if (has_finalizer(view.latest, kDeleteDependents)) {
        plan.remove = client::Propagation::kForeground;
    } else {
        plan.remove = client::Propagation::kBackground;
    }
    return plan;
}

WaitingPlan decide_waiting(const WaitingView& view) {
    if (!view.is_blocked) return {.release = true};
    return {.unblock_owners = view.is_in_waiting_cycle};
}

List<OwnerReference> unblocked(const List<OwnerReference>& owners) {
    List<OwnerReference> free = owners;
    for (OwnerReference& owner : free.edit())
        if (owner.block_owner_deletion.value_or(false)) owner.block_owner_deletion = false;
    return free;
}

}  // namespace muster::controllers
