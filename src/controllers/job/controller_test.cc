// The Job controller's shell where the world moves between what it has seen and what it does; what it decides is tested
// beside each decision, and whole lives of Jobs in test/controllers.
#include "controllers/job/controller.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "api/kinds/batch_names.h"
#include "api/kinds/core/event.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace job_controller_test {

using api::batch::Job;
using api::core::Pod;
using client::AnyObject;

// Something happens in the world just before a pod is made or removed; patches may take their time.
class OvertakenClient final : public client::Client {
public:
    explicit OvertakenClient(FakeWorld& inner) : inner_(inner) {}

    std::function<void(const client::ObjectName& pod)> before_removal = [](const client::ObjectName&) {};
    std::function<Result<void>()> before_creation = [] { return Result<void>(); };
    Duration patches_take{};
    std::set<std::string> patch_flows;
    std::set<std::string> removal_flows;

    os::Task<Result<AnyObject>> get_any(const api::KindInfo& kind, client::ObjectName name, View view) override {
        return inner_.get_any(kind, std::move(name), view);
    }
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_,
                                                  View view) override {
        return inner_.list_any(kind, std::move(namespace_), view);
    }
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string version, View view) override {
        return inner_.watch_any(kind, std::move(namespace_), std::move(version), view);
    }
    os::Task<Result<AnyObject>> patch_any(const api::KindInfo& kind, client::ObjectName name,
                                          client::MetadataPatch patch, View view) override {
        if (&kind == &api::kind_info<Pod>()) patch_flows.insert(patch.flow.str());
        if (patches_take > Duration()) co_await os::sleep_for(inner_.loop, patches_take);
        co_return co_await inner_.patch_any(kind, std::move(name), std::move(patch), view);
    }
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, client::ObjectName name,
                                      client::Removal removal) override {
        if (&kind == &api::kind_info<Pod>()) before_removal(name);
        if (&kind == &api::kind_info<Pod>()) removal_flows.insert(removal.flow.str());
        return inner_.remove_any(kind, std::move(name), std::move(removal));
    }
    os::Task<Result<void>> bind(client::ObjectName pod, Text uid, Text node) override {
        return inner_.bind(std::move(pod), std::move(uid), std::move(node));
    }
    os::Task<Result<AnyObject>> create_any(const api::KindInfo& kind, AnyObject draft) override {
        if (&kind == &api::kind_info<Pod>()) CO_TRY(before_creation());
        co_return co_await inner_.create_any(kind, std::move(draft));
    }
    os::Task<Result<AnyObject>> change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                           client::Part part) override {
        return inner_.change_any(kind, std::move(before), std::move(after), part);
    }

private:
    FakeWorld& inner_;
};

