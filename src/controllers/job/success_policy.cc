#include "controllers/job/success_policy.h"

namespace muster::controllers::jobs {

using tally::IndexSet;

namespace {

bool rule_holds(const api::batch::SuccessPolicyRule& rule, std::int32_t completions, const IndexSet& succeeded) {
    if (!rule.succeeded_indexes) return rule.succeeded_count && succeeded.size() >= *rule.succeeded_count;
    const IndexSet listed = IndexSet::parse(*rule.succeeded_indexes, completions);
    if (listed.empty()) return false;
    const std::int64_t done = succeeded.count_common(listed);
    return done == listed.size() || (rule.succeeded_count && done >= *rule.succeeded_count);
}

}  // namespace

std::optional<std::string> match_success_policy(const api::batch::SuccessPolicy* policy, std::int32_t completions,
                                                const IndexSet& succeeded) {
    if (!policy || succeeded.empty()) return std::nullopt;
    for (std::size_t i = 0; i < policy->rules.size(); ++i)
        if (rule_holds(policy->rules[i], completions, succeeded)) return "Matched rules at index " + std::to_string(i);
    return std::nullopt;
}

}  // namespace muster::controllers::jobs
