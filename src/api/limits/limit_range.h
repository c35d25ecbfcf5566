// What a LimitRange does to a pod or a claim: defaults for containers, and bounds. Pure; used by admission and by the
// queues, which count what a pod would get.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/core/persistent_volume_claim.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/core/quota.h"

namespace muster::api {

// What was filled in, one sentence per container: "cpu request for container c".
using LimitNotes = std::vector<std::string>;

// Fills the requests and limits that containers and init containers do not state.
LimitNotes fill_limit_range(const core::LimitRange& range, core::PodSpec& spec);
// The same for a pod, which gets an annotation that says so.
void apply_limit_range(const core::LimitRange& range, core::Pod& pod);

// Every bound that is broken, in Kubernetes' sentences; empty when none is.
std::vector<std::string> check_limit_range(const core::LimitRange& range, const core::PodSpec& spec);
std::vector<std::string> check_limit_range(const core::LimitRange& range, const core::PersistentVolumeClaimSpec& claim);

// Several reasons as one text, each once: "a", or "[a, b]".
std::string join_reasons(const std::vector<std::string>& reasons);

}  // namespace muster::api
