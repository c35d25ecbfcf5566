// KEP-976, story 3: a driver that makes its workers.
#include <gtest/gtest.h>

#include "controllers/queue/pods/decide.h"
#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace driven_group_test {

namespace kn = api::kueue;

constexpr const char* kDriverSets = R"([{"name": "driver", "count": 1},
    {"name": "workers", "count": 2, "template": {"spec": {"containers": [
        {"name": "w", "resources": {"requests": {"cpu": "2"}}}]}}}])";

PodsTestWorld driven_world() {
    PodsTestWorld world;
    world.add("driver", 0, "1").metadata.annotations.set(kn::kPodGroupSetsAnnotation, kDriverSets);
    world.settle();
    return world;
}

TEST(DrivenGroup, ReservesQuotaForAllBeforeTheDriverStarts) {
    PodsTestWorld world = driven_world();
    ASSERT_TRUE(world.workload);
    ASSERT_EQ(world.workload->spec.pod_sets.size(), 2u);
    EXPECT_EQ(world.workload->spec.pod_sets[0].template_.spec.containers[0].resources.requests.find("cpu")->text(), "1")
        << "an empty template is the driver's own shape";
    EXPECT_EQ(world.workload->spec.pod_sets[1].count, 2);
    EXPECT_TRUE(world.started().empty());
    world.admit();
    world.settle();
    EXPECT_EQ(world.started(), Strings{"driver"});
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
}

TEST(DrivenGroup, LetsWorkersThroughByRoleAndByShape) {
    PodsTestWorld world = driven_world();
    world.admit();
    world.settle();
    world.run_all();
    world.add("by-shape", 0, "2");
    world.add("by-role", 0, "500m").metadata.labels.set(kn::kPodGroupRoleAnnotation, "workers");
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"by-role", "by-shape", "driver"}));
    EXPECT_EQ(world.workload->metadata.owner_references.size(), 3u);
    world.add("beyond", 0, "2");
    world.add("unknown", 0, "3");
    world.add("greedy", 0, "64").metadata.labels.set(kn::kPodGroupRoleAnnotation, "workers");
    world.add("misnamed", 0, "2").metadata.labels.set(kn::kPodGroupRoleAnnotation, "worker");
    world.settle();
    std::sort(world.rejected.begin(), world.rejected.end());
    EXPECT_EQ(world.rejected, (Strings{"beyond", "greedy", "misnamed", "unknown"}));
    EXPECT_EQ(world.started(), (Strings{"by-role", "by-shape", "driver"}));
}

TEST(DrivenGroup, WorkersOfTheDriversShapeTakeTheirOwnPlaces) {
    PodsTestWorld world;
    world.add("driver").metadata.annotations.set(kn::kPodGroupSetsAnnotation,
                                                 "- name: driver\n- name: workers\n  count: 2\n");
    world.settle();
    world.admit();
    world.settle();
    world.add("w0");
    world.add("w1");
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"driver", "w0", "w1"}));
    EXPECT_TRUE(world.rejected.empty());
}

TEST(DrivenGroup, FinishesWhenAllHave) {
    PodsTestWorld world = driven_world();
    world.admit();
    world.settle();
    world.add("w0", 0, "2");
    world.add("w1", 0, "2");
    world.settle();
    world.run_all();
    world.end("w0", "Succeeded");
    world.end("driver", "Succeeded");
    world.settle();
    EXPECT_FALSE(holds(world, "Finished"));
    world.end("w1", "Succeeded");
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->message, "Pods succeeded: 3/3.");
    EXPECT_TRUE(world.held().empty());
    world.add("late", 0, "2");
    world.settle();
    EXPECT_EQ(world.rejected, Strings{"late"});
}

TEST(DrivenGroup, WhoseDriverNeededFewerWorkersFinishesWithIt) {
    PodsTestWorld world = driven_world();
    world.admit();
    world.settle();
    world.run_all();
    world.end("driver", "Succeeded");
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "Succeeded");
    EXPECT_TRUE(world.held().empty());
}

TEST(DrivenGroup, WhoseDriverFailedWaitsForAnother) {
    PodsTestWorld world = driven_world();
    world.admit();
    world.settle();
    world.run_all();
    world.end("driver", "Failed");
    world.settle();
    EXPECT_FALSE(holds(world, "Finished"));
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    world.add("driver-2").metadata.annotations.set(kn::kPodGroupSetsAnnotation, kDriverSets);
    world.settle();
    EXPECT_EQ(world.held(), Strings{"driver-2"});
    EXPECT_FALSE(is_gated(world.pods["driver-2"]));
}

TEST(DrivenGroup, WithoutItsDriverSaysThatItWaitsForOne) {
    PodsTestWorld world = driven_world();
    world.admit();
    world.settle();
    world.add("w0", 0, "2");
    world.settle();
    world.run_all();
    world.remove("driver");
    world.settle();
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods")) << "while it still runs";
    world.end("driver", "Failed");
    world.end("w0", "Succeeded");
    world.settle();
    EXPECT_FALSE(holds(world, "Finished"));
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    world.remove("w0");
    world.settle();
    EXPECT_TRUE(holds(world, "Finished")) << "no driver is left to create another pod";
    EXPECT_TRUE(world.pods.empty());
}

