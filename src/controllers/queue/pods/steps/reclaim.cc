#include "controllers/queue/pods/steps/reclaim.h"

#include <algorithm>

#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

const api::kueue::ReclaimablePod* find_reclaimed(const api::kueue::WorkloadStatus& status, const Text& set) {
    for (const api::kueue::ReclaimablePod& one : status.reclaimable_pods)
        if (one.name == set) return &one;
    return nullptr;
}

}  // namespace

std::optional<List<api::kueue::ReclaimablePod>> decide_reclaim(const Standing& standing) {
    if (!standing.is_group() || standing.serving || standing.members.empty()) return std::nullopt;
    const api::kueue::WorkloadStatus& status = standing.workload.status;
    const bool holds = has_reservation(status);
    List<api::kueue::ReclaimablePod> given;
    for (std::size_t i = 0; i < standing.roles.size(); ++i) {
        const Role& role = standing.roles[i];
        api::kueue::ReclaimablePod one;
        one.name = standing.set(i).name;
        one.count = std::min(role.succeeded, role.count);
        const api::kueue::ReclaimablePod* before = holds ? find_reclaimed(status, one.name) : nullptr;
        if (before) one.count = std::max(one.count, before->count);
        if (before || one.count > 0) given.edit().push_back(std::move(one));
    }
    if (given == status.reclaimable_pods) return std::nullopt;
    return given;
}

}  // namespace muster::controllers::podqueue
