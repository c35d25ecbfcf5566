// What can be turned off, under the names that the proposals give it. `muster up --feature-gates IndexedJob=false`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::api {

struct FeatureGates {
    bool indexed_job = true;                   // KEP-2214
    bool job_tracking_with_finalizers = true;  // KEP-2307
    bool ttl_after_finished = true;            // KEP-592, of Jobs
    bool pod_ttl_after_finished = true;        // KEP-592, of Pods
    bool operator==(const FeatureGates&) const = default;
};

// "A=true,B=false"; what is not named stays on. Fails with kBadRequest and a sentence that names the gates there are.
Result<FeatureGates> parse_feature_gates(std::string_view text);

}  // namespace muster::api
