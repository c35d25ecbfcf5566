#include "manifests/definitions/field_rules.h"

#include <boost/json/parse.hpp>

#include "base/check.h"

namespace muster::manifests {
namespace {

constexpr std::string_view kStoredPackage = "io.x-k8s.kueue.v1beta2";
constexpr std::string_view kQueuePackages = "io.x-k8s.kueue";

constexpr const char* kObjectName =
    "{\"maxLength\":253,\"pattern\":\"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$\"}";
// An empty one means none.
constexpr const char* kNameOrNone =
    "{\"maxLength\":253,\"pattern\":\"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$\"}";
constexpr const char* kSetName = "{\"maxLength\":63,\"pattern\":\"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$\"}";
constexpr const char* kEight = R"({"maxItems":8})";
constexpr const char* kSixteen = R"({"maxItems":16})";
constexpr const char* kEighteen = R"({"maxItems":18})";
constexpr const char* kSixtyFour = R"({"maxItems":64})";
constexpr const char* kOneToSixtyFour = R"({"minItems":1,"maxItems":64})";
constexpr const char* kTwoHundredFiftySix = R"({"maxItems":256})";
constexpr const char* kNotNegative = R"({"minimum":0})";
constexpr const char* kNever = R"({"default":"Never"})";
constexpr const char* kNoStop = R"({"default":"None"})";
constexpr const char* kMain = R"({"default":"main"})";
constexpr const char* kEmptyStruct = R"({"default":{}})";

constexpr FieldRule kRules[] = {
    // Quota.
    {"ResourceGroup", "coveredResources", kOneToSixtyFour},
    {"ResourceGroup", "flavors", kOneToSixtyFour},
    {"FlavorQuotas", "name", kObjectName},
    {"FlavorQuotas", "resources", kOneToSixtyFour},
    {"FairSharing", "weight", R"({"default":1})"},

    // ClusterQueue.
    {"ClusterQueueSpec", "resourceGroups", kSixteen},
    {"ClusterQueueSpec", "cohortName", kNameOrNone},
    {"ClusterQueueSpec", "cohort", kNameOrNone},
    {"ClusterQueueSpec", "queueingStrategy", R"({"default":"BestEffortFIFO"})"},
    {"ClusterQueueSpec", "stopPolicy", kNoStop},
    {"ClusterQueueSpec", "flavorFungibility", kEmptyStruct},
    {"ClusterQueueSpec", "preemption", kEmptyStruct},
    {"FlavorFungibility", "whenCanBorrow", R"({"default":"MayStopSearch"})"},
    {"FlavorFungibility", "whenCanPreempt", R"({"default":"TryNextFlavor"})"},
    {"ClusterQueuePreemption", "reclaimWithinCohort", kNever},
    {"ClusterQueuePreemption", "withinClusterQueue", kNever},
    {"ClusterQueuePreemption", "borrowWithinCohort", kEmptyStruct},
    {"BorrowWithinCohort", "policy", kNever},
    {"AdmissionChecksStrategy", "admissionChecks", kOneToSixtyFour},
    {"AdmissionCheckStrategyRule", "onFlavors", kSixtyFour},
    {"ClusterQueueStatus", "conditions", kSixteen},
    {"ClusterQueueStatus", "flavorsReservation", kTwoHundredFiftySix},
    {"ClusterQueueStatus", "flavorsUsage", kTwoHundredFiftySix},
    {"FlavorUsage", "resources", kSixtyFour},

    // Cohort.
    {"CohortSpec", "parentName", kNameOrNone},
    {"CohortSpec", "resourceGroups", kSixteen},

    // LocalQueue.
    {"LocalQueueSpec", "clusterQueue", kNameOrNone},
    {"LocalQueueSpec", "stopPolicy", kNoStop},
    {"LocalQueueStatus", "conditions", kSixteen},
    {"LocalQueueStatus", "flavorsReservation", kTwoHundredFiftySix},
    {"LocalQueueStatus", "flavorsUsage", kTwoHundredFiftySix},
    {"LocalQueueStatus", "flavorUsage", kTwoHundredFiftySix},
    {"LocalQueueFlavorUsage", "resources", kSixtyFour},

    // AdmissionCheck, ResourceFlavor, WorkloadPriorityClass.
    {"AdmissionCheckSpec", "controllerName", R"({"minLength":1,"maxLength":253})"},
    {"AdmissionCheckParametersReference", "apiGroup", kObjectName},
    {"AdmissionCheckParametersReference", "name", kSetName},
    {"AdmissionCheckStatus", "conditions", kSixteen},
    {"ResourceFlavorSpec", "nodeLabels", R"({"maxProperties":8})"},
    {"ResourceFlavorSpec", "nodeTaints", kEight},
    {"ResourceFlavorSpec", "tolerations", kEight},
    {"ResourceFlavorSpec", "topologyName", kObjectName},
    {"WorkloadPriorityClass", "description", R"({"maxLength":2048})"},

    // Workload.
    {"WorkloadSpec", "podSets", R"({"minItems":1,"maxItems":18})"},
    {"WorkloadSpec", "queueName", kNameOrNone},
    {"WorkloadSpec", "active", R"({"default":true})"},
    {"WorkloadSpec", "maximumExecutionTimeSeconds", R"({"minimum":1})"},
    {"WorkloadSpec", "preemptionGates", kEight},
    {"PreemptionGate", "name", R"({"maxLength":63})"},
    {"PriorityClassRef", "name", kObjectName},
    {"PodSet", "name", kSetName},
    {"PodSet", "name", kMain},
    {"PodSet", "count", R"({"default":1,"minimum":0})"},
    {"PodSet", "minCount", R"({"minimum":1})"},
    {"PodSetAssignment", "name", kSetName},
    {"PodSetAssignment", "name", kMain},
    {"PodSetAssignment", "count", kNotNegative},
    {"Admission", "clusterQueue", kNameOrNone},
    {"Admission", "podSetAssignments", kEighteen},
    {"ReclaimablePod", "count", kNotNegative},
    {"WorkloadSchedulingStatsEviction", "underlyingCause", R"({"default":""})"},
    {"SchedulingStats", "evictions", kTwoHundredFiftySix},
    {"AdmissionCheckState", "message", R"({"maxLength":32768})"},
    {"AdmissionCheckState", "podSetUpdates", kEighteen},
    {"PodSetUpdate", "tolerations", kEight},
    {"WorkloadStatus", "conditions", kSixteen},
    {"WorkloadStatus", "reclaimablePods", kEighteen},
    {"WorkloadStatus", "resourceRequests", kEighteen},
    {"WorkloadStatus", "admissionChecks", kEight},
    {"WorkloadStatus", "nominatedClusterNames", R"({"maxItems":20,"items":{"type":"string","maxLength":256}})"},
    {"WorkloadStatus", "clusterName", R"({"maxLength":256})"},
    {"WorkloadStatus", "unhealthyNodes", kEight},
    {"WorkloadStatus", "preemptionGates", kEight},
};

Array validations(const api::TypeInfo& type, std::string_view field) {
    Array all;
    for (const CelRule& rule : cel_rules()) {
        if (type.name != rule.type || field != rule.field) continue;
        if (rule.stored_only && type.package != kStoredPackage) continue;
        all.push_back({{"rule", rule.rule}, {"message", rule.message}});
    }
    return all;
}

}  // namespace

std::span<const FieldRule> field_rules() { return kRules; }

Object schema_keywords(const api::TypeInfo& type, std::string_view field) {
    Object all;
    if (!type.package.starts_with(kQueuePackages)) return all;
    for (const FieldRule& rule : kRules) {
        if (type.name != rule.type || field != rule.field) continue;
        const Tree keywords = boost::json::parse(rule.keywords);
        for (const auto& [key, value] : keywords.as_object()) {
            CHECK(!all.contains(key), "two rows say the same of one field");
            all[key] = value;
        }
    }
    if (Array rules = validations(type, field); !rules.empty()) all["x-kubernetes-validations"] = std::move(rules);
    return all;
}

}  // namespace muster::manifests
