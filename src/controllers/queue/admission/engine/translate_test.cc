#include "controllers/queue/admission/engine/translate.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "controllers/queue/admission/engine/assign.h"

namespace muster::controllers::queue {
namespace translate_test {

using api::kueue::Workload;

Workload workload_of(const std::string& set, int reclaimable) {
    return api::from_yaml<Workload>(
               "{metadata: {name: w}, spec: {podSets: [{name: main, " + set +
               ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}}}]}, "
               "status: {reclaimablePods: [{name: main, count: " +
               std::to_string(reclaimable) + "}]}}")
        .value();
}

// Admitted with as many pods as its shape asks for, all of one flavor.
Workload admitted(Workload workload, Names& names) {
    const Shape shape = shape_of(workload, {});
    PodSetChoice choice;
    choice.count = shape.pod_sets[0].count;
    for (const auto& [resource, amount] : shape.pod_sets[0].per_pod)
        choice.choices.push_back({names.resource(resource), names.flavor("f"), times(amount, choice.count)});
    workload.status.admission = make_admission(workload, "q", {choice}, names);
    return workload;
}

TEST(Translate, PodsThatWereReclaimableBeforeAdmissionAreNotAskedForAndNotAssigned) {
    struct Case {
        const char* name;
        const char* set;
        int reclaimable;
        int count;
        const char* cpu;
        const char* memory;
    };
    const Case cases[] = {
        {"none", "count: 5", 0, 5, "2500m", "5Gi"},
        {"two of five", "count: 5", 2, 3, "1500m", "3Gi"},
        {"all of five", "count: 5", 5, 0, "0", "0"},
        {"more than there are", "count: 5", 7, 0, "0", "0"},
        {"the lowest number of pods", "count: -2147483648", 2147483647, 0, "0", "0"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        Names names;
        const Workload workload = admitted(workload_of(one.set, one.reclaimable), names);
        const api::kueue::PodSetAssignment& assignment = workload.status.admission->pod_set_assignments[0];
        EXPECT_EQ(assignment.count, one.count);
        EXPECT_EQ(assignment.resource_usage.find("cpu")->text(), one.cpu);
        EXPECT_EQ(assignment.resource_usage.find("memory")->text(), one.memory);
        EXPECT_EQ(*assignment.flavors.find("cpu"), "f");
        EXPECT_EQ(requests_of(workload, {})[0].resources.find("cpu")->text(), one.cpu);
        // What was reclaimable before is not taken off a second time.
        const Slot cpu = names.slot(names.flavor("f"), names.resource("cpu"));
        Amount used = 0;
        for (const Use& use : usage_of(workload, names)) used += use.slot == cpu ? use.amount : 0;
        EXPECT_EQ(used, 500 * one.count);
    }
}

TEST(Translate, PodsThatAreReclaimableAfterAdmissionGiveTheirPartOfTheUsageBack) {
    Names names;
    Workload workload = admitted(workload_of("count: 5", 2), names);
    workload.status.reclaimable_pods.edit()[0].count = 4;
    const Usage usage = usage_of(workload, names);
    const Slot cpu = names.slot(names.flavor("f"), names.resource("cpu"));
    const auto found = std::find_if(usage.begin(), usage.end(), [&](const Use& use) { return use.slot == cpu; });
    ASSERT_NE(found, usage.end());
    EXPECT_EQ(found->amount, 500);
}

TEST(Translate, TheFewestPodsThatMayRunAreAsManyUnlessFewerAreLeft) {
    struct Case {
        const char* set;
        int reclaimable, count, min_count;
    };
    for (const Case& one : {Case{"count: 5, minCount: 3", 2, 3, 3},
                            {"count: 5, minCount: 3", 1, 4, 3},
                            {"count: 5, minCount: 3", 4, 1, 1},
                            {"count: 2, minCount: 1", 1, 1, 1},
                            {"count: 5", 2, 3, 3},
                            {"count: 5, minCount: 3", 5, 0, 0},
                            {"count: 5, minCount: -2147483648", 2, 3, 0}}) {
        const Shape shape = shape_of(workload_of(one.set, one.reclaimable), {});
        EXPECT_EQ(shape.pod_sets[0].count, one.count) << one.set;
        EXPECT_EQ(shape.pod_sets[0].min_count, one.min_count) << one.set << ", " << one.reclaimable;
    }
}

}  // namespace translate_test
}  // namespace muster::controllers::queue
