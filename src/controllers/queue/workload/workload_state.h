// What a Workload's conditions say, and how those who run pods and Jobs change them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/kinds/conditions.h"
#include "api/kinds/kueue/workload.h"
#include "base/instant.h"

namespace muster::controllers {

inline const api::meta::Condition* find_condition(const api::kueue::WorkloadStatus& status, std::string_view type) {
    return api::find_condition(status.conditions, type);
}
inline bool is_true(const api::kueue::WorkloadStatus& status, std::string_view type) {
    return api::is_condition_true(status.conditions, type);
}

inline bool has_reservation(const api::kueue::WorkloadStatus& status) { return is_true(status, "QuotaReserved"); }
inline bool is_admitted(const api::kueue::WorkloadStatus& status) { return is_true(status, "Admitted"); }
inline bool is_evicted(const api::kueue::WorkloadStatus& status) { return is_true(status, "Evicted"); }
inline bool is_finished(const api::kueue::WorkloadStatus& status) { return is_true(status, "Finished"); }

// Whether it has the finalizer that keeps a Workload while what it was made for needs it.
bool is_in_use(const api::kueue::Workload& workload);

// Gives whether anything changed.
bool set_condition(api::kueue::WorkloadStatus& status, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, std::int64_t generation, Instant now);

// Gives back the quota of an evicted workload; call it when none of its pods runs any more. Sets the condition
// Requeued: true after a preemption or a node failure; else false until the evicting controller changes it.
void give_back_quota(api::kueue::WorkloadStatus& status, std::int64_t generation, Instant now);

// Keeps the condition PodsReady: waits for the start, has started, waits for recovery, has recovered. Gives whether
// anything changed.
bool keep_pods_ready(api::kueue::WorkloadStatus& status, bool ready, std::int64_t generation, Instant now);

}  // namespace muster::controllers
