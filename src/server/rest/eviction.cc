#include "server/rest/eviction.h"

#include "api/kinds/conditions.h"
#include "api/kinds/core/pod_phase.h"
#include "api/selector/label_selector.h"
#include "server/objects/deletion.h"

namespace muster::server {
namespace {

using api::core::Pod;
using api::policy::PodDisruptionBudget;

// What ends anyway, or has not begun, disrupts nothing.
bool needs_no_budget(const Pod& pod) {
    return has_ended(pod) || pod.status.phase == "Pending" || pod.metadata.deletion_timestamp;
}

bool is_ready(const Pod& pod) { return api::is_condition_true(pod.status.conditions, "Ready"); }

Error refused(std::string why, int retry_after_seconds) {
    Error error{Code::kTooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget."};
    error.causes.push_back({"DisruptionBudget", "", std::move(why)});
    error.retry_after_seconds = retry_after_seconds;
    return error;
}

// Whether an unready pod may go without counting.
bool goes_uncounted(const Pod& pod, const PodDisruptionBudget& budget) {
    if (is_ready(pod)) return false;
    if (budget.spec.unhealthy_pod_eviction_policy && *budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow")
        return true;
    return budget.status.current_healthy >= budget.status.desired_healthy && budget.status.desired_healthy > 0;
}

std::vector<KindObjectPtr> budgets_of(const Objects& objects, const Pod& pod) {
    std::vector<KindObjectPtr> found;
    const auto listing =
        objects.store().list(list_prefix(api::kind_info<PodDisruptionBudget>(), pod.metadata.namespace_));
    if (!listing.ok()) return found;
    for (const store::Stored& item : listing->items) {
        auto object = std::static_pointer_cast<const KindObject>(item.object);
        const auto& budget = as<PodDisruptionBudget>(*object);
        const auto selector = api::LabelSelector::from(budget.spec.selector.get());
        if (selector.ok() && selector->matches(pod.metadata.labels)) found.push_back(std::move(object));
    }
    return found;
}

}  // namespace

Result<EvictionPlan> decide_eviction(const Pod& pod, const std::vector<const PodDisruptionBudget*>& budgets,
                                     Instant now) {
    if (needs_no_budget(pod) || budgets.empty()) return EvictionPlan{};
    if (budgets.size() > 1)
        return Error{
            Code::kInternal,
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."};
    const PodDisruptionBudget& budget = *budgets.front();
    if (goes_uncounted(pod, budget)) return EvictionPlan{};
    const std::string name = budget.metadata.name.str();
    if (budget.status.observed_generation < budget.metadata.generation)
        return refused("The disruption budget " + name + " is still being processed by the server.", 10);
    if (budget.status.disruptions_allowed <= 0)
        return refused("The disruption budget " + name + " needs " + std::to_string(budget.status.desired_healthy) +
                           " healthy pods and has " + std::to_string(budget.status.current_healthy) + " currently",
                       0);
    EvictionPlan plan{budget};
    --plan.budget->status.disruptions_allowed;
    plan.budget->status.disrupted_pods.set(pod.metadata.name, api::Time::from_instant(now));
    return plan;
}

Result<Answer> evict_pod(Objects& objects, Call& call) {
    const auto& eviction = as<api::policy::Eviction>(*call.body->object);
    if (!(eviction.metadata.name == call.route.name))
        return Error{Code::kBadRequest, "name in URL does not match name in Eviction object"};
    const Place place = place_of(call);
    TRY_ASSIGN(const KindObjectPtr before, objects.get(place));
    const Pod& pod = as<Pod>(*before);
    api::meta::DeleteOptions options;
    if (eviction.delete_options) options = *eviction.delete_options;
    const bool dry_run = call.write.dry_run || !options.dry_run.empty();
    call.write.dry_run = dry_run;
    // Nothing is counted or marked for a delete that would be refused.
    TRY(decide_deletion(place.kind, pod.metadata, api::find_rules(place.kind)->grace(&pod), options, objects.now()));
    const std::vector<KindObjectPtr> found = budgets_of(objects, pod);
    std::vector<const PodDisruptionBudget*> budgets;
    budgets.reserve(found.size());
    for (const KindObjectPtr& object : found) budgets.push_back(&as<PodDisruptionBudget>(*object));
    TRY_ASSIGN(const EvictionPlan plan, decide_eviction(pod, budgets, objects.now()));
    if (plan.budget) {
        const Place budget_place{api::kind_info<PodDisruptionBudget>(), place.namespace_, plan.budget->metadata.name};
        const auto count = [&](const KindObjectPtr&) -> Result<std::shared_ptr<KindObject>> {
            return make_object(api::kind_info<PodDisruptionBudget>(), &*plan.budget);
        };
        TRY(objects.rewrite(budget_place, count, dry_run));
    }
    if (!dry_run) {
        const auto mark = [&](const KindObjectPtr& now) -> Result<std::shared_ptr<KindObject>> {
            std::shared_ptr<KindObject> marked = make_object(now->kind(), now->data());
            api::set_condition(as<Pod>(*marked).status.conditions,
                               {"DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting"},
                               api::Time::from_instant(objects.now()));
            return marked;
        };
        TRY_ASSIGN(const Outcome marked, objects.rewrite(place, mark, false));
        // A version that the caller named was looked at; the one that we just made stands for it.
        if (options.preconditions && options.preconditions->resource_version)
            options.preconditions.edit().resource_version = marked.object->metadata().resource_version;
    }
    TRY_ASSIGN(const Outcome outcome, objects.remove(place, options, write_options(call)));
    api::meta::Status done;
    done.status = "Success";
    done.code = 201;
    return answer_status(done, call.as.form, outcome.revision);
}

}  // namespace muster::server
