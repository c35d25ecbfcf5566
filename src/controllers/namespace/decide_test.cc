#include "controllers/namespace/decide.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"

namespace muster::controllers {
namespace namespace_decide_test {

using api::core::Namespace;
using api::core::NamespaceCondition;

// 2024-01-01T00:00:00Z, when the namespace below was deleted.
constexpr Instant kDeleted = Instant::from_unix_seconds(1704067200);

Namespace deleted_namespace() {
    auto decoded = api::from_yaml<Namespace>(R"({"metadata": {"name": "n", "deletionTimestamp": "2024-01-01T00:00:00Z"},
        "spec": {"finalizers": ["example.com/mine", "kubernetes"]}, "status": {"phase": "Active"}})");
    EXPECT_TRUE(decoded.ok());
    return *std::move(decoded);
}

const NamespaceCondition& condition_of(const NamespacePlan& plan, std::string_view type) {
    static const NamespaceCondition kNone;
    if (plan.status)
        for (const auto& condition : plan.status->conditions)
            if (condition.type == type) return condition;
    ADD_FAILURE() << "no condition " << type;
    return kNone;
}

RemainingContent pods_left(std::int64_t count) { return {&api::kind_info<api::core::Pod>(), count}; }
RemainingContent jobs_left(std::int64_t count) { return {&api::kind_info<api::batch::Job>(), count}; }

TEST(NamespaceDecide, OnlyADeletedNamespaceWithOurFinalizerIsEmptied) {
    Namespace namespace_ = deleted_namespace();
    EXPECT_TRUE(needs_emptying(namespace_));
    namespace_.spec.finalizers = {"example.com/mine"};
    EXPECT_FALSE(needs_emptying(namespace_));
    namespace_ = deleted_namespace();
    namespace_.metadata.deletion_timestamp.reset();
    EXPECT_FALSE(needs_emptying(namespace_));
}

TEST(NamespaceDecide, Table) {
    RemainingContent graceful = pods_left(2);
    graceful.grace_seconds = 30;
    RemainingContent endless = pods_left(1);
    endless.grace_seconds = std::numeric_limits<std::int64_t>::max();
    RemainingContent held = jobs_left(1);
    held.finalizers[Text("foregroundDeletion")] = 1;
    RemainingContent refused = jobs_left(3);
    refused.failure = "jobs.batch is forbidden";
    struct Case {
        const char* name;
        std::vector<RemainingContent> content;
        bool complete;
        int attempt;
        Instant now;
        bool finalizes;
        std::optional<Duration> again_after;
        bool failed;
    } cases[] = {
        {"an empty namespace goes", {pods_left(0), jobs_left(0)}, true, 0, kDeleted, true, std::nullopt, false},
        {"pods that may take their time are waited for", {graceful}, false, 0, kDeleted + 1s, false, 50ms, false},
        {"the longer it takes, the more seldom it is looked at",
         {graceful},
         false,
         3,
         kDeleted + 1s,
         false,
         400ms,
         false},
        {"but never more seldom than half of what it may take",
         {graceful},
         false,
         30,
         kDeleted + 1s,
         false,
         16s,
         false},
        {"finalizers are waited for", {held}, true, 30, kDeleted + 1s, false, 8s, false},
        {"any time to end is waited for", {endless}, false, 30, kDeleted + 1s, false, 204800ms, false},
        {"pods that are there after their time are a failure",
         {graceful},
         false,
         0,
         kDeleted + 30s,
         false,
         std::nullopt,
         true},
        {"objects that stay without a reason are a failure",
         {jobs_left(1)},
         true,
         0,
         kDeleted,
         false,
         std::nullopt,
         true},
        {"a removal that fails is a failure", {refused}, true, 0, kDeleted, false, std::nullopt, true},
        {"with pods alone looked at it does not go yet", {pods_left(0)}, false, 0, kDeleted, false, 50ms, false},
    };
    const Namespace namespace_ = deleted_namespace();
    for (const Case& c : cases) {
        const NamespacePlan plan = decide_namespace({namespace_, c.content, c.complete, c.attempt, c.now});
        EXPECT_EQ(plan.finalized.has_value(), c.finalizes) << c.name;
        EXPECT_EQ(plan.again_after, c.again_after) << c.name;
        EXPECT_EQ(plan.failed, c.failed) << c.name;
        ASSERT_TRUE(plan.status) << c.name;
        EXPECT_EQ(plan.status->phase, "Terminating") << c.name;
    }
}

TEST(NamespaceDecide, EverythingElseWaitsForPodsButNotForThoseThatOnlyTheirJobHolds) {
    const struct {
        const char* name;
        const char* phase;
        std::vector<const char*> finalizers;
        bool awaited;
    } cases[] = {
        {"a pod that runs", "Running", {}, true},
        {"a pod that runs and is tracked", "Running", {"batch.kubernetes.io/job-tracking"}, true},
        {"a pod that has ended and is about to go", "Succeeded", {}, true},
        {"a pod that has ended and is tracked", "Failed", {"batch.kubernetes.io/job-tracking"}, false},
        {"a pod that has ended and is held by another", "Failed", {"example.com/hold"}, true},
        {"a pod that has ended and is held by both",
         "Succeeded",
         {"batch.kubernetes.io/job-tracking", "example.com/hold"},
         true},
    };
    for (const auto& c : cases) {
        api::core::Pod pod;
        pod.status.phase = c.phase;
        for (const char* finalizer : c.finalizers) pod.metadata.finalizers.edit().push_back(finalizer);
        EXPECT_EQ(is_awaited(pod), c.awaited) << c.name;
    }
}

TEST(NamespaceDecide, OthersFinalizersStay) {
    const Namespace namespace_ = deleted_namespace();
    const NamespacePlan plan = decide_namespace({namespace_, {}, true, 0, kDeleted});
    ASSERT_TRUE(plan.finalized);
    EXPECT_EQ(plan.finalized->finalizers, List<Text>({"example.com/mine"}));
}

TEST(NamespaceDecide, ConditionsSayWhatIsLeftInKubernetesWords) {
    RemainingContent pods = pods_left(2);
    pods.finalizers[Text("batch.kubernetes.io/job-tracking")] = 2;
    RemainingContent jobs = jobs_left(1);
    jobs.finalizers[Text("foregroundDeletion")] = 1;
    RemainingContent refused{&api::kind_info<api::batch::CronJob>(), 0};
    refused.failure = "no";
    const Namespace namespace_ = deleted_namespace();
    const NamespacePlan plan = decide_namespace({namespace_, {pods, jobs, refused}, true, 0, kDeleted});
    EXPECT_EQ(plan.status->conditions.size(), 5u);
    const auto& remaining = condition_of(plan, "NamespaceContentRemaining");
    EXPECT_EQ(remaining.status, "True");
    EXPECT_EQ(remaining.reason, "SomeResourcesRemain");
    EXPECT_EQ(remaining.message,
              "Some resources are remaining: jobs.batch has 1 resource instances, pods. has 2 resource instances");
    const auto& finalizers = condition_of(plan, "NamespaceFinalizersRemaining");
    EXPECT_EQ(finalizers.reason, "SomeFinalizersRemain");
    EXPECT_EQ(finalizers.message,
              "Some content in the namespace has finalizers remaining: batch.kubernetes.io/job-tracking in 2 resource "
              "instances, foregroundDeletion in 1 resource instances");
    const auto& failure = condition_of(plan, "NamespaceDeletionContentFailure");
    EXPECT_EQ(failure.reason, "ContentDeletionFailed");
    EXPECT_EQ(failure.message, "Failed to delete all resource types, 1 remaining: no");
    const auto& discovery = condition_of(plan, "NamespaceDeletionDiscoveryFailure");
    EXPECT_EQ(discovery.status, "False");
    EXPECT_EQ(discovery.reason, "ResourcesDiscovered");
}

TEST(NamespaceDecide, TheSameFindingsChangeNothingAndAConditionsTimeIsThatOfItsStatus) {
    RemainingContent jobs = jobs_left(2);
    jobs.finalizers[Text("x")] = 2;
    Namespace namespace_ = deleted_namespace();
    namespace_.status = *decide_namespace({namespace_, {jobs}, true, 0, kDeleted}).status;
    EXPECT_FALSE(decide_namespace({namespace_, {jobs}, true, 1, kDeleted + 5s}).status);

    jobs.count = 1;
    const NamespacePlan fewer = decide_namespace({namespace_, {jobs}, true, 1, kDeleted + 5s});
    EXPECT_EQ(condition_of(fewer, "NamespaceContentRemaining").last_transition_time.instant(), kDeleted);
    const NamespacePlan none = decide_namespace({namespace_, {}, true, 1, kDeleted + 5s});
    EXPECT_EQ(condition_of(none, "NamespaceContentRemaining").last_transition_time.instant(), kDeleted + 5s);
    EXPECT_EQ(condition_of(none, "NamespaceContentRemaining").status, "False");
}

}  // namespace namespace_decide_test
}  // namespace muster::controllers
