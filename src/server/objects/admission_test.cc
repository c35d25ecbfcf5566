#include "server/objects/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/scheduling.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace admission_test {

using api::core::ConfigMap;
using api::core::Namespace;
using api::core::Pod;
using api::scheduling::PriorityClass;
using testing::ElementsAre;
using testing::HasSubstr;

struct AdmissionTest : testing::Test {
    ApiObjects api;

    std::string pod(const std::string& name, const std::string& more = "") {
        return "metadata: {name: " + name + "}\nspec: {containers: [{name: c, image: busybox}]" + more + "}";
    }
    void refuse(const Result<Outcome>& outcome, const char* message) {
        ASSERT_FALSE(outcome.ok());
        EXPECT_EQ(outcome.error().code, Code::kForbidden);
        EXPECT_THAT(outcome.error().message, HasSubstr(message));
    }
};

TEST_F(AdmissionTest, NothingIsCreatedWhereThereIsNoNamespace) {
    const auto outcome = api.objects.create({api::kind_info<ConfigMap>(), "nowhere", ""},
                                            ApiObjects::draft<ConfigMap>("metadata: {name: a}"), {});
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, Code::kNotFound);
    EXPECT_EQ(outcome.error().message, "namespaces \"nowhere\" not found");
    EXPECT_EQ(outcome.error().about, (Subject{"nowhere", "", "namespaces"}));
}

TEST_F(AdmissionTest, NothingNewIsCreatedInANamespaceThatGoes) {
    api.create<ConfigMap>("metadata: {name: old}");
    ASSERT_TRUE(api.remove<Namespace>("ns").ok());
    const auto outcome = api.try_create<ConfigMap>("metadata: {name: a}");
    refuse(
        outcome,
        "configmaps \"a\" is forbidden: unable to create new content in namespace ns because it is being terminated");
    EXPECT_THAT(outcome.error().causes,
                ElementsAre(Cause{"NamespaceTerminating", "metadata.namespace", "namespace ns is being terminated"}));
    // What is there can still be changed, and go.
    EXPECT_TRUE(api.update<ConfigMap>("old", [](ConfigMap& map) { map.data.set("a", "b"); }).ok());
    EXPECT_TRUE(api.remove<ConfigMap>("old").ok());
}

TEST_F(AdmissionTest, KindsWithoutNamespacesDoNotNeedOne) {
    EXPECT_TRUE(api.try_create<PriorityClass>("{metadata: {name: a}, value: 1}").ok());
}

TEST_F(AdmissionTest, TheFirstNamespacesStay) {
    for (const char* name : {"default", "kube-system", "kube-public"}) {
        SCOPED_TRACE(name);
        api.create<Namespace>(std::string("metadata: {name: ") + name + "}");
        refuse(api.remove<Namespace>(name), "this namespace may not be deleted");
        EXPECT_FALSE(api.get<Namespace>(name).metadata.deletion_timestamp);
        // Everything else can be done to them.
        EXPECT_TRUE(api.update<Namespace>(name, [](Namespace& space) { space.metadata.labels.set("a", "b"); }).ok());
    }
    api.create<Namespace>("metadata: {name: kube-node-lease}");
    EXPECT_TRUE(api.remove<Namespace>("kube-node-lease").ok());
}

TEST_F(AdmissionTest, APodGetsThePriorityOfItsClass) {
    api.create<PriorityClass>("{metadata: {name: high}, value: 1000, preemptionPolicy: Never}");
    const Pod& named = api.create<Pod>(pod("a", ", priorityClassName: high"));
    EXPECT_EQ(named.spec.priority, 1000);
    EXPECT_EQ(named.spec.preemption_policy, "Never");
    const Pod& plain = api.create<Pod>(pod("b"));
    EXPECT_EQ(plain.spec.priority, 0);
    EXPECT_EQ(plain.spec.priority_class_name, "");
}

