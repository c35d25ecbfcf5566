#include "controllers/queue/pods/steps/verdict.h"

#include <algorithm>
#include <optional>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

namespace names = api::kueue;

// A Workload that was made before its pods waits for them, and one that was evicted waits for others in their place: it
// has no owners then, see decide_release().
Verdict decide_without_pods(const Standing& standing) {
    const api::kueue::Workload& workload = standing.workload;
    if (!is_in_use(workload)) return {Course::kLeave, {}};
    const bool evicted =
        standing.is_group() && is_evicted(workload.status) && workload.metadata.owner_references.empty();
    if (!evicted) return {Course::kFinish, owner_not_found()};
    return {has_reservation(workload.status) ? Course::kStop : Course::kWait, {}};
}

std::string message_or(const api::core::Pod& pod, const char* otherwise) {
    return pod.status.message.empty() ? otherwise : pod.status.message.str();
}

std::optional<Ending> find_end_of_single(const Standing& standing) {
    const Member& member = standing.members.front();
    // On its way out it needs no quota that it does not have, though its node may not have answered yet.
    const bool leaves = member.deleting && !has_reservation(standing.workload.status);
    if (!member.ended() && !member.is_lost() && !leaves) return std::nullopt;
    if (!member.ended()) return owner_not_found();
    if (member.succeeded) return Ending{names::kFinishedSucceeded, message_or(*member.pod, "The pod succeeded")};
    return Ending{names::kFinishedFailed, message_or(*member.pod, "The pod failed")};
}

// All pods were deleted by their owner, and those that have succeeded would wait for others that never come. What was
// stopped is to be replaced.
bool all_leave(const std::vector<Member>& members) {
    return std::any_of(members.begin(), members.end(), [](const Member& member) { return member.succeeded; }) &&
           std::all_of(members.begin(), members.end(),
                       [](const Member& member) { return member.deleting && !member.stopped; });
}

// A driver that has succeeded makes no more workers.
bool drivers_done(const Standing& standing) {
    if (!standing.driven) return false;
    std::vector<std::int32_t> done(standing.roles.size(), 0);
    std::vector<bool> driving(standing.roles.size(), false);
    for (const Member& member : standing.members) {
        if (member.role < 0 || !drives(*member.pod)) continue;
        driving[static_cast<std::size_t>(member.role)] = true;
        done[static_cast<std::size_t>(member.role)] += member.succeeded ? 1 : 0;
    }
    bool some = false;
    for (std::size_t i = 0; i < standing.roles.size(); ++i) {
        if (!driving[i]) continue;
        some = true;
        if (done[i] < 1) return false;
    }
    return some;
}

std::optional<Ending> find_end_of_group(const Standing& standing) {
    std::int64_t total = 0;
    std::int64_t succeeded = 0;
    for (const Role& role : standing.roles) {
        total += role.count;
        succeeded += std::min(role.count, role.succeeded);
    }
    const bool all_succeeded = succeeded == total;
    const bool given_up = std::any_of(standing.members.begin(), standing.members.end(), [](const Member& member) {
        return member.ended() && is_unretriable(*member.pod);
    });
    const bool ends_early = given_up || drivers_done(standing);
    if (!all_succeeded && standing.unended == 0 && !ends_early && all_leave(standing.members)) return owner_not_found();
    if (!all_succeeded && (standing.unended > 0 || !ends_early)) return std::nullopt;
    const bool success = all_succeeded || (standing.driven && !given_up);
    return Ending{success ? names::kFinishedSucceeded : names::kFinishedFailed,
                  "Pods succeeded: " + std::to_string(succeeded) + "/" + std::to_string(total) + "."};
}

std::optional<Ending> find_end(const Standing& standing) {
    if (standing.serving) return std::nullopt;
    return standing.is_group() ? find_end_of_group(standing) : find_end_of_single(standing);
}

}  // namespace

Verdict decide_verdict(const Standing& standing) {
    if (standing.members.empty()) return decide_without_pods(standing);
    if (std::optional<Ending> end = find_end(standing)) return {Course::kFinish, std::move(*end)};
    const api::kueue::WorkloadStatus& status = standing.workload.status;
    const bool runs = standing.some_run();
    const bool is_leaving = is_evicted(status) && (has_reservation(status) || runs);
    const bool runs_without_leave = !is_admitted(status) && runs;
    return {is_leaving || runs_without_leave ? Course::kStop : Course::kGoOn, {}};
}

}  // namespace muster::controllers::podqueue
