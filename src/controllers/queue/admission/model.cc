#include "controllers/queue/admission/model.h"

#include <algorithm>

#include "api/kinds/kueue_names.h"
#include "api/selector/node_match.h"
#include "api/value/quantity.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;
using api::core::NodeSelectorRequirement;
using api::core::NodeSelectorTerm;
using api::core::Taint;

// Only the flavor's own labels are asked about; the rest is for the scheduler. A term that asks about none of them
// allows the flavor.
bool affinity_allows(const Box<api::core::NodeSelector>& required, const Map<Text>& labels) {
    if (!required || required->node_selector_terms.empty()) return true;
    for (const NodeSelectorTerm& term : required->node_selector_terms) {
        const bool met = std::all_of(term.match_expressions.begin(), term.match_expressions.end(),
                                     [&](const NodeSelectorRequirement& requirement) {
                                         const Text* value = labels.find(requirement.key);
                                         return !value || api::meets_requirement(requirement, value);
                                     });
        if (met) return true;
    }
    return false;
}

std::string describe(const Obstruction& it, const Names& names) {
    const auto resource = [&]() -> const Text& { return names.resource_name(it.resource); };
    switch (it.obstacle) {
        case Obstacle::kInsufficient:
            return "insufficient quota for " + resource().str() + " in flavor " + names.flavor_name(it.flavor).str() +
                   ", " + format_amount(resource(), it.amount) + " more needed";
        case Obstacle::kBeyondCapacity:
            return "insufficient quota for " + resource().str() + " in flavor " + names.flavor_name(it.flavor).str() +
                   ", " + format_amount(resource(), it.asked) + " requested and never more than " +
                   format_amount(resource(), it.amount) + " to be had";
        case Obstacle::kNoSuchResource: return "the ClusterQueue has no quota for " + resource().str();
        case Obstacle::kMismatch: return it.text;
        case Obstacle::kFlavorMissing: return "there is no flavor " + names.flavor_name(it.flavor).str();
        case Obstacle::kPendingEvictions:
            return "waiting for " + std::to_string(it.amount) + " preempted workload(s) to give back quota";
        case Obstacle::kBehindOther: return "the ClusterQueue is strict, and an earlier workload waits";
    }
    return {};
}

bool is_about_pod_set(Obstacle obstacle) { return obstacle < Obstacle::kPendingEvictions; }

}  // namespace

bool Shape::may_shrink() const {
    return std::any_of(pod_sets.begin(), pod_sets.end(),
                       [](const PodSetShape& pods) { return pods.min_count < pods.count; });
}

std::string format_amount(const Text& resource, Amount amount) {
    using api::Quantity;
    if (resource == "cpu") return Quantity::from_milli(amount).text();
    const bool bytes =
        resource == "memory" || resource == "ephemeral-storage" || resource.view().starts_with("hugepages-");
    return Quantity::from_int(amount, bytes ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI).text();
}

std::string explain(const std::vector<Obstruction>& obstructions, const Shape& shape, const Names& names) {
    std::string out;
    const Obstruction* last = nullptr;
    for (const Obstruction& it : obstructions) {
        const bool same_set =
            last && is_about_pod_set(it.obstacle) == is_about_pod_set(last->obstacle) && it.pod_set == last->pod_set;
        if (!out.empty()) out += same_set ? ", " : "; ";
        if (!same_set && is_about_pod_set(it.obstacle) && it.pod_set < shape.pod_sets.size())
            out += "couldn't assign flavors to pod set " + shape.pod_sets[it.pod_set].name.str() + ": ";
        out += describe(it, names);
        last = &it;
    }
    return out;
}

const char* reason_of(const std::vector<Obstruction>& obstructions) {
    // It comes last, behind what was missing before anybody was preempted.
    if (!obstructions.empty() && obstructions.back().obstacle == Obstacle::kPendingEvictions)
        return kueue::kReasonWaitingForPreemptedWorkloads;
    const char* reason = kueue::kReasonWaitingForQuota;
    for (const Obstruction& it : obstructions) {
        if (it.obstacle == Obstacle::kInsufficient) return kueue::kReasonWaitingForQuota;
        if (it.obstacle == Obstacle::kBeyondCapacity) reason = kueue::kReasonExceedsMaxQuota;
        if (it.obstacle == Obstacle::kMismatch && reason != std::string_view(kueue::kReasonExceedsMaxQuota))
            reason = kueue::kReasonNoMatchingFlavor;
        if (it.obstacle == Obstacle::kNoSuchResource || it.obstacle == Obstacle::kFlavorMissing)
            reason = kueue::kReasonMisconfigured;
    }
    return reason;
}

std::string find_mismatch(const Placement& placement, const Flavor& flavor, const Text& flavor_name) {
    for (const Taint& taint : flavor.node_taints) {
        if (!(taint.effect == "NoSchedule") && !(taint.effect == "NoExecute")) continue;
        if (api::is_tolerated(placement.tolerations, taint) || api::is_tolerated(flavor.tolerations, taint)) continue;
        return "untolerated taint " + taint.key.str() + (taint.value.empty() ? "" : "=" + taint.value.str()) + ":" +
               taint.effect.str() + " in flavor " + flavor_name.str();
    }
    for (const auto& [key, wanted] : placement.node_selector) {
        const Text* value = flavor.node_labels.find(key);
        if (value && !(*value == wanted)) return "flavor " + flavor_name.str() + " does not match the node selector";
    }
    if (!affinity_allows(placement.required, flavor.node_labels))
        return "flavor " + flavor_name.str() + " does not match the node affinity";
    return {};
}

}  // namespace muster::controllers::queue
