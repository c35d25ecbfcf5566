// pods/log: which container's log is meant and what of it. The log itself is with the node that runs the pod
// (client/pods/pod_access.h); rest/log_streams.h sends it.
#pragma once

#include <memory>

#include "api/kinds/core/pod.h"
#include "client/pods/pod_access.h"
#include "server/negotiation/target.h"

namespace muster::server {

// kInvalid with the field's name for a number out of range, kBadRequest for what is no number or no time.
Result<api::core::PodLogOptions> parse_log_options(const Query& query);

// The container that is meant: one of the pod's, named when there are several to choose from; else kBadRequest.
Result<Text> choose_container(const api::core::Pod& pod, const Text& wanted);

// Null when nothing was said yet, as the pod has no node. Without anybody to ask, kUnavailable.
Result<std::unique_ptr<client::LogStream>> open_log(const api::core::Pod& pod, const Query& query,
                                                    client::PodAccess* node);

}  // namespace muster::server