TEST_F(AdmissionTest, APodThatNamesNoClassGetsTheDefault) {
    api.create<PriorityClass>("{metadata: {name: usual}, value: 50, globalDefault: true}");
    const Pod& made = api.create<Pod>(pod("a"));
    EXPECT_EQ(made.spec.priority_class_name, "usual");
    EXPECT_EQ(made.spec.priority, 50);
}

TEST_F(AdmissionTest, APriorityThatIsNotTheClasssIsRefused) {
    api.create<PriorityClass>("{metadata: {name: high}, value: 1000, preemptionPolicy: Never}");
    refuse(api.try_create<Pod>(pod("a", ", priorityClassName: missing")),
           "no PriorityClass with name missing was found");
    refuse(api.try_create<Pod>(pod("a", ", priorityClassName: high, priority: 7")),
           "the integer value of priority (7) must not be provided in pod spec; priority admission controller computed "
           "1000 from the given PriorityClass name");
    refuse(api.try_create<Pod>(pod("a", ", priority: 7")), "computed 0 from the given PriorityClass name");
    refuse(api.try_create<Pod>(pod("a", ", priorityClassName: high, preemptionPolicy: PreemptLowerPriority")),
           "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec");
    EXPECT_TRUE(api.try_create<Pod>(pod("a", ", priorityClassName: high, priority: 1000")).ok());
}

TEST_F(AdmissionTest, AnUpdateThatLeavesThePriorityOutKeepsIt) {
    api.create<PriorityClass>("{metadata: {name: high}, value: 1000}");
    api.create<Pod>(pod("a", ", priorityClassName: high"));
    ASSERT_TRUE(api.remove<PriorityClass>("high").ok());
    const auto outcome = api.update<Pod>("a", [](Pod& now) {
        now.spec.priority.reset();
        now.spec.preemption_policy.reset();
        now.metadata.labels.set("a", "b");
    });
    ASSERT_TRUE(outcome.ok()) << format_error(outcome.error());
    EXPECT_EQ(api.get<Pod>("a").spec.priority, 1000);
    EXPECT_EQ(api.get<Pod>("a").spec.preemption_policy, "PreemptLowerPriority");
}

TEST_F(AdmissionTest, APodStaysFiveMinutesOnANodeThatIsGone) {
    const Pod& made = api.create<Pod>(pod("a"));
    ASSERT_EQ(made.spec.tolerations.size(), 2u);
    EXPECT_EQ(made.spec.tolerations[0].key, "node.kubernetes.io/not-ready");
    EXPECT_EQ(made.spec.tolerations[1].key, "node.kubernetes.io/unreachable");
    EXPECT_EQ(made.spec.tolerations[0].toleration_seconds, 300);
}

TEST_F(AdmissionTest, AnUpdateThatReplacesTolerationsGetsTheDefaultOnesAgain) {
    api.create<Pod>(pod("a"));
    const auto outcome = api.update<Pod>(
        "a", [](Pod& now) { now.spec.tolerations = {api::core::Toleration{.key = "mine", .operator_ = "Exists"}}; });
    ASSERT_TRUE(outcome.ok()) << format_error(outcome.error());
    const auto& tolerations = api.get<Pod>("a").spec.tolerations;
    ASSERT_EQ(tolerations.size(), 3u);
    EXPECT_EQ(tolerations[0].key, "mine");
    EXPECT_EQ(tolerations[1].key, "node.kubernetes.io/not-ready");
    EXPECT_EQ(tolerations[2].key, "node.kubernetes.io/unreachable");
}

TEST_F(AdmissionTest, ThereIsOneDefaultPriorityClass) {
    api.create<PriorityClass>("{metadata: {name: first}, value: 1, globalDefault: true}");
    refuse(api.try_create<PriorityClass>("{metadata: {name: second}, value: 2, globalDefault: true}"),
           "PriorityClass first is already marked as default. Only one default can exist");
    api.create<PriorityClass>("{metadata: {name: third}, value: 3}");
    refuse(api.update<PriorityClass>("third", [](PriorityClass& now) { now.global_default = true; }),
           "PriorityClass first is already marked as default");
    EXPECT_TRUE(api.update<PriorityClass>("first", [](PriorityClass& now) { now.description = "x"; }).ok());
    EXPECT_TRUE(api.update<PriorityClass>("first", [](PriorityClass& now) { now.global_default = false; }).ok());
    EXPECT_TRUE(api.update<PriorityClass>("third", [](PriorityClass& now) { now.global_default = true; }).ok());
}

