// Small clusters for the scheduler's tests, written as people write manifests.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/codec/decode.h"
#include "scheduler/decide.h"
#include "scheduler/snapshot.h"

namespace muster::scheduler {

inline api::core::Node make_node(std::string_view yaml) {
    api::core::Node node = api::from_yaml<api::core::Node>(yaml).value();
    if (node.status.allocatable.empty())
        node.status.allocatable =
            api::from_yaml<api::core::Node>("{status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}}")
                .value()
                .status.allocatable;
    return node;
}

inline NodeRef node_ref(std::string_view yaml) { return std::make_shared<const api::core::Node>(make_node(yaml)); }

// A pod in "default", with its name as its UID unless it says otherwise.
inline PodRef pod_ref(std::string_view yaml) {
    api::core::Pod pod = api::from_yaml<api::core::Pod>(yaml).value();
    if (pod.metadata.namespace_.empty()) pod.metadata.namespace_ = "default";
    if (pod.metadata.uid.empty()) pod.metadata.uid = pod.metadata.name;
    return std::make_shared<const api::core::Pod>(std::move(pod));
}

// "{name: p, priority: 5, cpu: 500m}" is what most tests need.
inline std::string simple_pod(std::string_view name, std::string_view cpu = "", std::string_view more = "") {
    std::string yaml = "{metadata: {name: '" + std::string(name) + "'}, spec: {" + std::string(more) +
                       (more.empty() ? "" : ", ") + "containers: [{name: c";
    if (!cpu.empty()) yaml += ", resources: {requests: {cpu: " + std::string(cpu) + "}}";
    return yaml + "}]}}";
}

// What a round says, one line per pod: "p -> n1" or "p: why".
inline std::string format_plan(const RoundPlan& plan) {
    std::string text;
    for (const Placement& placement : plan.place)
        text += placement.pod->metadata.name.str() + " -> " + placement.node.str() + "\n";
    for (const Refusal& refusal : plan.refuse) {
        text += refusal.pod->metadata.name.str() + ": " + refusal.message;
        if (!refusal.nominated_node.empty()) text += " [" + refusal.nominated_node.str() + "]";
        for (const PodRef& victim : refusal.victims) text += " -" + victim->metadata.name.str();
        text += "\n";
    }
    return text;
}

struct SmallCluster {
    Snapshot snapshot;
    std::vector<PendingPod> pending;
    std::vector<client::Ref<api::policy::PodDisruptionBudget>> budgets;

    SmallCluster& node(std::string_view yaml) {
        snapshot.set_node(node_ref(yaml));
        return *this;
    }
    SmallCluster& on(std::string_view node, std::string_view yaml) {
        snapshot.place(pod_ref(yaml), Text(node));
        return *this;
    }
    SmallCluster& wants(std::string_view yaml, bool only_reserves = false) {
        pending.push_back({pod_ref(yaml), only_reserves});
        return *this;
    }
    RoundPlan decide() const { return decide_round({snapshot, budgets}, pending); }
    std::string run() const { return format_plan(decide()); }
};

}  // namespace muster::scheduler
