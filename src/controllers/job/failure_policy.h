// podFailurePolicy: what a failed pod means for its Job. The first rule that matches decides.
#pragma once

#include <cstdint>
#include <string>

#include "api/kinds/batch.h"

namespace muster::controllers::jobs {

// In the order of StatusFacts::failure_actions, but for the last.
enum class FailureAction : std::uint8_t {
    kCount,      // against backoffLimit, as without a policy
    kFailIndex,  // its index has failed, whatever limits say
    kFailJob,    // the whole Job has
    kIgnore,     // as if it had not happened, but for the delay before the next pod
    kNoRule,     // none matched, or there is no policy: counts
};
const char* name_of(FailureAction action);

struct FailureVerdict {
    FailureAction action = FailureAction::kNoRule;
    std::size_t rule = 0;
    // What matched: one of them, when a rule did. Parts of the pod.
    const api::core::ContainerStatus* container = nullptr;
    const api::core::PodCondition* condition = nullptr;

    bool counts() const { return action != FailureAction::kIgnore; }
};

// The pod must have failed: exit codes and conditions of one that has not do not say how it will end.
FailureVerdict match_failure_policy(const api::batch::PodFailurePolicy* policy, const api::core::Pod& pod);

// Why the Job fails, for a verdict of kFailJob. Names the pod, so that the sentence outlives it.
std::string fail_job_message(const FailureVerdict& verdict, const api::core::Pod& pod);

}  // namespace muster::controllers::jobs
