#include "controllers/queue/admission/queues/environment.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/testing/fake_world.h"

namespace muster::controllers::queue {
namespace environment_test {

struct EnvironmentWorld {
    EnvironmentWorld() : world(loop), environment(loop, world) {
        world.put<api::core::Namespace>("{metadata: {name: team, labels: {env: test}}}");
        world.put<api::kueue::ClusterQueue>("{metadata: {name: q, generation: 1}}");
        world.put<api::kueue::LocalQueue>(
            "{metadata: {name: l, namespace: team, generation: 1}, spec: {clusterQueue: q}}");
        Environment::Listener listener;
        listener.changed = [this] { ++changes; };
        listener.cluster_queue_gone = [this](const Text& name) { gone.push_back(name.str()); };
        listener.local_queue_gone = [this](const client::ObjectName& name) { gone.push_back(name.name.str()); };
        listener.local_queue_changed = [this](const client::ObjectName& name) { edited.push_back(name.name.str()); };
        environment.start(std::move(listener));
        settle();
        environment.take_concerned();
        changes = 0;
        edited.clear();
    }
    void settle() { loop.run_for(1s); }

    os::VirtualLoop loop;
    FakeWorld world;
    Environment environment;
    int changes = 0;
    std::vector<std::string> gone;
    std::vector<std::string> edited;
};

TEST(AdmissionEnvironment, CollectsWhatWorkloadsDependOn) {
    const struct {
        const char* sentence;
        std::function<void(FakeWorld&)> happens;
        bool changed;
        std::function<std::size_t(const Concerned&)> concerned;
    } kCases[] = {
        {"a ClusterQueue is edited",
         [](FakeWorld& it) { it.put<api::kueue::ClusterQueue>("{metadata: {name: q, generation: 2}}"); }, true,
         [](const Concerned&) { return 1; }},
        {"only the status of a ClusterQueue changes",
         [](FakeWorld& it) {
             api::kueue::ClusterQueue queue = *it.find<api::kueue::ClusterQueue>("", "q");
             queue.status.pending_workloads = 3;
             it.put(std::move(queue));
         },
         false, [](const Concerned&) { return 1; }},
        {"a LocalQueue is edited",
         [](FakeWorld& it) { it.put<api::kueue::LocalQueue>("{metadata: {name: l, namespace: team, generation: 2}}"); },
         true,
         [](const Concerned& by) {
             return by.local_queues.count({"team", "l"});
         }},
        {"a namespace gets a label",
         [](FakeWorld& it) { it.put<api::core::Namespace>("{metadata: {name: team, labels: {env: prod}}}"); }, true,
         [](const Concerned& by) { return by.namespaces.count("team"); }},
        {"a namespace is written with the labels that it had",
         [](FakeWorld& it) {
             it.put<api::core::Namespace>("{metadata: {name: team, labels: {env: test}, annotations: {a: b}}}");
         },
         false, [](const Concerned&) { return 1; }},
        {"a LimitRange comes",
         [](FakeWorld& it) { it.put<api::core::LimitRange>("{metadata: {name: r, namespace: team}}"); }, true,
         [](const Concerned& by) { return by.namespaces.count("team"); }},
        {"a RuntimeClass comes",
         [](FakeWorld& it) { it.put<api::runtime::RuntimeClass>("{metadata: {name: slow}, handler: x}"); }, true,
         [](const Concerned& by) { return by.runtime_classes.count("slow"); }},
    };
    for (const auto& [sentence, happens, changed, concerned] : kCases) {
        EnvironmentWorld it;
        happens(it.world);
        it.settle();
        EXPECT_EQ(it.changes > 0, changed) << sentence;
        EXPECT_EQ(concerned(it.environment.take_concerned()), 1u) << sentence;
        EXPECT_TRUE(it.environment.take_concerned().local_queues.empty()) << sentence << ": it was taken";
    }
}

TEST(AdmissionEnvironment, TellsOfQueuesThatAreGone) {
    EnvironmentWorld it;
    it.world.erase<api::kueue::LocalQueue>("team", "l");
    it.world.erase<api::kueue::ClusterQueue>("", "q");
    it.settle();
    EXPECT_EQ(it.gone.size(), 2u);
    EXPECT_TRUE(it.edited.empty());
    EXPECT_FALSE(it.environment.find_cluster_queue("q"));
    EXPECT_FALSE(it.environment.find_local_queue({"team", "l"}));
}

TEST(AdmissionEnvironment, KnowsWhetherACheckIsActive) {
    EnvironmentWorld it;
    EXPECT_EQ(it.environment.is_check_active("c"), std::nullopt);
    it.world.put<api::kueue::AdmissionCheck>("{metadata: {name: c}}");
    it.settle();
    EXPECT_EQ(it.environment.is_check_active("c"), false);
    it.world.put<api::kueue::AdmissionCheck>(
        "{metadata: {name: c}, status: {conditions: [{type: Active, status: 'True'}]}}");
    it.settle();
    EXPECT_EQ(it.environment.is_check_active("c"), true);
}

TEST(AdmissionEnvironment, FollowsCohortsToTheRootAndOnceRoundACircle) {
    EnvironmentWorld it;
    it.world.put<api::kueue::Cohort>("{metadata: {name: a}, spec: {parentName: b}}");
    it.world.put<api::kueue::Cohort>("{metadata: {name: b}, spec: {parentName: c}}");
    it.settle();
    EXPECT_EQ(it.environment.cohorts_over("a"), (std::vector<Text>{"b", "c"}));
    it.world.put<api::kueue::Cohort>("{metadata: {name: c}, spec: {parentName: a}}");
    it.settle();
    EXPECT_EQ(it.environment.cohorts_over("a"), (std::vector<Text>{"b", "c"}));
}

TEST(AdmissionEnvironment, GivesTheRulesOfANamespacesPods) {
    EnvironmentWorld it;
    EXPECT_TRUE(it.environment.pod_rules("team").ranges.empty());
    it.world.put<api::core::LimitRange>("{metadata: {name: r, namespace: team}}");
    it.settle();
    EXPECT_EQ(it.environment.pod_rules("team").ranges.size(), 1u);
    EXPECT_TRUE(it.environment.pod_rules("other").ranges.empty());
    EXPECT_EQ(*it.environment.namespace_labels("team").find("env"), "test");
    EXPECT_TRUE(it.environment.namespace_labels("other").empty());
}

TEST(AdmissionEnvironment, ConcernsTheWorkloadsOfWhatHasChanged) {
    Concerned by;
    by.cluster_queues = {"q"};
    by.local_queues = {{"team", "l"}};
    by.namespaces = {"edited"};
    by.runtime_classes = {"slow"};
    EXPECT_TRUE(by.concern({"team", "w"}, "q", "other"));
    EXPECT_TRUE(by.concern({"team", "w"}, "other", "l"));
    EXPECT_FALSE(by.concern({"elsewhere", "w"}, "other", "l")) << "a LocalQueue of that name in another namespace";
    EXPECT_TRUE(by.concern({"edited", "w"}, "other", "other"));
    api::kueue::Workload workload =
        api::from_yaml<api::kueue::Workload>(
            "{spec: {podSets: [{name: main, count: 1, template: {spec: {runtimeClassName: slow}}}]}}")
            .value();
    EXPECT_TRUE(by.concern_pods_of(workload));
    by.runtime_classes = {"fast"};
    EXPECT_FALSE(by.concern_pods_of(workload));
    by.all = true;
    EXPECT_TRUE(by.concern({"elsewhere", "w"}, "other", "other"));
}

}  // namespace environment_test
}  // namespace muster::controllers::queue
