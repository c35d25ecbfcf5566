#include "controllers/ttl/decide.h"

namespace muster::controllers {

std::optional<Instant> finish_time(const api::batch::Job& job) {
    for (const auto& condition : job.status.conditions) {
        const bool is_end = condition.type == "Complete" || condition.type == "Failed";
        if (is_end && condition.status == "True" && !condition.last_transition_time.is_null())
            return condition.last_transition_time.instant();
    }
    return std::nullopt;
}

TtlPlan decide_ttl(const api::batch::Job& job, Instant now) {
    if (job.metadata.deletion_timestamp) return {};
    const auto finished_at = finish_time(job);
    if (!finished_at || !job.spec.ttl_seconds_after_finished) return {};
    const Instant expires_at = *finished_at + std::chrono::seconds(*job.spec.ttl_seconds_after_finished);
    if (now < expires_at) return {.wake_at = expires_at};
    return {.remove = true};
}

}  // namespace muster::controllers
