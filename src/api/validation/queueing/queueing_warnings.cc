#include "api/validation/queueing/queueing_warnings.h"

#include <string_view>

#include "api/kinds/kueue/kueue_names.h"

namespace muster::api {
namespace {

std::string without_effect(std::string_view field, std::string_view why) {
    return std::string(field).append(": is stored without effect: ").append(why);
}

constexpr const char* kNoUsageSharingMode = "NoAdmissionFairSharing";
constexpr std::string_view kNoUsageSharing =
    "this server does not order workloads by the past use of their LocalQueues";

}  // namespace

std::vector<std::string> cluster_queue_warnings(const kueue::ClusterQueue& now, const kueue::ClusterQueue*) {
    const auto& scope = now.spec.admission_scope;
    // Without sharing by use nothing is asked for that would be missing.
    if (!scope || scope->admission_mode == kNoUsageSharingMode) return {};
    return {without_effect("spec.admissionScope", kNoUsageSharing)};
}

std::vector<std::string> local_queue_warnings(const kueue::LocalQueue& now, const kueue::LocalQueue*) {
    if (!now.spec.fair_sharing) return {};
    return {without_effect("spec.fairSharing", kNoUsageSharing)};
}

std::vector<std::string> resource_flavor_warnings(const kueue::ResourceFlavor& now, const kueue::ResourceFlavor*) {
    if (!now.spec.topology_name) return {};
    return {without_effect("spec.topologyName", "this server does not place pods by topology")};
}

std::vector<std::string> workload_warnings(const kueue::Workload& now, const kueue::Workload*) {
    std::vector<std::string> out;
    if (!now.spec.preemption_gates.empty())
        out.push_back(without_effect("spec.preemptionGates", "the workload may preempt others before they are open"));
    if (now.metadata.annotations.contains(kueue::kPriorityBoostAnnotation))
        out.push_back(without_effect("metadata.annotations[" + std::string(kueue::kPriorityBoostAnnotation) + "]",
                                     "only spec.priority counts"));
    return out;
}

}  // namespace muster::api
