// The termination messages of a pod's runs, as its status has them. The runtime reads them; here they are looked up
// once for each run, and cut to the size that a pod may have.
#pragma once

#include <functional>
#include <string>

#include "api/kinds/core/pod.h"
#include "node/pods/pod_view.h"

namespace muster::node {

inline constexpr std::size_t kMessageBytesMax = 4096;
inline constexpr std::size_t kPodMessageBytesMax = 12 << 10;

// What one container's message may have, so that all of the pod's together have no more than 12 KiB.
std::size_t message_limit(const api::core::Pod& pod);

using ReadMessage = std::function<std::string(const api::core::Container& container, int attempt, int exit_code)>;
// For runs that have ended, once each.
void take_messages(const api::core::Pod& pod, RunsByContainer& runs, const ReadMessage& read);

}  // namespace muster::node
