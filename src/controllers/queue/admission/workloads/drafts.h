// What is written about a Workload, and what is told about it when the write has succeeded: an admission, a preemption,
// the next step of its life, or why it waits. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/kueue/kueue.h"
#include "controllers/queue/admission/engine/engine.h"
#include "controllers/queue/admission/workloads/lifecycle.h"

namespace muster::controllers::queue {

struct Told {
    enum class What : std::uint8_t { kAdmission, kPreemption, kLifecycle, kExplanation } what{};
    Text reason{};  // of the event; empty: none
    std::string message{};
    Text preemptor_queue{};
    Text preempt_reason{};
    Text evicted_for{};  // the reason, when it is evicted
};

struct WorkloadDraft {
    std::shared_ptr<api::kueue::Workload> workload{};
    bool spec = false;  // store what is not the status
    Told told{};
};

// It gets this quota in this ClusterQueue, which may be gone by now. It is admitted at once when it has no checks left.
WorkloadDraft draft_admission(const api::kueue::Workload& workload, const Text& queue_name,
                              const api::kueue::ClusterQueue* queue, const std::vector<PodSetChoice>& pod_sets,
                              const Names& names, Instant now);

struct PreemptionFacts {
    PreemptReason reason{};
    Text preemptor_queue{};
    std::string preemptor_path{};  // "/root/cohort/queue"
    std::string victim_path{};
};
WorkloadDraft draft_preemption(const api::kueue::Workload& victim, const api::kueue::Workload& preemptor,
                               const PreemptionFacts& facts, Instant now);

// The plan must store something.
WorkloadDraft draft_lifecycle(const api::kueue::Workload& workload, LifecyclePlan plan);

// Nothing when the Workload says so already. People are told once, and again when the reason is another.
std::optional<WorkloadDraft> draft_explanation(const api::kueue::Workload& workload, const Text& reason,
                                               const std::string& message,
                                               const List<api::kueue::PodSetRequest>& requests, Instant now);

}  // namespace muster::controllers::queue
