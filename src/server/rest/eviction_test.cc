#include "server/rest/eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/api_objects.h"

namespace muster::server {
namespace eviction_test {

using api::core::Pod;
using api::policy::PodDisruptionBudget;
using testing::HasSubstr;

const Instant kNow = Instant::from_unix_seconds(1'700'000'000);

constexpr const char* kReady =
    "{metadata: {name: p}, status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}}";
constexpr const char* kUnready =
    "{metadata: {name: p}, status: {phase: Running, conditions: [{type: Ready, status: 'False'}]}}";

TEST(DecideEviction, AsksTheBudget) {
    struct Case {
        const char* name;
        const char* pod;
        const char* budget;
        const char* want;  // "goes", "counts", or the cause of the refusal
    };
    const Case cases[] = {
        {"no budget", kReady, nullptr, "goes"},
        {"one that allows", kReady, "{metadata: {name: b}, status: {disruptionsAllowed: 2}}", "counts"},
        {"one that does not", kReady,
         "{metadata: {name: b}, status: {disruptionsAllowed: 0, desiredHealthy: 3, currentHealthy: 3}}",
         "The disruption budget b needs 3 healthy pods and has 3 currently"},
        {"one that is behind", kReady,
         "{metadata: {name: b, generation: 2}, status: {observedGeneration: 1, disruptionsAllowed: 2}}",
         "The disruption budget b is still being processed by the server."},
        {"a pod that waits", "{metadata: {name: p}, status: {phase: Pending}}", "{status: {disruptionsAllowed: 0}}",
         "goes"},
        {"a pod that succeeded", "{metadata: {name: p}, status: {phase: Succeeded}}",
         "{status: {disruptionsAllowed: 0}}", "goes"},
        {"a pod that failed", "{metadata: {name: p}, status: {phase: Failed}}", "{status: {disruptionsAllowed: 0}}",
         "goes"},
        {"a pod that goes anyway",
         "{metadata: {name: p, deletionTimestamp: '2023-11-14T22:13:45Z'}, status: {phase: Running}}",
         "{status: {disruptionsAllowed: 0}}", "goes"},
        {"an unready pod when enough others are healthy", kUnready,
         "{status: {disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 2}}", "goes"},
        {"an unready pod when too few are", kUnready,
         "{metadata: {name: b}, status: {disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 1}}",
         "The disruption budget b needs 2 healthy pods and has 1 currently"},
        {"an unready pod when none need be", kUnready,
         "{metadata: {name: b}, status: {disruptionsAllowed: 0, desiredHealthy: 0, currentHealthy: 1}}",
         "The disruption budget b needs 0 healthy pods and has 1 currently"},
        {"an unready pod that may always go", kUnready,
         "{spec: {unhealthyPodEvictionPolicy: AlwaysAllow}, status: {disruptionsAllowed: 0, desiredHealthy: 2}}",
         "goes"},
        {"a ready pod under the same policy", kReady,
         "{metadata: {name: b}, spec: {unhealthyPodEvictionPolicy: AlwaysAllow}, status: {desiredHealthy: 2}}",
         "The disruption budget b needs 2 healthy pods and has 0 currently"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const Pod pod = api::from_yaml<Pod>(one.pod).value();
        std::vector<const PodDisruptionBudget*> budgets;
        PodDisruptionBudget budget;
        if (one.budget) {
            budget = api::from_yaml<PodDisruptionBudget>(one.budget).value();
            budgets.push_back(&budget);
        }
        const auto plan = decide_eviction(pod, budgets, kNow);
        if (!plan.ok()) {
            EXPECT_EQ(plan.error().code, Code::kTooManyRequests);
            EXPECT_EQ(plan.error().message, "Cannot evict pod as it would violate the pod's disruption budget.");
            ASSERT_EQ(plan.error().causes.size(), 1u);
            EXPECT_EQ(plan.error().causes[0].reason, "DisruptionBudget");
            EXPECT_EQ(plan.error().causes[0].message, one.want);
            continue;
        }
        EXPECT_EQ(plan->budget ? "counts" : "goes", std::string(one.want));
        if (!plan->budget) continue;
        EXPECT_EQ(plan->budget->status.disruptions_allowed, budget.status.disruptions_allowed - 1);
        ASSERT_TRUE(plan->budget->status.disrupted_pods.find("p"));
        EXPECT_EQ(*plan->budget->status.disrupted_pods.find("p"), api::Time::from_instant(kNow));
    }
}

TEST(DecideEviction, OfTwoBudgetsKnowsNothingToDo) {
    const Pod pod = api::from_yaml<Pod>(kReady).value();
    const PodDisruptionBudget budget;
    const auto plan = decide_eviction(pod, {&budget, &budget}, kNow);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, Code::kInternal);
    EXPECT_THAT(plan.error().message, HasSubstr("more than one PodDisruptionBudget"));
}

struct EvictPodTest : testing::Test {
    ApiObjects api;

    EvictPodTest() {
        api.create<Pod>(
            "metadata: {name: p, labels: {app: a}}\nspec: {nodeName: x, containers: [{name: c, image: busybox}]}");
        set_ready("p");
    }
    void set_ready(const std::string& name) {
        const auto ready = [](Pod& pod) {
            pod.status = api::from_yaml<Pod>(kReady).value().status;
            pod.status.conditions.edit()[0].last_transition_time = api::Time::from_instant(kNow);
        };
        CHECK(api.update<Pod>(name, ready, Part::kStatus).ok());
    }
    void create_budget(int allowed) {
        api.create<PodDisruptionBudget>(
            "{metadata: {name: b}, spec: {minAvailable: 1, selector: {matchLabels: {app: a}}}}");
        const auto observe = [&](PodDisruptionBudget& budget) {
            budget.status.observed_generation = budget.metadata.generation;
            budget.status.disruptions_allowed = allowed;
        };
        CHECK(api.update<PodDisruptionBudget>("b", observe, Part::kStatus).ok());
    }
    Result<Answer> evict(const std::string& options = "", const std::string& name = "p",
                         const std::string& query = "") {
        Call call = make_call("POST", "/api/v1/namespaces/ns/pods/p/eviction" + query,
                              R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":")" + name + "\"}" +
                                  (options.empty() ? "" : ",\"deleteOptions\":" + options) + "}");
        return evict_pod(api.objects, call);
    }
    std::int32_t allowed() { return api.get<PodDisruptionBudget>("b").status.disruptions_allowed; }
    bool is_marked() {
        for (const auto& condition : api.get<Pod>("p").status.conditions)
            if (condition.type == "DisruptionTarget") return true;
        return false;
    }
};

TEST_F(EvictPodTest, CountsMarksAndDeletes) {
    create_budget(1);
    const auto answer = evict();
    ASSERT_TRUE(answer.ok()) << format_error(answer.error());
    EXPECT_EQ(answer->code, 201);
    EXPECT_EQ(answer->durable, api.store->revision());
    EXPECT_EQ(allowed(), 0);
    EXPECT_TRUE(is_marked());
    EXPECT_TRUE(api.get<Pod>("p").metadata.deletion_timestamp);
    const auto& conditions = api.get<Pod>("p").status.conditions;
    EXPECT_EQ(conditions.back().status, "True");
    EXPECT_EQ(conditions.back().reason, "EvictionByEvictionAPI");
}

TEST_F(EvictPodTest, IsRefusedByABudgetAndChangesNothing) {
    create_budget(0);
    const store::Revision before = api.store->revision();
    EXPECT_EQ(evict().error().code, Code::kTooManyRequests);
    EXPECT_EQ(api.store->revision(), before);
}

TEST_F(EvictPodTest, ADryRunChangesNothing) {
    create_budget(1);
    const store::Revision before = api.store->revision();
    EXPECT_TRUE(evict(R"({"dryRun":["All"]})").ok());
    EXPECT_TRUE(evict("", "p", "?dryRun=All").ok());
    EXPECT_EQ(api.store->revision(), before);
}

TEST_F(EvictPodTest, TakesTheGraceOfItsOptions) {
    ASSERT_TRUE(evict(R"({"gracePeriodSeconds":3})").ok());
    EXPECT_EQ(api.get<Pod>("p").metadata.deletion_grace_period_seconds, 3);
    ASSERT_TRUE(evict(R"({"gracePeriodSeconds":0})").ok());
    EXPECT_FALSE(api.find<Pod>("p"));
}

TEST_F(EvictPodTest, PreconditionsThatHoldArePassed) {
    const auto& metadata = api.get<Pod>("p").metadata;
    EXPECT_TRUE(evict(R"({"preconditions":{"uid":")" + metadata.uid.str() + R"(","resourceVersion":")" +
                      metadata.resource_version.str() + "\"}}")
                    .ok());
}

TEST_F(EvictPodTest, PreconditionsThatDoNotHoldLeaveThePodAsItWas) {
    for (const char* options :
         {R"({"preconditions":{"uid":"other"}})", R"({"preconditions":{"resourceVersion":"1"}})"}) {
        SCOPED_TRACE(options);
        const store::Revision before = api.store->revision();
        const auto refused = evict(options);
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().code, Code::kConflict);
        EXPECT_FALSE(is_marked());
        EXPECT_EQ(api.store->revision(), before);
    }
}

TEST_F(EvictPodTest, NamesThePodOfItsPath) {
    EXPECT_EQ(evict("", "other").error().code, Code::kBadRequest);
    ASSERT_TRUE(evict(R"({"gracePeriodSeconds":0})").ok());
    EXPECT_EQ(evict().error().code, Code::kNotFound);
}

}  // namespace eviction_test
}  // namespace muster::server