constexpr const char* kThreeAtOnce =
    R"({"metadata": {"name": "j", "namespace": "n", "uid": "ju"}, "spec": {"parallelism": 3, "completions": 3,
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "ju"}},
        "template": {"metadata": {"labels": {"batch.kubernetes.io/controller-uid": "ju"}},
                     "spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}}}})";

class JobControllerTest : public ::testing::Test {
protected:
    void start(const char* job) {
        world.put<Job>(job);
        controller.start();
        loop.run_for(1s);
    }
    std::size_t count_pods_of(std::string_view job_uid) {
        std::size_t count = 0;
        for (const auto& pod : world.all<Pod>())
            for (const auto& owner : pod->metadata.owner_references) count += owner.uid == job_uid ? 1 : 0;
        return count;
    }
    std::size_t count_events(std::string_view reason) {
        std::size_t count = 0;
        for (const auto& event : world.all<api::core::Event>()) count += event->reason == reason ? 1 : 0;
        return count;
    }
    bool counts(const std::string& line) { return metrics.format().find(line + '\n') != std::string::npos; }
    void set_phase(const client::ObjectName& name, const char* phase) {
        const auto seen = world.find<Pod>(name.namespace_, name.name);
        ASSERT_TRUE(seen);
        Pod pod = *seen;
        pod.status.phase = phase;
        world.put(std::move(pod));
    }

    os::VirtualLoop loop;
    FakeWorld world{loop};
    OvertakenClient client{world};
    client::Metrics metrics;
    JobController controller{loop, client, metrics};
};

TEST_F(JobControllerTest, ACreationWhoseAnswerIsLostIsRepeatedUnderItsNameAndMakesNoSecondPod) {
    world.lose_answer("create pods", Code::kTimeout, 2);
    // The mirror does not know the pod when it is made again.
    world.hold_watches<Pod>(true);
    world.put<Job>(kThreeAtOnce);
    controller.start();
    loop.run_for(30s);
    EXPECT_EQ(count_pods_of("ju"), 3u);
    world.hold_watches<Pod>(false);
    loop.run_for(30s);
    EXPECT_EQ(count_pods_of("ju"), 3u);
}

TEST_F(JobControllerTest, APodThatSucceedsJustBeforeItsJobsEndTakesItIsCounted) {
    start(R"({"metadata": {"name": "j", "namespace": "n", "uid": "ju"}, "spec": {"parallelism": 2, "completions": 3,
              "backoffLimit": 0, "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "ju"}},
              "template": {"metadata": {"labels": {"batch.kubernetes.io/controller-uid": "ju"}},
                           "spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}}}})");
    const auto pods = world.all<Pod>();
    ASSERT_EQ(pods.size(), 2u);
    const client::ObjectName fails = client::name_of(*pods[0]);
    const client::ObjectName succeeds = client::name_of(*pods[1]);
    for (const auto& pod : pods) set_phase(client::name_of(*pod), "Running");
    loop.run_for(1s);

    bool ended = false;
    client.before_removal = [&](const client::ObjectName& pod) {
        if (pod == succeeds && !std::exchange(ended, true)) set_phase(pod, "Succeeded");
    };
    set_phase(fails, "Failed");
    loop.run_for(1min);
    ASSERT_TRUE(ended) << "the Job's end takes the pod that runs";
    const auto job = world.find<Job>("n", "j");
    EXPECT_EQ(job->status.failed, 1);
    EXPECT_EQ(job->status.succeeded, 1) << "what it did is not lost";
    EXPECT_TRUE(controller.idle());
}

TEST_F(JobControllerTest, PodsAreAdoptedReleasedAndRemovedInTheFlowOfTheirJob) {
    world.put<Pod>(R"({"metadata": {"name": "orphan", "namespace": "n",
                                    "labels": {"batch.kubernetes.io/controller-uid": "ju"}}})");
    start(R"({"metadata": {"name": "j", "namespace": "n", "uid": "ju"}, "spec": {"parallelism": 2, "completions": 3,
              "backoffLimit": 0, "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "ju"}},
              "template": {"metadata": {"labels": {"batch.kubernetes.io/controller-uid": "ju"}},
                           "spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}}}})");
    EXPECT_EQ(client.patch_flows, std::set<std::string>{"ju"}) << "it is adopted";
    client.patch_flows.clear();
    set_phase({"n", "orphan"}, "Failed");
    loop.run_for(1min);
    EXPECT_EQ(client.patch_flows, std::set<std::string>{"ju"});
    EXPECT_EQ(client.removal_flows, std::set<std::string>{"ju"});
}

// #132305, #132400, #134654
TEST_F(JobControllerTest, PodsThatOnlyClaimItsUidAreNotTheJobs) {
    const auto impostor = [&](const char* name_space, const char* name, const char* job, const char* phase) {
        Pod pod = api::from_yaml<Pod>(R"({"metadata": {"labels": {"batch.kubernetes.io/controller-uid": "ju"},
            "finalizers": ["batch.kubernetes.io/job-tracking"], "ownerReferences": [{"apiVersion": "batch/v1",
            "kind": "Job", "uid": "ju", "controller": true}]}, "spec": {"containers": [{"name": "c"}]}})")
                      .value();
        pod.metadata.namespace_ = name_space;
        pod.metadata.name = name;
        pod.metadata.owner_references.edit()[0].name = job;
        pod.status.phase = phase;
        world.put(std::move(pod));
    };
    impostor("elsewhere", "a", "j", "Running");
    impostor("elsewhere", "b", "j", "Succeeded");
    impostor("n", "c", "another", "Running");
    start(kThreeAtOnce);
    EXPECT_EQ(world.all<Pod>().size(), 6u) << "three of its own";
    EXPECT_EQ(world.find<Job>("n", "j")->status.active, 3);
    EXPECT_EQ(world.find<Job>("n", "j")->status.succeeded, 0);

    Job job = *world.find<Job>("n", "j");
    job.spec.suspend = true;
    world.put(std::move(job));
    loop.run_for(1min);
    EXPECT_EQ(world.find<Job>("n", "j")->status.active, 0);
    for (const auto& [name_space, name] : {std::pair("elsewhere", "a"), {"elsewhere", "b"}, {"n", "c"}}) {
        ASSERT_TRUE(world.find<Pod>(name_space, name)) << name;
        EXPECT_FALSE(world.find<Pod>(name_space, name)->metadata.deletion_timestamp) << name;
    }
}