TEST(DrivenGroup, IsNotAdmittedAgainWithoutADriver) {
    PodsTestWorld world = driven_world();
    world.admit();
    world.settle();
    world.add("w0", 0, "2");
    world.settle();
    world.run_all();
    world.evict();
    world.settle();
    world.add("w1", 0, "2");
    world.end("driver", "Failed");
    world.end("w0", "Failed");
    world.settle();
    EXPECT_FALSE(holds(world, "QuotaReserved"));
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    world.told.clear();
    world.settle();
    EXPECT_TRUE(world.told.empty()) << "a worker need not say how large its group is";
    world.add("driver-2").metadata.annotations.set(kn::kPodGroupSetsAnnotation, kDriverSets);
    world.settle();
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
}

TEST(DrivenGroup, OfOneShapeIsWholeWithItsDriver) {
    PodsTestWorld world;
    world.add("driver").metadata.annotations.set(kn::kPodGroupSetsAnnotation, "[{name: all, count: 3}]");
    world.settle();
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
    world.admit();
    world.settle();
    world.add("w0");
    world.settle();
    world.run_all();
    world.remove("driver");
    world.end("driver", "Failed");
    world.settle();
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods")) << "w0 makes no others";
}

TEST(DrivenGroup, FollowsWhatItsDriverAnnouncesWhileItWaits) {
    PodsTestWorld world = driven_world();
    const auto announce = [&](const std::string& driver, const char* sets) {
        world.pods.at(driver).metadata.annotations.set(kn::kPodGroupSetsAnnotation, sets);
        world.settle();
    };
    announce("driver", "[{name: driver}, {name: workers, count: 7}]");
    EXPECT_EQ(world.workload->spec.pod_sets[1].count, 7);
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
    world.admit();
    world.settle();
    world.run_all();
    announce("driver", "[{name: driver}, {name: workers, count: 9}]");
    EXPECT_EQ(world.workload->spec.pod_sets[1].count, 7) << "it has its quota";
    world.evict();
    world.settle();
    world.end("driver", "Failed");
    world.add("driver-2", 0, "3").metadata.annotations.set(kn::kPodGroupSetsAnnotation, "[{name: boss}]");
    world.settle();
    EXPECT_EQ(world.names(), Strings{"driver-2"});
    EXPECT_EQ(world.workload->spec.pod_sets.size(), 1u);
    EXPECT_EQ(world.workload->spec.pod_sets[0].name, "boss");
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
}

// What the server fills in is counted in the quota, and was not in the template.
TEST(DrivenGroup, TakesWorkersAsTheServerMakesThemOfTheTemplate) {
    for (const bool named : {false, true}) {
        PodsTestWorld world;
        world.add("driver").metadata.annotations.set(
            kn::kPodGroupSetsAnnotation,
            "[{name: driver}, {name: workers, count: 2, template: {spec: {runtimeClassName: vm, containers: [{name: w, "
            "resources: {limits: {cpu: 2}}}]}}}]");
        world.settle();
        world.admit();
        auto& assignment = world.workload->status.admission.edit().pod_set_assignments.edit()[1];
        assignment.resource_usage.set("cpu", api::Quantity::parse("4500m").value());
        world.settle();
        world.run_all();
        const auto add_worker = [&](const char* name, const char* cpu, const char* overhead) {
            api::core::Pod& pod = world.add(name, 0, cpu);
            pod.spec.containers.edit()[0].resources.limits.set("cpu", api::Quantity::parse(cpu).value());
            pod.spec.runtime_class_name = "vm";
            pod.spec.overhead.set("cpu", api::Quantity::parse(overhead).value());
            if (named) pod.metadata.labels.set(kn::kPodGroupRoleAnnotation, "workers");
        };
        add_worker("w0", "2", "250m");
        world.settle();
        EXPECT_EQ(world.started(), (Strings{"driver", "w0"})) << named;
        EXPECT_TRUE(world.rejected.empty()) << named;
        add_worker("w1", "2001m", "250m");
        world.settle();
        EXPECT_EQ(world.rejected, Strings{"w1"}) << named;
    }
}

TEST(DrivenGroup, WithSetsThatCannotBeReadSaysSo) {
    struct Case {
        const char* name;
        const char* sets;
        const char* says;
    };
    const Case cases[] = {
        {"no list", "{name: a}", "must be a list"},
        {"an unknown field", "[{name: a, cout: 1}]", "unknown field \"podSets[0].cout\""},
        {"no count of pods", "[{name: a, count: 0}]", "[0].count: must be at least 1"},
        {"a name twice", "[{name: a}, {name: a}]", "[1].name: Duplicate value: \"a\""},
        {"a template without containers", "[{name: a, template: {spec: {nodeSelector: {disk: ssd}}}}]",
         "[0].template.spec.containers: Required value"},
        {"none of them the driver",
         "[{name: a, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 9}}}]}}}]",
         "none of the sets"},
    };
    for (const Case& one : cases) {
        PodsTestWorld world;
        world.add("driver").metadata.annotations.set(kn::kPodGroupSetsAnnotation, one.sets);
        world.settle();
        EXPECT_FALSE(world.workload) << one.name;
        ASSERT_EQ(world.told.size(), 1u) << one.name;
        EXPECT_NE(world.told[0].find(one.says), std::string::npos) << one.name << ": " << world.told[0];
    }
}

}  // namespace driven_group_test
}  // namespace muster::controllers::podqueue
