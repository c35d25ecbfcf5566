// What becomes of a workload apart from getting quota: its admission checks, the time its pods have to become ready,
// the time it may run, its being switched off, its queue's being stopped, and its return to the queue. Pure; one write
// at a time, and a plan carried out leaves an empty next one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/configuration/kueue_configuration.h"
#include "api/kinds/kueue/workload.h"
#include "base/instant.h"
#include "controllers/queue/admission/queues/queue_status.h"

namespace muster::controllers::queue {

struct Surroundings {
    Stop cluster_queue_stop = Stop::kNone;
    Stop local_queue_stop = Stop::kNone;
    std::vector<Text> checks{};  // that it must pass
    const api::kueue::PodsReadyRules* pods_ready = nullptr;
    Instant now{};
};

struct LifecyclePlan {
    std::optional<api::kueue::WorkloadStatus> status{};  // to be stored …
    bool deactivate = false;                             // … or else spec.active = false
    std::optional<Instant> wake_at{};
    Text evicted_for{};  // the reason, when it is evicted now
    Text note_reason{};  // event
    std::string note{};
};

// Both queues may be null, when there are none. The caller adds the time and the rules of readiness.
Surroundings surroundings_of(const api::kueue::Workload& workload, const api::kueue::LocalQueue* local_queue,
                             const api::kueue::ClusterQueue* cluster_queue);

LifecyclePlan decide_lifecycle(const api::kueue::Workload& workload, const Surroundings& around);

// Says that the workload is to give back its quota: the condition Evicted, what it has run so far, and its checks from
// the start. With `preempted` that condition, too.
void mark_evicted(api::kueue::WorkloadStatus& status, std::string_view reason, std::string_view message,
                  std::int64_t generation, Instant now);

// How often it was preempted in its life.
std::int32_t count_preemptions(const api::kueue::WorkloadStatus& status);

// The reason of an eviction as it is counted: "DeactivatedDueToX" is Deactivated, and X lies behind it.
struct EvictionCause {
    Text reason;
    Text underlying;
};
EvictionCause split_eviction(std::string_view reason);

// Sets QuotaReserved, and sets the conditions of a former eviction to false.
void mark_reserved(api::kueue::WorkloadStatus& status, const Text& queue, std::int64_t generation, Instant now);
void mark_admitted(api::kueue::WorkloadStatus& status, std::int64_t generation, Instant now);
// Lists exactly these checks, those that are new as pending. Gives whether anything changed.
bool list_checks(api::kueue::WorkloadStatus& status, const std::vector<Text>& checks, Instant now);
bool checks_passed(const api::kueue::WorkloadStatus& status);

// The place in the queue: since its creation, or since it was evicted when that counts.
Instant queue_time(const api::kueue::Workload& workload, bool by_eviction);

}  // namespace muster::controllers::queue