TEST_F(AdmissionTest, WhatOnlyAWebhookOfKueueRefusesIsForbiddenAndNotInvalid) {
    using api::kueue::ClusterQueue;
    using api::kueue::Workload;
    refuse(api.try_create<ClusterQueue>("{metadata: {name: c}, spec: {fairSharing: {weight: -1}}}"),
           "admission webhook \"vclusterqueue.kb.io\" denied the request: spec.fairSharing: Invalid value: \"-1\"");
    EXPECT_EQ(api.try_create<ClusterQueue>("{metadata: {name: c}, spec: {queueingStrategy: X, fairSharing: {weight: "
                                           "-1}}}")
                  .error()
                  .code,
              Code::kInvalid)
        << "the definition is asked first";
    ASSERT_TRUE(
        api.try_create<Workload>("{metadata: {name: w, finalizers: [a.b/c]}, spec: {podSets: [{template: {}}]}}").ok());
    const auto give_back = [](Workload& workload) {
        api::kueue::ReclaimablePod pods;
        pods.name = "main";
        pods.count = 2;
        workload.status.reclaimable_pods.edit().push_back(std::move(pods));
    };
    refuse(api.update<Workload>("w", give_back, Part::kStatus), "status.reclaimablePods[main].count");
    const auto resize = [](Workload& workload) { workload.spec.pod_sets.edit()[0].min_count = 2; };
    EXPECT_EQ(api.update<Workload>("w", resize).error().code, Code::kInvalid);
}

TEST(AdmissionChain, ChangesBeforeItRefusesAndSeesWhatWasAsked) {
    std::vector<std::string> seen;
    AdmissionChain chain;
    chain.mutating.push_back([&](AdmissionRequest& request, const Objects&) -> Result<> {
        if (&request.kind != &api::kind_info<ConfigMap>()) return {};
        seen.push_back("change " + std::string(request.name) + (request.before ? " again" : "") +
                       (request.object ? "" : " away") + (request.dry_run ? " dry" : ""));
        if (request.object) request.object->metadata().labels.set("seen", "yes");
        if (request.warnings) request.warnings->push_back("mind the step");
        return {};
    });
    chain.validating.push_back([&](AdmissionRequest& request, const Objects&) -> Result<> {
        if (&request.kind != &api::kind_info<ConfigMap>() || !request.object) return {};
        const auto& map = as<ConfigMap>(*request.object);
        EXPECT_EQ(map.metadata.labels.size(), 1u);
        if (map.data.size() == 0) return {};
        return Error{Code::kForbidden, "no data here"};
    });
    ApiObjects api({}, 0ns, std::move(chain));
    std::vector<std::string> warnings;
    ASSERT_TRUE(api.try_create<ConfigMap>("metadata: {name: a}", {nullptr, false, &warnings}).ok());
    EXPECT_THAT(warnings, ElementsAre("mind the step"));
    EXPECT_EQ(api.try_create<ConfigMap>("{metadata: {name: b}, data: {x: z}}").error().message, "no data here");
    EXPECT_FALSE(api.find<ConfigMap>("b"));
    EXPECT_EQ(api.update<ConfigMap>("a", [](ConfigMap& map) { map.data.set("x", "y"); }).error().code,
              Code::kForbidden);
    ASSERT_TRUE(api.remove<ConfigMap>("a", "{}", {nullptr, true, nullptr}).ok());
    EXPECT_THAT(seen, ElementsAre("change a", "change b", "change a again", "change a again away dry"));
}

}  // namespace admission_test
}  // namespace muster::server
