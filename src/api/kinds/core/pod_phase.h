// What a pod's phase says, for everybody who asks.
#pragma once

#include "api/kinds/core/pod.h"

namespace muster::api::core {

inline bool has_succeeded(const Pod& pod) { return pod.status.phase == "Succeeded"; }
inline bool has_failed(const Pod& pod) { return pod.status.phase == "Failed"; }
inline bool has_ended(const PodStatus& status) { return status.phase == "Succeeded" || status.phase == "Failed"; }
inline bool has_ended(const Pod& pod) { return has_ended(pod.status); }

}  // namespace muster::api::core
