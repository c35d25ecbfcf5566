#include "controllers/job/per_index.h"

#include "api/kinds/batch_names.h"
#include "base/saturate.h"
#include "controllers/job/backoff.h"
#include "controllers/job/survey.h"

namespace muster::controllers::jobs {

namespace {

std::int32_t failures_before(const PodState& state) {
    return count_in(*state.pod, api::batch::kIndexFailureCountAnnotation);
}
std::int32_t ignored_before(const PodState& state) {
    return count_in(*state.pod, api::batch::kIndexIgnoredFailureCountAnnotation);
}
std::int64_t all_failures_before(const PodState& state) {
    return std::int64_t{failures_before(state)} + ignored_before(state);
}

bool is_later(const PodState& state, const PodState& than) {
    return all_failures_before(state) >= all_failures_before(than) &&
           finish_time_of(*state.pod) >= finish_time_of(*than.pod);
}

}  // namespace

bool is_index_failed(const api::batch::JobSpec& spec, const PodState& state) {
    if (!state.failed || state.action == FailureAction::kIgnore) return false;
    return state.action == FailureAction::kFailIndex || failures_before(state) >= *spec.backoff_limit_per_index;
}

std::map<std::int32_t, std::size_t> find_waiting_indexes(const Survey& survey) {
    std::map<std::int32_t, std::size_t> waiting;
    for (std::size_t i = 0; i < survey.pods.size(); ++i) {
        const PodState& state = survey.pods[i];
        if (!state.counts || !state.failed) continue;
        if (survey.completed.contains(state.index) || survey.failed_indexes.contains(state.index) ||
            survey.active_indexes.contains(state.index))
            continue;
        const auto [at, first] = waiting.emplace(state.index, i);
        if (!first && is_later(state, survey.pods[at->second])) at->second = i;
    }
    return waiting;
}

PodDraft draft_after(const PodState& failed) {
    PodDraft draft{failed.index, failures_before(failed), ignored_before(failed)};
    std::int32_t& count = failed.action == FailureAction::kIgnore ? draft.ignored_failures : draft.failures;
    count = add_sat(count, 1);
    return draft;
}

std::optional<Instant> index_backoff_end(const PodState& failed, const Limits& limits, Instant now) {
    const auto failures = std::min<std::int64_t>(all_failures_before(failed) + 1, 1000);
    return backoff_end(static_cast<std::int32_t>(failures), finish_time_of(*failed.pod), limits, now);
}

}  // namespace muster::controllers::jobs
