// Which set of the group's Workload a pod belongs to, and who of each set stays, starts, goes or has been replaced.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/kueue/workload.h"
#include "controllers/queue/pods/group/member.h"

namespace muster::controllers::podqueue {

// The sets it may belong to, by index, the best first; none when no set is of its shape. The shape is compared, never
// taken from an annotation: a pod that waits must have it exactly, one that was started may have grown by what
// admission added. A worker of a driver may name its role, but must not ask for more than that role has quota for,
// once it has any.
std::vector<int> find_roles(const api::core::Pod& pod, const api::kueue::Workload& workload);
// Why there is none, for people.
std::string explain_no_role(const api::core::Pod& pod, const api::kueue::Workload& workload);

// One set of a Workload and its members, by index into them.
struct Role {
    std::int32_t count = 0;           // how many pods it has quota for
    std::vector<std::size_t> live{};  // wait or run and are not being deleted; what runs first, then the oldest first
    std::int32_t succeeded = 0;
    std::int32_t ending = 0;            // being deleted, but still on a node
    std::vector<std::size_t> failed{};  // the one that failed first comes first

    // Pods beyond the count, the youngest of those that wait: the end of `live`. One whose forerunner is still being
    // deleted is not too many; it waits.
    std::size_t excess() const;
    // How many of those that wait may start now.
    std::int32_t room(const std::vector<Member>& members) const;
    // How many of `failed` have been replaced.
    std::size_t replaced() const;
    // Pods that are neither there nor done.
    std::int32_t absent() const;
};

// Fills in each member's role.
std::vector<Role> survey_roles(std::vector<Member>& members, const api::kueue::Workload& workload);

}  // namespace muster::controllers::podqueue
