#include "api/kinds/kueue/v1beta1_conversion.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"

namespace muster::api::kueue {
namespace v1beta1_conversion_test {

template <class T>
T must_read(std::string_view json) {
    Result<T> read = from_json<T>(json);
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    return read.ok() ? *std::move(read) : T{};
}

// The older form, what is stored of it, and the older form that comes back.
template <class Old>
void expect_stored(std::string_view old, std::string_view stored, std::string_view back) {
    const Old written = must_read<Old>(old);
    const auto kept = to_stored(written);
    EXPECT_EQ(to_json(kept), to_json(must_read<std::decay_t<decltype(kept)>>(stored)));
    EXPECT_EQ(to_json(from_stored(kept)), to_json(must_read<Old>(back)));
}

TEST(OlderClusterQueue, SaysCohortAndChecksInItsOwnWay) {
    expect_stored<v1beta1::ClusterQueue>(
        R"({"metadata":{"name":"q"},"spec":{"cohort":"all","admissionChecks":["a","b"],"stopPolicy":"Hold",
            "namespaceSelector":{},"flavorFungibility":{"whenCanBorrow":"Borrow","whenCanPreempt":"Preempt"},
            "resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[
              {"name":"cpu","nominalQuota":"9","borrowingLimit":"1"}]}]}]},
            "status":{"pendingWorkloads":3}})",
        R"({"metadata":{"name":"q"},"spec":{"cohortName":"all","stopPolicy":"Hold",
            "admissionChecksStrategy":{"admissionChecks":[{"name":"a"},{"name":"b"}]},
            "namespaceSelector":{},"flavorFungibility":{"whenCanBorrow":"MayStopSearch","whenCanPreempt":"MayStopSearch"},
            "resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[
              {"name":"cpu","nominalQuota":"9","borrowingLimit":"1"}]}]}]},
            "status":{"pendingWorkloads":3}})",
        R"({"metadata":{"name":"q"},"spec":{"cohort":"all","stopPolicy":"Hold",
            "admissionChecksStrategy":{"admissionChecks":[{"name":"a"},{"name":"b"}]},
            "namespaceSelector":{},"flavorFungibility":{"whenCanBorrow":"MayStopSearch","whenCanPreempt":"MayStopSearch"},
            "resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[
              {"name":"cpu","nominalQuota":"9","borrowingLimit":"1"}]}]}]},
            "status":{"pendingWorkloads":3}})");
}

TEST(OlderClusterQueue, KeepsWhatIsAbsentAbsent) {
    EXPECT_FALSE(to_stored(v1beta1::ClusterQueue{}).spec.flavor_fungibility);
    EXPECT_FALSE(to_stored(v1beta1::ClusterQueue{}).spec.admission_checks_strategy);
    EXPECT_FALSE(from_stored(ClusterQueue{}).spec.flavor_fungibility);
}

TEST(OlderLocalQueue, SaysFlavorUsage) {
    constexpr std::string_view kOld =
        R"({"spec":{"clusterQueue":"q"},"status":{"flavorUsage":[{"name":"f","resources":[{"name":"cpu","total":"2"}]}]}})";
    expect_stored<v1beta1::LocalQueue>(
        kOld,
        R"({"spec":{"clusterQueue":"q"},"status":{"flavorsUsage":[{"name":"f","resources":[{"name":"cpu","total":"2"}]}]}})",
        kOld);
}

TEST(OlderWorkload, NamesItsPriorityClassBySource) {
    constexpr std::string_view kOld =
        R"({"spec":{"queueName":"q","priorityClassName":"high","priority":5,
            "priorityClassSource":"kueue.x-k8s.io/workloadpriorityclass"},
            "status":{"accumulatedPastExexcutionTimeSeconds":7}})";
    expect_stored<v1beta1::Workload>(kOld, R"({"spec":{"queueName":"q","priority":5,
            "priorityClassRef":{"group":"kueue.x-k8s.io","kind":"WorkloadPriorityClass","name":"high"}},
            "status":{"accumulatedPastExecutionTimeSeconds":7}})",
                                     kOld);
    constexpr std::string_view kPods =
        R"({"spec":{"priorityClassName":"p","priority":1,"priorityClassSource":"scheduling.k8s.io/priorityclass"}})";
    expect_stored<v1beta1::Workload>(
        kPods,
        R"({"spec":{"priority":1,"priorityClassRef":{"group":"scheduling.k8s.io","kind":"PriorityClass","name":"p"}}})",
        kPods);
}

TEST(OlderWorkload, ListsTheDomainsOfItsTopology) {
    constexpr std::string_view kOld =
        R"({"status":{"admission":{"clusterQueue":"c","podSetAssignments":[{"name":"main","count":6,
            "topologyAssignment":{"levels":["block","rack"],"domains":[
              {"values":["b1","r1"],"count":4},{"values":["b1","r2"],"count":2}]}}]}}})";
    expect_stored<v1beta1::Workload>(
        kOld, R"({"status":{"admission":{"clusterQueue":"c","podSetAssignments":[{"name":"main","count":6,
            "topologyAssignment":{"levels":["block","rack"],"slices":[{"domainCount":2,
              "valuesPerLevel":[{"individual":{"roots":["b1","b1"]}},{"individual":{"roots":["r1","r2"]}}],
              "podCounts":{"individual":[4,2]}}]}}]}}})",
        kOld);
    const Workload compact = must_read<Workload>(
        R"({"status":{"admission":{"podSetAssignments":[{"topologyAssignment":{"levels":["block","rack"],
            "slices":[{"domainCount":2,"valuesPerLevel":[{"universal":"b1"},
              {"individual":{"prefix":"r","suffix":"x","roots":["1","2"]}}],"podCounts":{"universal":3}}]}}]}}})");
    const v1beta1::Workload seen = from_stored(compact);
    const auto& domains = seen.status.admission->pod_set_assignments[0].topology_assignment->domains;
    ASSERT_EQ(domains.size(), 2u);
    EXPECT_EQ(domains[1].values[0], "b1");
    EXPECT_EQ(domains[1].values[1], "r2x");
    EXPECT_EQ(domains[1].count, 3);
}

TEST(OlderAdmissionCheck, DropsTheRetryDelay) {
    expect_stored<v1beta1::AdmissionCheck>(
        R"({"spec":{"controllerName":"c","retryDelayMinutes":3,"parameters":{"apiGroup":"g","kind":"K","name":"n"}}})",
        R"({"spec":{"controllerName":"c","parameters":{"apiGroup":"g","kind":"K","name":"n"}}})",
        R"({"spec":{"controllerName":"c","parameters":{"apiGroup":"g","kind":"K","name":"n"}}})");
}

}  // namespace v1beta1_conversion_test
}  // namespace muster::api::kueue
