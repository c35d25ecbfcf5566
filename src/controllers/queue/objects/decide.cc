#include "controllers/queue/objects/decide.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;
constexpr std::size_t kNamedMax = 5;

std::string list_users(const std::vector<std::string>& users) {
    std::string text = "It is still used by ";
    for (std::size_t i = 0; i < users.size() && i < kNamedMax; ++i) text += (i == 0 ? "" : ", ") + users[i];
    return users.size() > kNamedMax ? text + " and others" : text;
}

}  // namespace

HoldPlan decide_hold(const api::meta::ObjectMeta& metadata, const FindUsers& users) {
    const auto& finalizers = metadata.finalizers;
    const bool held = std::any_of(finalizers.begin(), finalizers.end(),
                                  [](const Text& name) { return name == kueue::kResourceInUseFinalizer; });
    HoldPlan plan;
    // Nothing can be added to what is already going.
    if (!metadata.deletion_timestamp) {
        plan.hold = !held;
        return plan;
    }
    if (!held) return plan;
    const std::vector<std::string> found = users();
    plan.release = found.empty();
    if (!found.empty()) plan.why = list_users(found);
    return plan;
}

bool uses_flavor(const kueue::ClusterQueue& queue, std::string_view flavor) {
    for (const kueue::ResourceGroup& group : queue.spec.resource_groups)
        for (const kueue::FlavorQuotas& quotas : group.flavors)
            if (quotas.name == flavor) return true;
    return false;
}

bool uses_check(const kueue::ClusterQueue& queue, std::string_view check) {
    if (!queue.spec.admission_checks_strategy) return false;
    const auto& rules = queue.spec.admission_checks_strategy->admission_checks;
    return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return rule.name == check; });
}

bool is_closed(const kueue::ClusterQueue& queue) {
    const auto& conditions = queue.status.conditions;
    return std::any_of(conditions.begin(), conditions.end(), [](const auto& it) {
        return it.type == kueue::kActiveCondition && it.status == kueue::kConditionFalse &&
               it.reason == kueue::kActiveTerminating;
    });
}

bool uses_queue(const kueue::Workload& workload, std::string_view cluster_queue) {
    if (!workload.status.admission || !(workload.status.admission->cluster_queue == cluster_queue)) return false;
    const auto holds = [&](const char* type) {
        return std::any_of(workload.status.conditions.begin(), workload.status.conditions.end(),
                           [&](const auto& it) { return it.type == type && it.status == kueue::kConditionTrue; });
    };
    return holds(kueue::kWorkloadQuotaReserved) && !holds(kueue::kWorkloadFinished);
}

}  // namespace muster::controllers::queue
