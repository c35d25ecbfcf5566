#include "controllers/ttl/decide.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace muster::controllers {
namespace {

using api::core::ContainerStatus;
using api::core::Pod;

TtlPlan plan_expiry(Instant finished_at, std::int32_t ttl_seconds, Instant now) {
    const Instant expires_at = finished_at + std::chrono::seconds(ttl_seconds);
    if (now >= expires_at) return {.remove = true, .expired_at = expires_at};
    return {.wake_at = expires_at, .finished_in_future = now < finished_at};
}

void note_ends(const List<ContainerStatus>& statuses, std::optional<Instant>& latest) {
    for (const ContainerStatus& status : statuses) {
        const auto& ended = status.state.terminated;
        if (!ended || ended->finished_at.is_null()) continue;
        latest = std::max(latest.value_or(ended->finished_at.instant()), ended->finished_at.instant());
    }
}

std::optional<std::int32_t> parse_ttl(std::string_view text) {
    std::int32_t seconds = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (text.empty() || code != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
    return seconds;
}

}  // namespace

std::optional<Instant> finish_time(const api::batch::Job& job) {
    for (const auto& condition : job.status.conditions) {
        const bool is_end = condition.type == "Complete" || condition.type == "Failed";
        if (is_end && condition.status == "True" && !condition.last_transition_time.is_null())
            return condition.last_transition_time.instant();
    }
    return std::nullopt;
}

std::optional<Instant> finish_time(const Pod& pod) {
    if (pod.status.phase != "Succeeded" && pod.status.phase != "Failed") return std::nullopt;
    std::optional<Instant> latest;
    note_ends(pod.status.container_statuses, latest);
    note_ends(pod.status.init_container_statuses, latest);
    note_ends(pod.status.ephemeral_container_statuses, latest);
    if (latest) return latest;
    api::Time changed;
    for (const auto& condition : pod.status.conditions) changed = std::max(changed, condition.last_transition_time);
    if (changed.is_null()) changed = pod.metadata.creation_timestamp;
    if (changed.is_null()) return std::nullopt;
    return changed.instant();
}

TtlPlan decide_ttl(const api::batch::Job& job, Instant now) {
    if (job.metadata.deletion_timestamp) return {};
    const auto finished_at = finish_time(job);
    if (!finished_at || !job.spec.ttl_seconds_after_finished) return {};
    return plan_expiry(*finished_at, *job.spec.ttl_seconds_after_finished, now);
}

TtlPlan decide_ttl(const Pod& pod, Instant now) {
    if (pod.metadata.deletion_timestamp) return {};
    std::optional<std::int32_t> ttl = pod.spec.ttl_seconds_after_finished;
    if (!ttl) {
        const Text* annotation = pod.metadata.annotations.find(kPodTtlName);
        const Text* text = annotation ? annotation : pod.metadata.labels.find(kPodTtlName);
        if (!text) return {};
        ttl = parse_ttl(*text);
        if (!ttl) return {.unreadable = UnreadableTtl{annotation == nullptr, *text}};
    }
    const auto finished_at = finish_time(pod);
    if (!finished_at) return {};
    return plan_expiry(*finished_at, *ttl, now);
}

}  // namespace muster::controllers
