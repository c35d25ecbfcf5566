// What a pod's own fields say, in the words of the Job controller. Nothing here knows a Job.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/kinds/core/pod_phase.h"
#include "base/instant.h"

namespace muster::controllers::jobs {

inline constexpr std::int32_t kNoIndex = -1;

using api::core::has_ended;
using api::core::has_failed;
using api::core::has_succeeded;
inline bool is_deleting(const api::core::Pod& pod) { return pod.metadata.deletion_timestamp.has_value(); }
// Pending or running, and to stay so.
inline bool is_active(const api::core::Pod& pod) { return !is_deleting(pod) && !has_ended(pod); }
// Pending or running, but on its way out.
inline bool is_terminating(const api::core::Pod& pod) { return is_deleting(pod) && !has_ended(pod); }
bool is_ready(const api::core::Pod& pod);
bool has_tracking_finalizer(const api::core::Pod& pod);

const api::core::PodCondition* find_condition(const api::core::Pod& pod, std::string_view type);

// Its completion index, or kNoIndex when it has none that can be read.
std::int32_t index_of(const api::core::Pod& pod);
// A count that a pod carries in an annotation; 0 when it is absent, negative, too large or no number.
std::int32_t count_in(const api::core::Pod& pod, const char* annotation);

// When it ended: when its last container did, restartable init containers included; else when it stopped being ready;
// else when its deletion was asked for; else when it was created.
Instant finish_time_of(const api::core::Pod& pod);

}  // namespace muster::controllers::jobs
