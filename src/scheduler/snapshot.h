// The cluster as the scheduler knows it: nodes, what they offer, and the pods on them. Kept up to date change by
// change; a pod counts from the moment it is given a node, which is before anybody else has seen that. Rounds read it
// only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/kinds/core/node.h"
#include "client/client.h"
#include "scheduler/terms.h"

namespace muster::scheduler {

using PodRef = client::Ref<api::core::Pod>;
using NodeRef = client::Ref<api::core::Node>;

inline std::int32_t priority_of(const api::core::Pod& pod) { return pod.spec.priority.value_or(0); }

struct NodeInfo;

// Pods with the same rules about other pods, and where they are.
struct TermSet {
    PodTerms terms;
    std::map<NodeInfo*, int> places;
};

struct PlacedPod {
    PodRef pod;
    ShapeRef shape;
    std::shared_ptr<TermSet> terms;  // null when it has none
};

struct NodeInfo {
    Text name;
    NodeRef node;           // null for one that is not known (any more) though pods are on it
    std::size_t index = 0;  // in Snapshot::nodes
    Amounts allocatable;
    std::int64_t pods_max = 0;

    Amounts requested;
    std::int64_t scored_cpu = 0;
    std::int64_t scored_memory = 0;
    std::vector<HostPort> host_ports;
    std::vector<PlacedPod> pods;  // in no order
};

class Snapshot {
public:
    // Gives false when nothing changed that matters to placing pods: a heartbeat.
    bool set_node(const NodeRef& node);
    void remove_node(const Text& name);
    // The pod is on the node from now on, as it is now; whatever was known of it before is forgotten.
    void place(const PodRef& pod, const Text& node);
    // Gives false when it was on none.
    bool remove_pod(const Text& uid);
    // Null when it is on none.
    const NodeInfo* node_of(const Text& uid) const;

    void set_namespace(const Text& name, const Map<Text>& labels) { namespaces_[name] = labels; }
    void remove_namespace(const Text& name) { namespaces_.erase(name); }

    // The known nodes by name; none that only pods speak of.
    const std::vector<const NodeInfo*>& nodes() const;
    const NodeInfo* find_node(const Text& name) const;
    std::size_t pods() const { return places_.size(); }
    const NamespaceLabels& namespaces() const { return namespaces_; }
    const std::map<std::string, std::shared_ptr<TermSet>>& term_sets() const { return term_sets_; }

    ShapeRef shape_of(const api::core::Pod& pod) const { return shapes_.shape_of(pod.spec); }
    // Under which the set of such a pod is found.
    static std::string term_key(const ShapeRef& shape, const api::core::Pod& pod);

private:
    struct Place {
        NodeInfo* node;
        std::size_t slot;
    };
    NodeInfo& info_of(const Text& name);
    void drop_if_unused(const Text& name);

    std::map<Text, std::unique_ptr<NodeInfo>> infos_;
    // Numbered when asked for, as they come by the thousand.
    mutable std::vector<const NodeInfo*> nodes_;
    mutable bool numbered_ = true;
    std::unordered_map<Text, Place> places_;  // by the pod's UID
    std::map<std::string, std::shared_ptr<TermSet>> term_sets_;
    NamespaceLabels namespaces_;
    mutable ShapeCache shapes_;  // what it remembers shows nowhere
};

}  // namespace muster::scheduler
