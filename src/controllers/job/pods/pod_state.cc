#include "controllers/job/pods/pod_state.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/kinds/batch_names.h"
#include "api/kinds/conditions.h"

namespace muster::controllers::jobs {

using api::core::ContainerStatus;
using api::core::Pod;

namespace {

// As Go reads a number: the whole text, an optional sign, nothing else.
std::optional<std::int32_t> parse_count(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int32_t count = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (problem != std::errc{} || end != text.data() + text.size() || count < 0) return std::nullopt;
    return count;
}

bool is_sidecar(const Pod& pod, const Text& name) {
    for (const auto& container : pod.spec.init_containers)
        if (container.name == name) return container.restart_policy && *container.restart_policy == "Always";
    return false;
}

// Null when a container has not ended, or does not say when.
api::Time last_container_end(const Pod& pod) {
    api::Time last;
    const auto take = [&last](const ContainerStatus& status) {
        const auto& ended = status.state.terminated;
        if (!ended || ended->finished_at.is_null()) return false;
        last = std::max(last, ended->finished_at);
        return true;
    };
    for (const ContainerStatus& status : pod.status.container_statuses)
        if (!take(status)) return {};
    for (const ContainerStatus& status : pod.status.init_container_statuses)
        if (is_sidecar(pod, status.name) && !take(status)) return {};
    return last;
}

}  // namespace

const api::core::PodCondition* find_condition(const Pod& pod, std::string_view type) {
    return api::find_condition(pod.status.conditions, type);
}

bool is_ready(const Pod& pod) { return api::is_condition_true(pod.status.conditions, "Ready"); }

bool has_tracking_finalizer(const Pod& pod) {
    for (const Text& finalizer : pod.metadata.finalizers)
        if (finalizer == api::batch::kTrackingFinalizer) return true;
    return false;
}

std::int32_t index_of(const Pod& pod) {
    const Text* text = pod.metadata.annotations.find(api::batch::kCompletionIndexAnnotation);
    return text ? parse_count(*text).value_or(kNoIndex) : kNoIndex;
}

std::int32_t count_in(const Pod& pod, const char* annotation) {
    const Text* text = pod.metadata.annotations.find(annotation);
    return text ? parse_count(*text).value_or(0) : 0;
}

Instant finish_time_of(const Pod& pod) {
    if (const api::Time ended = last_container_end(pod)) return ended.instant();
    const auto* ready = find_condition(pod, "Ready");
    if (ready && ready->status == "False" && !ready->last_transition_time.is_null())
        return ready->last_transition_time.instant();
    if (is_deleting(pod)) {
        const std::int64_t grace = pod.metadata.deletion_grace_period_seconds.value_or(0);
        return pod.metadata.deletion_timestamp->instant() - std::chrono::seconds(std::max<std::int64_t>(grace, 0));
    }
    return pod.metadata.creation_timestamp.instant();
}

}  // namespace muster::controllers::jobs