// #131917, #132042, #132109, #142142
TEST_F(JobControllerTest, AJobUnderTheNameOfOneThatFailedDoesNotWaitForIt) {
    start(kThreeAtOnce);
    for (const auto& pod : world.all<Pod>()) set_phase(client::name_of(*pod), "Failed");
    loop.run_for(1s);
    ASSERT_EQ(count_pods_of("ju"), 3u) << "it waits after its failures";
    world.erase<Job>("n", "j");
    Job recreated = api::from_yaml<Job>(kThreeAtOnce).value();
    recreated.metadata.uid = "jv";
    recreated.spec.selector.edit().match_labels.set("batch.kubernetes.io/controller-uid", "jv");
    recreated.spec.template_.metadata.labels.set("batch.kubernetes.io/controller-uid", "jv");
    world.put(std::move(recreated));
    loop.run_for(1s);
    EXPECT_EQ(count_pods_of("jv"), 3u);
}

// #111721
TEST_F(JobControllerTest, NothingIsKeptOfJobsThatHaveFinishedOrAreGone) {
    start(kThreeAtOnce);
    ASSERT_EQ(controller.remembered(), 1u);
    for (const auto& pod : world.all<Pod>()) set_phase(client::name_of(*pod), "Succeeded");
    loop.run_for(1s);
    ASSERT_EQ(world.find<Job>("n", "j")->status.succeeded, 3);
    EXPECT_EQ(controller.remembered(), 0u);

    Job other = api::from_yaml<Job>(kThreeAtOnce).value();
    other.metadata.name = "k";
    other.metadata.uid = "ku";
    world.put(std::move(other));
    loop.run_for(1s);
    ASSERT_EQ(controller.remembered(), 1u);
    world.erase<Job>("n", "k");
    loop.run_for(1min);
    EXPECT_EQ(controller.remembered(), 0u);
    EXPECT_TRUE(controller.idle());
}

// #126566, #126567
TEST_F(JobControllerTest, ManyPodsWithoutAJobLoseTheirFinalizersSideBySide) {
    for (int i = 0; i < 300; ++i) {
        Pod pod;
        pod.metadata.namespace_ = "n";
        pod.metadata.name = "p" + std::to_string(i);
        pod.metadata.finalizers.edit().push_back(api::batch::kTrackingFinalizer);
        world.put(std::move(pod));
    }
    client.patches_take = 100ms;
    controller.start();
    loop.run_for(1s);
    std::size_t held = 0;
    for (const auto& pod : world.all<Pod>()) held += pod->metadata.finalizers.size();
    EXPECT_EQ(held, 0u);
}

// #136377: a creation that is refused used to count as one that succeeded, too.
TEST_F(JobControllerTest, ACreationIsCountedAsMadeOrAsRefused) {
    int asked = 0;
    client.before_creation = [&]() -> Result<void> {
        if (++asked == 2) return Error{Code::kForbidden, "exceeded quota"};
        return Result<void>();
    };
    start(kThreeAtOnce);
    ASSERT_EQ(count_pods_of("ju"), 3u) << "it is tried again";
    EXPECT_EQ(count_events("FailedCreate"), 1u);
    EXPECT_TRUE(counts(R"(job_controller_job_pods_creation_total{reason="new",status="failed"} 1)"))
        << metrics.format();
    EXPECT_TRUE(counts(R"(job_controller_job_pods_creation_total{reason="new",status="succeeded"} 3)"))
        << metrics.format();
}

TEST_F(JobControllerTest, ANamespaceThatIsGoingIsNoFailureToTellOf) {
    bool going = true;
    client.before_creation = [&]() -> Result<void> {
        if (!going) return Result<void>();
        Error refused{Code::kForbidden, "the namespace is being terminated"};
        refused.causes.push_back({"NamespaceTerminating", "metadata.namespace", "namespace n is being terminated"});
        return refused;
    };
    start(kThreeAtOnce);
    EXPECT_EQ(count_pods_of("ju"), 0u);
    EXPECT_EQ(count_events("FailedCreate"), 0u);
    going = false;
    loop.run_for(2min);
    EXPECT_EQ(count_pods_of("ju"), 3u) << "nothing is expected of creations that never were";
}

TEST_F(JobControllerTest, ASyncThatCannotClaimPodsIsCountedAsFailed) {
    world.put<Pod>(R"({"metadata": {"name": "stray", "namespace": "n",
                       "labels": {"batch.kubernetes.io/controller-uid": "ju"}}})");
    world.fail("patch pods n/stray", Code::kUnavailable);
    start(kThreeAtOnce);
    EXPECT_TRUE(counts(R"(job_controller_job_syncs_total{action="reconciling",completion_mode="NonIndexed",)"
                       R"(result="error"} 1)"))
        << metrics.format();
}

}  // namespace job_controller_test
}  // namespace muster::controllers
