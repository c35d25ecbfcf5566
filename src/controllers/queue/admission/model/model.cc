#include "controllers/queue/admission/model/model.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
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

// Users of Kueue look for these words.
std::string describe(const Obstruction& it, const Names& names) {
    const auto resource = [&]() -> const Text& { return names.resource_name(it.resource); };
    const auto amount = [&](Amount of) { return format_amount(resource(), of); };
    const auto in_flavor = [&] { return resource().str() + " in flavor " + names.flavor_name(it.flavor).str(); };
    switch (it.obstacle) {
        case Obstacle::kInsufficient:
            return "insufficient unused quota for " + in_flavor() + ", " + amount(it.amount) + " more needed";
        case Obstacle::kBeyondCapacity:
            return "insufficient quota for " + in_flavor() + ", previously considered podsets requests (" +
                   amount(it.assumed) + ") + current podset request (" + amount(minus(it.asked, it.assumed)) +
                   ") > maximum capacity (" + amount(it.amount) + ")";
        case Obstacle::kNoSuchResource: return "resource " + it.text + " unavailable in ClusterQueue";
        case Obstacle::kMismatch: return it.text;
        case Obstacle::kFlavorMissing: return "flavor " + names.flavor_name(it.flavor).str() + " not found";
        case Obstacle::kPendingEvictions:
            return "Pending the preemption of " + std::to_string(it.amount) + " workload(s)";
        case Obstacle::kBehindOther: return "the ClusterQueue is strict, and an earlier workload waits";
        case Obstacle::kCircle:
            return "Workloads that could be preempted have preempted this one, directly or through others, and are "
                   "not preempted in turn";
    }
    return {};
}

// By the node selector or the affinity of the pods.
std::string does_not_match(const Text& flavor) { return "flavor " + flavor.str() + " doesn't match node affinity"; }

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
    for (std::size_t i = 0; i < obstructions.size();) {
        const Obstruction& first = obstructions[i];
        const bool of_set = is_about_pod_set(first.obstacle);
        std::vector<std::string> sentences;
        for (; i < obstructions.size() && is_about_pod_set(obstructions[i].obstacle) == of_set &&
               obstructions[i].pod_set == first.pod_set;
             ++i)
            sentences.push_back(describe(obstructions[i], names));
        std::sort(sentences.begin(), sentences.end());
        if (!out.empty()) out += of_set ? "; " : ". ";
        if (of_set && first.pod_set < shape.pod_sets.size())
            out += "couldn't assign flavors to pod set " + shape.pod_sets[first.pod_set].name.str() + ": ";
        for (std::size_t at = 0; at < sentences.size(); ++at) out += (at ? ", " : "") + sentences[at];
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
        return "untolerated taint {" + taint.key.str() + " " + taint.value.str() + " " + taint.effect.str() +
               " <nil>} in flavor " + flavor_name.str();
    }
    for (const auto& [key, wanted] : placement.node_selector) {
        const Text* value = flavor.node_labels.find(key);
        if (value && !(*value == wanted)) return does_not_match(flavor_name);
    }
    if (!affinity_allows(placement.required, flavor.node_labels)) return does_not_match(flavor_name);
    return {};
}

}  // namespace muster::controllers::queue
