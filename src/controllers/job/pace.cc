#include "controllers/job/pace.h"

#include <algorithm>

#include "api/kinds/job_state.h"
#include "controllers/job/end_state.h"
#include "controllers/job/survey.h"

namespace muster::controllers::jobs {
namespace {

constexpr Duration kRefillDelayMin = 5ms;
constexpr Duration kRefillDelayMax = 100ms;
constexpr Duration kRefillDelayPerPod = 25us;

constexpr std::int64_t kBytesOfStatus = 200;
constexpr std::int64_t kBytesOfCondition = 220;
constexpr std::int64_t kBytesOfUid = 39;  // quotes and comma included

bool is_waiting_index(const Survey& survey, std::size_t place) {
    const auto waiting = survey.waiting.find(survey.pods[place].index);
    return waiting != survey.waiting.end() && waiting->second == place;
}

std::size_t count_ends(const Survey& survey) {
    std::size_t ends = 0;
    for (std::size_t i = 0; i < survey.pods.size(); ++i) {
        const PodState& state = survey.pods[i];
        if (!state.finalizer || state.active) continue;
        const bool ended = state.succeeded || (state.failed && !is_waiting_index(survey, i));
        ends += ended || survey.end ? 1 : 0;
    }
    return ends;
}

bool suspension_is_news(const api::batch::Job& job) {
    const bool suspended = api::batch::is_suspended(job.spec);
    if (api::batch::has_condition(job.status, api::batch::kConditionSuspended) != suspended) return true;
    return suspended && job.status.start_time;
}

}  // namespace

StatusNews find_news(const JobView& view, const Survey& survey, std::size_t coming) {
    const auto& job = view.job;
    StatusNews news;
    news.ends = count_ends(survey);
    news.active = survey.active + static_cast<std::int64_t>(coming);
    news.at_rest = news.active == 0 && survey.terminating == 0;
    const bool unstarted = !job.status.start_time && !api::batch::is_suspended(job.spec);
    const bool reaches_end =
        survey.end ? !survey.end->recorded
                   : completions_reached(view, survey, static_cast<std::int32_t>(news.active)).has_value();
    news.announces =
        unstarted || reaches_end || job.metadata.deletion_timestamp || (!survey.end && suspension_is_news(job));
    const auto& uncounted = job.status.uncounted_terminated_pods;
    const bool has_names = uncounted && uncounted->succeeded.size() + uncounted->failed.size() > 0;
    const bool numbers_differ = job.status.active != news.active || job.status.ready.value_or(0) != survey.ready ||
                                job.status.terminating.value_or(0) != survey.terminating;
    news.any = news.announces || news.ends > 0 || survey.end || has_names || numbers_differ;
    return news;
}

std::int64_t estimate_bytes(const api::batch::JobStatus& status) {
    std::int64_t bytes = kBytesOfStatus + kBytesOfCondition * static_cast<std::int64_t>(status.conditions.size());
    bytes += static_cast<std::int64_t>(status.completed_indexes.size());
    if (status.failed_indexes) bytes += static_cast<std::int64_t>(status.failed_indexes->size());
    if (const auto& uncounted = status.uncounted_terminated_pods)
        bytes += kBytesOfUid * static_cast<std::int64_t>(uncounted->succeeded.size() + uncounted->failed.size());
    return bytes;
}

std::optional<Duration> decide_status_pace(const StatusNews& news, const LastStatus& last, Duration now,
                                           const Pace& pace) {
    if (!news.any) return std::nullopt;
    if (!last.at) return Duration();
    const bool at_once = news.announces || news.at_rest || news.ends >= pace.ends_max;
    const Duration gap = at_once ? Duration() : pace.period;
    const Duration for_bytes =
        std::chrono::milliseconds(1000 * last.bytes / std::max<std::int64_t>(pace.bytes_per_second, 1));
    return std::max(*last.at + std::max(gap, for_bytes) - now, Duration());
}

Duration decide_refill_delay(std::size_t pods) {
    return std::clamp<Duration>(kRefillDelayPerPod * static_cast<std::int64_t>(pods), kRefillDelayMin, kRefillDelayMax);
}

}  // namespace muster::controllers::jobs
