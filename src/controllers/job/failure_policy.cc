#include "controllers/job/failure_policy.h"

#include <algorithm>

namespace muster::controllers::jobs {

using api::batch::PodFailurePolicyOnExitCodesRequirement;
using api::batch::PodFailurePolicyRule;
using api::core::ContainerStatus;
using api::core::Pod;

namespace {

bool matches_exit_code(const PodFailurePolicyOnExitCodesRequirement& asked, const ContainerStatus& status) {
    // A container that is still ending has no exit code; one that ended well is not why the pod failed.
    if (!status.state.terminated || status.state.terminated->exit_code == 0) return false;
    if (asked.container_name && *asked.container_name != status.name) return false;
    const bool listed =
        std::find(asked.values.begin(), asked.values.end(), status.state.terminated->exit_code) != asked.values.end();
    if (asked.operator_ == "In") return listed;
    return asked.operator_ == "NotIn" && !listed;
}

const ContainerStatus* find_exit(const PodFailurePolicyOnExitCodesRequirement& asked, const Pod& pod) {
    for (const List<ContainerStatus>* list : {&pod.status.container_statuses, &pod.status.init_container_statuses})
        for (const ContainerStatus& status : *list)
            if (matches_exit_code(asked, status)) return &status;
    return nullptr;
}

const api::core::PodCondition* find_listed_condition(const PodFailurePolicyRule& rule, const Pod& pod) {
    for (const auto& condition : pod.status.conditions)
        for (const auto& pattern : rule.on_pod_conditions)
            if (condition.type == pattern.type && condition.status == pattern.status) return &condition;
    return nullptr;
}

FailureAction parse_action(const Text& action) {
    for (const auto known :
         {FailureAction::kCount, FailureAction::kFailIndex, FailureAction::kFailJob, FailureAction::kIgnore})
        if (action == name_of(known)) return known;
    return FailureAction::kNoRule;
}

}  // namespace

const char* name_of(FailureAction action) {
    switch (action) {
        case FailureAction::kCount: return "Count";
        case FailureAction::kFailIndex: return "FailIndex";
        case FailureAction::kFailJob: return "FailJob";
        case FailureAction::kIgnore: return "Ignore";
        case FailureAction::kNoRule: break;
    }
    return "";
}

FailureVerdict match_failure_policy(const api::batch::PodFailurePolicy* policy, const Pod& pod) {
    if (!policy) return {};
    for (std::size_t i = 0; i < policy->rules.size(); ++i) {
        const PodFailurePolicyRule& rule = policy->rules[i];
        FailureVerdict verdict{.action = parse_action(rule.action), .rule = i};
        if (verdict.action == FailureAction::kNoRule) continue;
        if (rule.on_exit_codes) {
            verdict.container = find_exit(*rule.on_exit_codes, pod);
        } else {
            verdict.condition = find_listed_condition(rule, pod);
        }
        if (verdict.container || verdict.condition) return verdict;
    }
    return {};
}

std::string fail_job_message(const FailureVerdict& verdict, const Pod& pod) {
    const std::string name = pod.metadata.namespace_ + ("/" + pod.metadata.name);
    const std::string rule = " matching FailJob rule at index " + std::to_string(verdict.rule);
    if (verdict.condition) return "Pod " + name + " has condition " + verdict.condition->type.str() + rule;
    return "Container " + verdict.container->name.str() + " for pod " + name + " failed with exit code " +
           std::to_string(verdict.container->state.terminated->exit_code) + rule;
}

}  // namespace muster::controllers::jobs
