#include "controllers/queue/pods/group/roles.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/pods/group/shape.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

using api::core::Pod;
using api::kueue::PodSet;
using api::kueue::PodSetAssignment;
using api::kueue::Workload;

const PodSetAssignment* find_assignment(const Workload& workload, const PodSet& set) {
    if (!workload.status.admission) return nullptr;
    for (const PodSetAssignment& one : workload.status.admission->pod_set_assignments)
        if (one.name == set.name) return &one;
    return nullptr;
}

// The first resource of which the pod asks for more than one pod of the set has quota for; empty when there is none, or
// no quota yet. The quota counts what the server adds to pods and not to templates.
std::string excess_of(const Pod& pod, const PodSet& set, const Workload& workload) {
    const PodSetAssignment* assignment = find_assignment(workload, set);
    if (!assignment) return {};
    const std::int32_t count = assignment->count.value_or(set.count);
    Map<api::Quantity> beside;
    for (const auto& [name, amount] : pod_requests(pod.spec)) {
        const api::Quantity* together = assignment->resource_usage.find(name);
        if (!together)
            beside.set(name, amount);
        else if (amount * count > *together)
            return name.str();
    }
    return first_excess(beside, pod_requests(set.template_.spec));
}

// How well a pod fits a set: 0 not at all, 2 better than 1.
int fit_driven(const Pod& pod, const PodSet& set, const Workload& workload) {
    const api::core::PodSpec& origin = set.template_.spec;
    if (const Text role = group_role_of(pod); !role.empty())
        return role == set.name && excess_of(pod, set, workload).empty() ? 2 : 0;
    if (has_grown_from(pod.spec, origin)) return 2;
    return is_described_by(pod.spec, origin) ? 1 : 0;
}

int fit_set(const Pod& pod, const PodSet& set, const Workload& workload) {
    if (is_driven(workload)) return fit_driven(pod, set, workload);
    const api::core::PodSpec& origin = set.template_.spec;
    if (is_gated(pod) ? same_shape(pod.spec, origin) : has_grown_from(pod.spec, origin)) return 2;
    // What was made beforehand knows nothing of what the server adds to pods.
    return !prebuilt_of(pod.metadata).empty() && is_described_by(pod.spec, origin) ? 1 : 0;
}

int find_named(const Workload& workload, const Text& name) {
    for (std::size_t i = 0; i < workload.spec.pod_sets.size(); ++i)
        if (workload.spec.pod_sets[i].name == name) return static_cast<int>(i);
    return -1;
}

}  // namespace

std::vector<int> find_roles(const Pod& pod, const Workload& workload) {
    const List<PodSet>& sets = workload.spec.pod_sets;
    // Sets that differ in node labels only may both have grown to the same: then the one that it was started as. What
    // runs may also have been resized since; it was let through as that set.
    const int started_as =
        is_gated(pod) ? -1 : find_named(workload, value_under(pod.metadata.labels, api::kueue::kPodSetLabel));
    if (started_as >= 0) return {started_as};
    std::vector<int> found;
    for (int fit = 2; fit > 0; --fit)
        for (std::size_t i = 0; i < sets.size(); ++i)
            if (fit_set(pod, sets[i], workload) == fit) found.push_back(static_cast<int>(i));
    return found;
}

std::string explain_no_role(const Pod& pod, const Workload& workload) {
    const Text role = group_role_of(pod);
    if (!is_driven(workload) || role.empty())
        return "None of the sets that the group was admitted with is of this pod's shape";
    const int named = find_named(workload, role);
    if (named < 0) return "The group has no set \"" + role.str() + '"';
    const PodSet& set = workload.spec.pod_sets[static_cast<std::size_t>(named)];
    return "The pod asks for more " + excess_of(pod, set, workload) + " than its set \"" + role.str() +
           "\" has quota for";
}

std::size_t Role::excess() const {
    const std::int64_t kept = std::max(0, count - succeeded);
    return live.size() > static_cast<std::size_t>(kept) ? live.size() - static_cast<std::size_t>(kept) : 0;
}

std::int32_t Role::room(const std::vector<Member>& members) const {
    std::int32_t taken = succeeded + ending;
    for (const std::size_t index : live) taken += members[index].gated ? 0 : 1;
    return std::max(0, count - taken);
}

std::size_t Role::replaced() const {
    const std::int64_t there = static_cast<std::int64_t>(live.size()) + succeeded;
    const std::int64_t too_many = static_cast<std::int64_t>(failed.size()) + there - count;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(too_many, 0, static_cast<std::int64_t>(failed.size())));
}

std::int32_t Role::absent() const {
    return std::max(0, count - succeeded - ending - static_cast<std::int32_t>(live.size()));
}

std::vector<Role> survey_roles(std::vector<Member>& members, const Workload& workload) {
    std::vector<Role> roles(workload.spec.pod_sets.size());
    for (std::size_t i = 0; i < roles.size(); ++i)
        roles[i].count = std::max<std::int32_t>(workload.spec.pod_sets[i].count, 0);
    // An evicted driven group without quota restarts: a driver that succeeded while it was being stopped does not
    // count.
    const bool restarts = is_driven(workload) && is_evicted(workload.status) && !has_reservation(workload.status);
    for (std::size_t i = 0; i < members.size(); ++i) {
        Member& member = members[i];
        const std::vector<int> fitting = find_roles(*member.pod, workload);
        if (fitting.empty()) continue;
        // The first with a place left; with none left anywhere it is one too many of the first.
        const auto with_place = std::find_if(fitting.begin(), fitting.end(), [&](int index) {
            return roles[static_cast<std::size_t>(index)].absent() > 0;
        });
        member.role = with_place == fitting.end() ? fitting.front() : *with_place;
        Role& role = roles[static_cast<std::size_t>(member.role)];
        if (member.succeeded)
            role.succeeded += restarts && member.deleting ? 0 : 1;
        else if (member.failed)
            role.failed.push_back(i);
        else if (!member.deleting)
            role.live.push_back(i);
        else if (member.runs())
            ++role.ending;
    }
    for (Role& role : roles)
        std::stable_sort(role.failed.begin(), role.failed.end(), [&](std::size_t left, std::size_t right) {
            return failed_at(*members[left].pod) < failed_at(*members[right].pod);
        });
    return roles;
}

}  // namespace muster::controllers::podqueue
