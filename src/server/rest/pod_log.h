// pods/log: which container's log is meant and what of it. The log itself is with the node that runs the pod.
#pragma once

#include <functional>
#include <string>

#include "api/kinds/core/pod.h"
#include "server/negotiation/target.h"
#include "server/rest/answer.h"

namespace muster::server {

// Gives what reads the log, to be called where it may block; or why there is none. Follows nothing.
using OpenLog = std::function<Result<std::function<std::string()>>(const api::core::Pod& pod,
                                                                   const api::core::PodLogOptions& options)>;

// kInvalid with the field's name for a number out of range, kBadRequest for what is no number or no time.
Result<api::core::PodLogOptions> parse_log_options(const Query& query);

// Before the pod has a node nothing was said yet: an empty log. Without anybody to ask, kUnavailable.
Result<Answer> answer_log(const api::core::Pod& pod, const Query& query, const OpenLog& open);

}  // namespace muster::server
