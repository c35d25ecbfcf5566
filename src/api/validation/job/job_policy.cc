#include "api/validation/job/job_policy.h"

#include <algorithm>

#include "api/kinds/job_state.h"
#include "api/validation/rules/immutable.h"
#include "api/value/index_ranges.h"

namespace muster::api {
namespace {

using batch::JobSpec;
using batch::PodFailurePolicyOnExitCodesRequirement;
using batch::PodFailurePolicyOnPodConditionsPattern;
using batch::PodFailurePolicyRule;
using batch::SuccessPolicyRule;

// What lies beyond a limit is counted but not looked at, so that a huge list costs no more than a long one.
constexpr std::size_t kFailureRulesMax = 20;
constexpr std::size_t kExitCodesMax = 255;
constexpr std::size_t kPodConditionsMax = 20;
constexpr std::size_t kSuccessRulesMax = 20;
constexpr std::size_t kSucceededIndexesBytesMax = 64 * 1024;

constexpr std::string_view kActions[] = {"Count", "FailIndex", "FailJob", "Ignore"};
constexpr std::string_view kOperators[] = {"In", "NotIn"};
constexpr std::string_view kConditionStatuses[] = {"False", "True", "Unknown"};

bool is_among(std::string_view value, std::span<const std::string_view> choices) {
    return std::find(choices.begin(), choices.end(), value) != choices.end();
}

// An empty value is missing, any other than the choices is not supported.
void check_choice(const Text& value, std::span<const std::string_view> choices, const FieldPath& path,
                  FieldErrors& errors) {
    if (!value.empty()) {
        if (!is_among(value, choices)) errors.add_not_supported(path, value, choices);
        return;
    }
    std::string listed;
    for (const std::string_view choice : choices)
        listed.append(listed.empty() ? "\"" : " \"").append(choice).append("\"");
    errors.add_required(path, "valid values: [" + listed + "]");
}

bool has_container(const core::PodSpec& pod, const Text& name) {
    const auto named = [&](const core::Container& container) { return container.name == name; };
    return std::any_of(pod.containers.begin(), pod.containers.end(), named) ||
           std::any_of(pod.init_containers.begin(), pod.init_containers.end(), named);
}

void check_exit_code_values(const PodFailurePolicyOnExitCodesRequirement& codes, const FieldPath& path,
                            FieldErrors& errors) {
    const List<std::int32_t>& values = codes.values;
    if (values.empty()) {
        errors.add_invalid(path, shown_json(values), "at least one value is required");
    } else if (values.size() > kExitCodesMax) {
        errors.add_too_many(path, values.size(), kExitCodesMax);
    }
    std::vector<std::int32_t> seen;  // sorted
    bool ordered = true;
    for (std::size_t i = 0; i < std::min(values.size(), kExitCodesMax); ++i) {
        if (codes.operator_ == "In" && values[i] == 0)
            errors.add_invalid(path.index(i), values[i], "must not be 0 for the In operator");
        const auto at = std::lower_bound(seen.begin(), seen.end(), values[i]);
        if (at != seen.end() && *at == values[i]) {
            errors.add_duplicate(path.index(i), values[i]);
        } else {
            seen.insert(at, values[i]);
        }
        if (i > 0 && values[i - 1] > values[i]) ordered = false;
    }
    if (!ordered) errors.add_invalid(path, shown_json(values), "must be ordered");
}

void check_exit_codes(const PodFailurePolicyOnExitCodesRequirement& codes, const JobSpec& spec, const FieldPath& path,
                      FieldErrors& errors) {
    check_choice(codes.operator_, kOperators, path.child("operator"), errors);
    if (codes.container_name && !has_container(spec.template_.spec, *codes.container_name)) {
        errors.add_invalid(path.child("containerName"), *codes.container_name,
                           "must be one of the container or initContainer names in the pod template");
    }
    check_exit_code_values(codes, path.child("values"), errors);
}

void check_pod_conditions(const List<PodFailurePolicyOnPodConditionsPattern>& patterns, const FieldPath& path,
                          FieldErrors& errors) {
    if (patterns.size() > kPodConditionsMax) errors.add_too_many(path, patterns.size(), kPodConditionsMax);
    for (std::size_t i = 0; i < std::min(patterns.size(), kPodConditionsMax); ++i) {
        const FieldPath at = path.index(i);
        errors.add_problems(at.child("type"), patterns[i].type, is_qualified_name(patterns[i].type));
        check_choice(patterns[i].status, kConditionStatuses, at.child("status"), errors);
    }
}

void check_failure_rule(const PodFailurePolicyRule& rule, const JobSpec& spec, const FieldPath& path,
                        FieldErrors& errors) {
    if (rule.action == "FailIndex" && !spec.backoff_limit_per_index) {
        errors.add_invalid(path.child("action"), rule.action, "requires the backoffLimitPerIndex to be set");
    } else {
        check_choice(rule.action, kActions, path.child("action"), errors);
    }
    const bool by_codes = static_cast<bool>(rule.on_exit_codes);
    const bool by_conditions = !rule.on_pod_conditions.empty();
    if (by_codes) check_exit_codes(*rule.on_exit_codes, spec, path.child("onExitCodes"), errors);
    if (by_conditions) check_pod_conditions(rule.on_pod_conditions, path.child("onPodConditions"), errors);
    if (by_codes && by_conditions) {
        errors.add_invalid(path, Shown::nothing(), "specifying both OnExitCodes and OnPodConditions is not supported");
    } else if (!by_codes && !by_conditions) {
        errors.add_invalid(path, Shown::nothing(), "specifying one of OnExitCodes and OnPodConditions is required");
    }
}

// The number of indexes listed, 0 when they cannot be read.
std::int64_t check_succeeded_indexes(const Text& indexes, std::int32_t completions, const FieldPath& path,
                                     FieldErrors& errors) {
    if (indexes.size() > kSucceededIndexesBytesMax) errors.add_too_long(path, kSucceededIndexesBytesMax);
    const Result<IndexRanges> parsed = IndexRanges::parse(indexes, completions);
    if (parsed.ok()) return parsed->count();
    errors.add_invalid(path, indexes, "error parsing succeededIndexes: " + parsed.error().message);
    return 0;
}

void check_success_rule(const SuccessPolicyRule& rule, std::int32_t completions, const FieldPath& path,
                        FieldErrors& errors) {
    if (!rule.succeeded_count && !rule.succeeded_indexes)
        errors.add_required(path, "at least one of succeededCount or succeededIndexes must be specified");
    std::int64_t listed = 0;
    if (rule.succeeded_indexes)
        listed = check_succeeded_indexes(*rule.succeeded_indexes, completions, path.child("succeededIndexes"), errors);
    if (!rule.succeeded_count) return;
    const std::int32_t count = *rule.succeeded_count;
    const FieldPath at = path.child("succeededCount");
    check_non_negative(at, count, errors);
    const auto at_most = [&](std::int64_t limit, const char* of_what) {
        if (count <= limit) return;
        errors.add_invalid(at, count, "must be less than or equal to " + std::to_string(limit) + " (" + of_what + ")");
    };
    at_most(completions, "the number of specified completions");
    if (rule.succeeded_indexes) at_most(listed, "the number of indexes in the specified succeededIndexes field");
}

}  // namespace

void check_pod_failure_policy(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    const auto& rules = spec.pod_failure_policy->rules;
    const FieldPath at = path.child("rules");
    if (rules.size() > kFailureRulesMax) errors.add_too_many(at, rules.size(), kFailureRulesMax);
    for (std::size_t i = 0; i < std::min(rules.size(), kFailureRulesMax); ++i)
        check_failure_rule(rules[i], spec, at.index(i), errors);
}

void check_success_policy(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (!batch::is_indexed(spec)) {
        errors.add_invalid(path, shown_json(*spec.success_policy), "requires indexed completion mode");
        return;
    }
    const auto& rules = spec.success_policy->rules;
    const FieldPath at = path.child("rules");
    if (rules.empty())
        errors.add_required(at, "at least one rules must be specified when the successPolicy is specified");
    if (rules.size() > kSuccessRulesMax) errors.add_too_many(at, rules.size(), kSuccessRulesMax);
    // Missing completions are an error of their own; no index can be judged without them.
    if (!spec.completions) return;
    for (std::size_t i = 0; i < std::min(rules.size(), kSuccessRulesMax); ++i)
        check_success_rule(rules[i], *spec.completions, at.index(i), errors);
}

void check_pod_replacement_policy(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (!spec.pod_replacement_policy || *spec.pod_replacement_policy == "Failed") return;
    if (spec.pod_failure_policy) {
        errors.add_not_supported(path, *spec.pod_replacement_policy, {"Failed"});
    } else if (!(*spec.pod_replacement_policy == "TerminatingOrFailed")) {
        errors.add_not_supported(path, *spec.pod_replacement_policy, {"Failed", "TerminatingOrFailed"});
    }
}

}  // namespace muster::api
