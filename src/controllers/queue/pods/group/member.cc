#include "controllers/queue/pods/group/member.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "os/machine/digest.h"

namespace muster::controllers::podqueue {
namespace {

using api::core::Pod;

constexpr Duration kAnswersWithin = 30s;
constexpr std::size_t kNameMax = 253;
constexpr std::size_t kNameHashDigits = 5;

bool is_stopped(const Pod& pod) {
    for (const api::core::PodCondition& condition : pod.status.conditions)
        if (condition.type == api::kueue::kPodTerminationTargetCondition)
            return condition.reason.view().starts_with(api::kueue::kPodEvictedReasonPrefix);
    return false;
}

Member member_of(const PodRef& pod) {
    Member member;
    member.pod = pod;
    member.gated = is_gated(*pod);
    member.placed = !pod->spec.node_name.empty();
    member.succeeded = api::core::has_succeeded(*pod);
    member.failed = api::core::has_failed(*pod);
    member.deleting = pod->metadata.deletion_timestamp.has_value();
    member.forced = member.deleting && pod->metadata.deletion_grace_period_seconds == 0;
    member.held = is_held(*pod);
    member.stopped = is_stopped(*pod);
    return member;
}

bool is_older(const Member& left, const Member& right) {
    const api::meta::ObjectMeta& a = left.pod->metadata;
    const api::meta::ObjectMeta& b = right.pod->metadata;
    if (!(a.creation_timestamp == b.creation_timestamp)) return a.creation_timestamp < b.creation_timestamp;
    if (left.owner != right.owner) return left.owner;
    return a.uid < b.uid;
}

}  // namespace

std::vector<Member> sort_members(const std::vector<PodRef>& pods, const api::kueue::Workload* workload) {
    std::vector<Member> members;
    members.reserve(pods.size());
    for (const PodRef& pod : pods) members.push_back(member_of(pod));
    if (workload) {
        const OwnerUids owners(*workload);
        for (Member& member : members) member.owner = owners.contain(*member.pod);
    }
    // What runs goes before what waits: of two that cannot both stay, it is the one to keep.
    std::sort(members.begin(), members.end(), [](const Member& left, const Member& right) {
        if (left.gated != right.gated) return right.gated;
        return is_older(left, right);
    });
    return members;
}

Instant given_up_at(const Pod& pod) { return pod.metadata.deletion_timestamp->instant() + kAnswersWithin; }

Instant failed_at(const Pod& pod) {
    api::Time latest;
    for (const api::core::ContainerStatus& container : pod.status.container_statuses)
        if (container.state.terminated) latest = std::max(latest, container.state.terminated->finished_at);
    if (!latest)
        for (const api::core::PodCondition& condition : pod.status.conditions)
            if (condition.type == "Ready") latest = condition.last_transition_time;
    if (!latest && pod.metadata.deletion_timestamp) latest = *pod.metadata.deletion_timestamp;
    return latest ? latest.instant() : pod.metadata.creation_timestamp.instant();
}

std::string workload_name_for(std::string_view kind, std::string_view group, std::string_view name,
                              std::string_view uid) {
    std::string prefix;
    for (const char c : kind) prefix += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    prefix.append("-").append(name);
    if (prefix.size() > kNameMax - kNameHashDigits - 1) prefix.resize(kNameMax - kNameHashDigits - 1);
    std::string hashed(kind);
    hashed.append("\n").append(group).append("\n").append(name).append("\n").append(uid);
    return prefix + '-' + os::sha1_hex(hashed).substr(0, kNameHashDigits);
}

}  // namespace muster::controllers::podqueue
