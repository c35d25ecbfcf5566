#include "scheduler/snapshot.h"

#include <algorithm>

#include "base/saturate.h"

namespace muster::scheduler {
namespace {

using api::core::Node;
using api::core::Pod;

// What placing pods depends on; heartbeats and conditions do not.
bool means_the_same(const Node& before, const Node& now) {
    return before.metadata.labels == now.metadata.labels && before.spec.unschedulable == now.spec.unschedulable &&
           before.spec.taints == now.spec.taints && before.status.allocatable == now.status.allocatable;
}

void add_to_node(NodeInfo& node, const PodShape& shape) {
    node.requested += shape.requests;
    node.scored_cpu = add_sat(node.scored_cpu, shape.scored_cpu);
    node.scored_memory = add_sat(node.scored_memory, shape.scored_memory);
    for (const HostPort& port : shape.host_ports) node.host_ports.push_back(port);
}

void take_from_node(NodeInfo& node, const PodShape& shape) {
    node.requested -= shape.requests;
    node.scored_cpu = sub_sat(node.scored_cpu, shape.scored_cpu);
    node.scored_memory = sub_sat(node.scored_memory, shape.scored_memory);
    for (const HostPort& port : shape.host_ports) {
        const auto found = std::find(node.host_ports.begin(), node.host_ports.end(), port);
        if (found != node.host_ports.end()) node.host_ports.erase(found);
    }
}

}  // namespace

NodeInfo& Snapshot::info_of(const Text& name) {
    std::unique_ptr<NodeInfo>& info = infos_[name];
    if (!info) {
        info = std::make_unique<NodeInfo>();
        info->name = name;
    }
    return *info;
}

const std::vector<const NodeInfo*>& Snapshot::nodes() const {
    if (numbered_) return nodes_;
    numbered_ = true;
    nodes_.clear();
    for (const auto& [name, info] : infos_) {
        if (!info->node) continue;
        info->index = nodes_.size();
        nodes_.push_back(info.get());
    }
    return nodes_;
}

bool Snapshot::set_node(const NodeRef& node) {
    NodeInfo& info = info_of(node->metadata.name);
    const NodeRef before = std::exchange(info.node, node);
    if (before && means_the_same(*before, *node)) return false;
    info.allocatable = amounts_of(node->status.allocatable);
    const api::Quantity* pods = node->status.allocatable.find("pods");
    info.pods_max = pods ? pods->value() : 0;
    if (!before) numbered_ = false;
    return true;
}

void Snapshot::remove_node(const Text& name) {
    const auto found = infos_.find(name);
    if (found == infos_.end() || !found->second->node) return;
    found->second->node.reset();
    drop_if_unused(name);
    numbered_ = false;
}

void Snapshot::drop_if_unused(const Text& name) {
    const auto found = infos_.find(name);
    if (found != infos_.end() && !found->second->node && found->second->pods.empty()) infos_.erase(found);
}

void Snapshot::place(const PodRef& pod, const Text& node) {
    const Text& uid = pod->metadata.uid;
    ShapeRef shape = shape_of(*pod);
    const auto known = places_.find(uid);
    if (known != places_.end() && known->second.node->name == node) {
        // Most changes of a pod are of its status, and cost nothing more than this.
        PlacedPod& placed = known->second.node->pods[known->second.slot];
        const bool same_rules = !shape->has_pod_terms() || placed.pod->metadata.labels == pod->metadata.labels;
        if (placed.shape == shape && same_rules) {
            placed.pod = pod;
            return;
        }
    }
    remove_pod(uid);
    NodeInfo& info = info_of(node);
    add_to_node(info, *shape);
    std::shared_ptr<TermSet> terms;
    if (shape->has_pod_terms()) {
        std::shared_ptr<TermSet>& set = term_sets_[term_key(shape, *pod)];
        if (!set) {
            set = std::make_shared<TermSet>();
            set->terms = compile_pod_terms(*shape, *pod);
        }
        ++set->places[&info];
        terms = set;
    }
    places_.emplace(uid, Place{&info, info.pods.size()});
    info.pods.push_back({pod, std::move(shape), std::move(terms)});
}

bool Snapshot::remove_pod(const Text& uid) {
    const auto found = places_.find(uid);
    if (found == places_.end()) return false;
    const Place place = found->second;
    NodeInfo& info = *place.node;
    const PlacedPod gone = info.pods[place.slot];
    places_.erase(found);
    if (place.slot + 1 != info.pods.size()) {
        info.pods[place.slot] = std::move(info.pods.back());
        places_.at(info.pods[place.slot].pod->metadata.uid).slot = place.slot;
    }
    info.pods.pop_back();
    take_from_node(info, *gone.shape);
    if (gone.terms) {
        if (--gone.terms->places[&info] == 0) gone.terms->places.erase(&info);
        if (gone.terms->places.empty()) term_sets_.erase(term_key(gone.shape, *gone.pod));
    }
    const Text name = info.name;
    drop_if_unused(name);
    return true;
}

const NodeInfo* Snapshot::node_of(const Text& uid) const {
    const auto found = places_.find(uid);
    return found == places_.end() ? nullptr : found->second.node;
}

const NodeInfo* Snapshot::find_node(const Text& name) const {
    const auto found = infos_.find(name);
    return found == infos_.end() || !found->second->node ? nullptr : found->second.get();
}

std::string Snapshot::term_key(const ShapeRef& shape, const Pod& pod) {
    return std::to_string(shape->number) + pod.metadata.namespace_.view() + label_key_values(*shape, pod);
}

}  // namespace muster::scheduler
