#include "controllers/queue/priorities/controller.h"

#include <gtest/gtest.h>

#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace priorities_controller_test {

using api::kueue::Workload;
using api::kueue::WorkloadPriorityClass;

struct PrioritiesWorld {
    PrioritiesWorld() {
        put_class("high", 10);
        put_workload("waits", "WorkloadPriorityClass", "high", "QuotaReserved: 'False'");
        put_workload("runs", "WorkloadPriorityClass", "high", "Admitted: 'True'");
        put_workload("over", "WorkloadPriorityClass", "high", "Finished: 'True'");
        put_workload("other", "WorkloadPriorityClass", "low", "QuotaReserved: 'False'");
        put_workload("of-pods", "PriorityClass", "high", "QuotaReserved: 'False'");
        controller.emplace(loop, world, metrics).start();
        loop.run_for(1s);
    }
    void put_class(const char* name, int value) {
        world.put<WorkloadPriorityClass>("{metadata: {name: " + std::string(name) +
                                         "}, value: " + std::to_string(value) + "}");
    }
    void put_workload(const std::string& name, const std::string& kind, const std::string& of,
                      const std::string& condition) {
        const std::size_t colon = condition.find(':');
        world.put<Workload>("{metadata: {name: " + name +
                            ", namespace: default, generation: 1}, spec: {priority: 10, priorityClassRef: {kind: " +
                            kind + ", name: " + of + "}}, status: {conditions: [{type: " + condition.substr(0, colon) +
                            ", status: " + condition.substr(colon + 1) + "}]}}");
    }
    int priority(const char* name) const { return *world.find<Workload>("default", name)->spec.priority; }

    os::VirtualLoop loop{Instant::from_unix_seconds(1704067200)};
    FakeWorld world{loop};
    client::Metrics metrics;
    std::optional<WorkloadPriorities> controller;
};

TEST(WorkloadPriorities, FollowTheValueOfTheirClass) {
    for (const bool fails : {false, true}) {
        PrioritiesWorld it;
        if (fails) it.world.fail("update workloads", Code::kConflict, 2);
        it.put_class("high", 70);
        it.loop.run_for(10s);
        struct Case {
            const char* name;
            int priority;
        };
        for (const Case& one : {Case{"waits", 70}, {"runs", 70}, {"over", 10}, {"other", 10}, {"of-pods", 10}})
            EXPECT_EQ(it.priority(one.name), one.priority) << one.name;
    }
}

TEST(WorkloadPriorities, StayWhenTheirClassIsGoneAndFollowWhenItIsMadeAgain) {
    PrioritiesWorld it;
    it.world.erase<WorkloadPriorityClass>("", "high");
    it.loop.run_for(1s);
    EXPECT_EQ(it.priority("waits"), 10);
    it.put_class("high", -5);
    it.loop.run_for(1s);
    EXPECT_EQ(it.priority("waits"), -5);
}

}  // namespace priorities_controller_test
}  // namespace muster::controllers
