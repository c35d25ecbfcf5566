#include "api/validation/disruption_budget.h"

#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using policy::PodDisruptionBudget;
using policy::PodDisruptionBudgetSpec;

void check_amount(const IntOrString& amount, const FieldPath& path, FieldErrors& errors) {
    if (!amount.is_string()) return check_non_negative(path, amount.number(), errors);
    const Problems problems = is_percent(amount.string());
    errors.add_problems(path, amount.string(), problems);
    if (problems.empty() && amount.scaled_value(1000, false).value() > 1000)
        errors.add_invalid(path, amount.string(), "must not be greater than 100%");
}

void check_spec(const PodDisruptionBudgetSpec& spec, FieldErrors& errors) {
    const FieldPath path("spec");
    if (spec.min_available && spec.max_unavailable)
        errors.add_invalid(path, shown_json(spec), "minAvailable and maxUnavailable cannot be both set");
    if (spec.min_available) check_amount(*spec.min_available, path.child("minAvailable"), errors);
    if (spec.max_unavailable) check_amount(*spec.max_unavailable, path.child("maxUnavailable"), errors);
    if (spec.selector) check_label_selector(*spec.selector, path.child("selector"), errors);
    const auto& policy = spec.unhealthy_pod_eviction_policy;
    if (policy && !(*policy == "AlwaysAllow") && !(*policy == "IfHealthyBudget")) {
        errors.add_not_supported(path.child("unhealthyPodEvictionPolicy"), *policy, {"AlwaysAllow", "IfHealthyBudget"});
    }
}

}  // namespace

FieldErrors validate_disruption_budget_create(const PodDisruptionBudget& budget) {
    FieldErrors errors;
    check_metadata(budget.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    check_spec(budget.spec, errors);
    return errors;
}

FieldErrors validate_disruption_budget_update(const PodDisruptionBudget& now, const PodDisruptionBudget&) {
    FieldErrors errors;
    check_spec(now.spec, errors);
    return errors;
}

FieldErrors validate_disruption_budget_status_update(const PodDisruptionBudget& now, const PodDisruptionBudget&) {
    FieldErrors errors;
    const FieldPath path("status");
    check_non_negative(path.child("disruptionsAllowed"), now.status.disruptions_allowed, errors);
    check_non_negative(path.child("currentHealthy"), now.status.current_healthy, errors);
    check_non_negative(path.child("desiredHealthy"), now.status.desired_healthy, errors);
    check_non_negative(path.child("expectedPods"), now.status.expected_pods, errors);
    return errors;
}

}  // namespace muster::api
