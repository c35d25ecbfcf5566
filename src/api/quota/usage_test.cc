#include "api/quota/usage.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/event.h"
#include "api/kinds/core/persistent_volume_claim.h"
#include "api/kinds/core/service.h"
#include "api/quota/scopes.h"

namespace muster::api {
namespace usage_test {

using core::PersistentVolumeClaim;
using core::Pod;
using core::Service;

std::string text_of_amounts(const Map<Quantity>& amounts) {
    std::string text;
    for (const auto& [name, quantity] : amounts)
        text.append(text.empty() ? "" : " ").append(name.view()).append("=").append(quantity.text());
    return text;
}

template <class K>
std::string usage(const std::string& yaml) {
    const K object = from_yaml<K>(yaml).value();
    return text_of_amounts(usage_of(kind_info<K>(), &object));
}

struct PodUsage {
    const char* sentence;
    const char* pod;
    const char* usage;
};

TEST(QuotaUsage, OfPods) {
    const PodUsage cases[] = {
        {"a pod that states nothing", "{spec: {containers: [{name: c}]}}", "count/pods=1 pods=1"},
        {"requests count under two names, limits under one",
         "{spec: {containers: [{name: c, resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 1, memory: "
         "2Gi}}}]}}",
         "count/pods=1 cpu=500m limits.cpu=1 limits.memory=2Gi memory=1Gi pods=1 requests.cpu=500m "
         "requests.memory=1Gi"},
        {"storage that goes with the pod",
         "{spec: {containers: [{name: c, resources: {requests: {ephemeral-storage: 1Gi}, limits: {ephemeral-storage: "
         "2Gi}}}]}}",
         "count/pods=1 ephemeral-storage=1Gi limits.ephemeral-storage=2Gi pods=1 requests.ephemeral-storage=1Gi"},
        {"devices and huge pages",
         "{spec: {containers: [{name: c, resources: {requests: {example.com/gpu: 2, hugepages-2Mi: 4Mi}}}]}}",
         "count/pods=1 hugepages-2Mi=4Mi pods=1 requests.example.com/gpu=2 requests.hugepages-2Mi=4Mi"},
        {"the largest init container",
         "{spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}], initContainers: [{name: i, resources: "
         "{requests: {cpu: 3}}}]}}",
         "count/pods=1 cpu=3 pods=1 requests.cpu=3"},
        {"overhead, and what the pod states as a whole",
         "{spec: {overhead: {cpu: 100m}, resources: {requests: {cpu: 2}}, containers: [{name: c, resources: "
         "{requests: {cpu: 1}}}]}}",
         "count/pods=1 cpu=2100m pods=1 requests.cpu=2100m"},
        {"a pod that has ended",
         "{spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}, status: {phase: "
         "Failed}}",
         "count/pods=1"},
    };
    for (const PodUsage& one : cases) {
        SCOPED_TRACE(one.sentence);
        EXPECT_EQ(usage<Pod>(one.pod), one.usage);
    }
}

TEST(QuotaUsage, OfOtherKinds) {
    EXPECT_EQ(usage<core::ConfigMap>("{}"), "configmaps=1 count/configmaps=1");
    EXPECT_EQ(usage<batch::Job>("{}"), "count/jobs.batch=1");
    EXPECT_EQ(usage<Service>("{spec: {type: ClusterIP, ports: [{port: 1}]}}"),
              "count/services=1 services=1 services.loadbalancers=0 services.nodeports=0");
    EXPECT_EQ(usage<Service>("{spec: {type: NodePort, ports: [{port: 1}, {port: 2}]}}"),
              "count/services=1 services=1 services.loadbalancers=0 services.nodeports=2");
    EXPECT_EQ(usage<Service>("{spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 1, "
                             "nodePort: 30000}, {port: 2}]}}"),
              "count/services=1 services=1 services.loadbalancers=1 services.nodeports=1");
    EXPECT_EQ(usage<PersistentVolumeClaim>("{spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}}"),
              "count/persistentvolumeclaims=1 fast.storageclass.storage.k8s.io/persistentvolumeclaims=1 "
              "fast.storageclass.storage.k8s.io/requests.storage=1Gi persistentvolumeclaims=1 requests.storage=1Gi");
    EXPECT_EQ(usage<PersistentVolumeClaim>("{spec: {resources: {requests: {storage: 1Gi}}}, status: "
                                           "{allocatedResources: {storage: 2Gi}}}"),
              "count/persistentvolumeclaims=1 persistentvolumeclaims=1 requests.storage=2Gi");
}

TEST(QuotaUsage, WhoUsesAResource) {
    EXPECT_EQ(user_of_resource("count/jobs.batch"), &kind_info<batch::Job>());
    EXPECT_EQ(user_of_resource("count/pods"), &kind_info<Pod>());
    EXPECT_EQ(user_of_resource("limits.memory"), &kind_info<Pod>());
    EXPECT_EQ(user_of_resource("requests.example.com/gpu"), &kind_info<Pod>());
    EXPECT_EQ(user_of_resource("requests.storage"), &kind_info<PersistentVolumeClaim>());
    EXPECT_EQ(user_of_resource("gold.storageclass.storage.k8s.io/requests.storage"),
              &kind_info<PersistentVolumeClaim>());
    EXPECT_EQ(user_of_resource("services.nodeports"), &kind_info<Service>());
    EXPECT_EQ(user_of_resource("configmaps"), &kind_info<core::ConfigMap>());
    EXPECT_EQ(user_of_resource("count/events"), nullptr);
    EXPECT_EQ(user_of_resource("count/deployments.apps"), nullptr);
    EXPECT_EQ(user_of_resource("count/namespaces"), nullptr);
}

struct ScopeCase {
    const char* sentence;
    const char* quota;
    const char* pod;
    bool counted;
};

TEST(QuotaScopes, OfPods) {
    constexpr const char* kPlain = "{spec: {containers: [{name: c}]}}";
    constexpr const char* kUrgent = "{spec: {priorityClassName: high, containers: [{name: c}]}}";
    constexpr const char* kBounded =
        "{spec: {activeDeadlineSeconds: 5, containers: [{name: c, resources: {requests: "
        "{cpu: 1}}}]}}";
    constexpr const char* kFar =
        "{spec: {containers: [{name: c}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: zone, namespaces: [other]}]}}}}";
    const ScopeCase cases[] = {
        {"no scope: everything", "{}", kPlain, true},
        {"a pod with a deadline ends", "{scopes: [Terminating]}", kBounded, true},
        {"a pod without does not", "{scopes: [Terminating]}", kPlain, false},
        {"and is in the other scope", "{scopes: [NotTerminating]}", kPlain, true},
        {"a pod that asks for nothing", "{scopes: [BestEffort]}", kPlain, true},
        {"a pod that asks for something", "{scopes: [NotBestEffort]}", kBounded, true},
        {"all scopes must hold", "{scopes: [Terminating, BestEffort]}", kBounded, false},
        {"a class of priority", "{scopes: [PriorityClass]}", kUrgent, true},
        {"no class of priority", "{scopes: [PriorityClass]}", kPlain, false},
        {"one of the classes",
         "{scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: "
         "[high, low]}]}}",
         kUrgent, true},
        {"none of the classes",
         "{scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: NotIn, "
         "values: [low]}]}}",
         kUrgent, true},
        {"no class is none of the classes",
         "{scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: "
         "NotIn, values: [low]}]}}",
         kPlain, true},
        {"no class at all",
         "{scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: "
         "DoesNotExist}]}}",
         kUrgent, false},
        {"neighbours in other namespaces", "{scopes: [CrossNamespacePodAffinity]}", kFar, true},
        {"no neighbours", "{scopes: [CrossNamespacePodAffinity]}", kPlain, false},
    };
    for (const ScopeCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        const Pod pod = from_yaml<Pod>(one.pod).value();
        EXPECT_EQ(is_in_scopes(from_yaml<core::ResourceQuotaSpec>(one.quota).value(), kind_info<Pod>(), &pod),
                  one.counted);
    }
}

TEST(QuotaScopes, OtherKindsAreInNone) {
    const core::ConfigMap map;
    const auto spec = [](const char* yaml) { return from_yaml<core::ResourceQuotaSpec>(yaml).value(); };
    EXPECT_TRUE(is_in_scopes(spec("{}"), kind_info<core::ConfigMap>(), &map));
    EXPECT_FALSE(is_in_scopes(spec("{scopes: [NotTerminating]}"), kind_info<core::ConfigMap>(), &map));
}

TEST(QuotaUsage, WhatContainersMustState) {
    const auto missing = [](const char* hard, const char* spec) {
        return check_stated(from_yaml<core::PodSpec>(spec).value(),
                            from_yaml<core::ResourceQuotaSpec>(std::string("{hard: ") + hard + "}")->hard);
    };
    constexpr const char* kTwo =
        "{containers: [{name: b}, {name: a, resources: {limits: {memory: 1}}}], "
        "initContainers: [{name: i}]}";
    EXPECT_EQ(missing("{cpu: 1, limits.memory: 1}", kTwo), "must specify cpu for: a,b,i; limits.memory for: b,i");
    EXPECT_EQ(missing("{pods: 1, requests.ephemeral-storage: 1}", kTwo), "");
    EXPECT_EQ(missing("{cpu: 1}", "{resources: {limits: {cpu: 1}}, containers: [{name: c}]}"), "");
}

}  // namespace usage_test
}  // namespace muster::api
