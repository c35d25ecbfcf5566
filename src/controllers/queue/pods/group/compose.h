// The Workload that a single pod or a group of waiting pods makes: when the group is whole, which pods are too many,
// what its sets are. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "api/kinds/kueue/workload.h"
#include "controllers/queue/pods/group/member.h"
#include "controllers/queue/workload/injection.h"

namespace muster::controllers::podqueue {

struct Composed {
    // Exactly one of the three holds.
    std::optional<api::kueue::Workload> draft{};  // the group is whole
    std::string complaint{};                      // it can never be as it is; told about `about`
    std::string missing{};                        // it may become whole: what it waits for

    PodRef about{};
    const char* reason = "ErrWorkloadCompose";
    std::vector<PodRef> excess{};  // youngest first
};

// `group` is empty for a single pod. `waiting` are those that wait, the oldest first; not empty.
Composed compose_workload(const Text& group, const std::vector<Member>& waiting, const FindPriority& find_priority);

// Of environment variables that a container states more than once only the last counts, and only that is kept, in the
// place of the first: a Workload with both would be refused by clients that merge lists by name.
void keep_last_variables(api::core::PodSpec& spec);

// Whether the pod announces the sets of its group, and makes its workers.
bool drives(const api::core::Pod& pod);
// Whether the Workload was made from a driver's announcement.
bool is_driven(const api::kueue::Workload& workload);
// Whether the pod says that its group serves, as it does not end by itself; whether the Workload says so for the group.
bool serves(const api::core::Pod& pod);
bool is_serving(const api::kueue::Workload& workload);
// Whether the Workload was made by us for a group.
bool is_group_workload(const api::kueue::Workload& workload);

// The name of a single pod's Workload: what it says itself, or Kueue's for it.
Text single_workload_name(const api::core::Pod& pod);

// Who owns a Workload, to be asked often.
class OwnerUids {
public:
    // Must not outlive the Workload.
    explicit OwnerUids(const api::kueue::Workload& workload);
    bool contain(const api::core::Pod& pod) const { return uids_.contains(pod.metadata.uid.view()); }

private:
    std::unordered_set<std::string_view> uids_;
};

api::meta::OwnerReference owner_reference(const api::core::Pod& pod, bool controller);

}  // namespace muster::controllers::podqueue
