// The facts about a single pod or a group whose Workload is there, its own, and neither finished nor being deleted. All
// steps of the decision (the other files of this folder) are functions of a Standing; admitted.cc puts them together.
// Pure.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "controllers/queue/pods/group/plan.h"
#include "controllers/queue/pods/group/roles.h"

namespace muster::controllers::podqueue {

// When something that is missing (a class, a flavor) is looked for again.
inline constexpr Duration kLookAgain = 5s;

struct Standing {
    const GroupView& view;
    const api::kueue::Workload& workload;
    std::vector<Member> members;  // without those of a former Workload of this name
    std::vector<Role> roles;      // one for each set of the Workload
    bool driven = false;
    bool serving = false;
    bool fast = false;  // the group is admitted as soon as one pod is there
    int unended = 0;    // how many members may still run or succeed
    // Members that steps before have decided to delete. They are no longer counted on.
    std::unordered_set<const api::core::Pod*> rejected{};

    bool is_group() const { return !view.group.empty(); }
    bool is_rejected(const Member& member) const { return rejected.contains(member.pod.get()); }
    bool some_run() const;
    const api::kueue::PodSet& set(std::size_t role) const { return workload.spec.pod_sets[role]; }
    // How many pods are neither there nor done. The driver of a driven group makes its workers when it needs them, so
    // only the driver is waited for.
    std::int32_t absent() const;
    // The Workload was made before its pods, which name it.
    bool is_prebuilt() const;

private:
    bool has_driver() const;
};

// `view` must outlive the result, and have a Workload.
Standing survey_group(const GroupView& view, std::vector<Member> members);

// How a Workload ends: the reason and the message of its condition Finished.
struct Ending {
    std::string reason;
    std::string message;
    bool operator==(const Ending&) const = default;
};
// What the Workload was made for is gone.
Ending owner_not_found();

}  // namespace muster::controllers::podqueue
