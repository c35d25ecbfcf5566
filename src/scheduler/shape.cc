#include "scheduler/shape.h"

#include "api/codec/encode.h"

namespace muster::scheduler {
namespace {

using api::core::PodSpec;

// Only the parts that a shape is made of.
PodSpec shape_parts(const PodSpec& spec) {
    PodSpec parts;
    parts.containers = spec.containers;
    parts.init_containers = spec.init_containers;
    parts.node_selector = spec.node_selector;
    parts.affinity = spec.affinity;
    parts.tolerations = spec.tolerations;
    parts.topology_spread_constraints = spec.topology_spread_constraints;
    parts.overhead = spec.overhead;
    parts.resources = spec.resources;
    return parts;
}

std::string content_of(const PodShape& shape) {
    PodSpec rules;
    rules.node_selector = shape.node_selector;
    rules.affinity = shape.affinity;
    rules.tolerations = shape.tolerations;
    rules.topology_spread_constraints = shape.spread;
    std::string content = api::to_protobuf(rules);
    const auto add = [&](std::int64_t number) { content.append(" ").append(std::to_string(number)); };
    for (const std::int64_t amount : {shape.requests.cpu, shape.requests.memory, shape.requests.storage}) add(amount);
    add(shape.scored_cpu);
    add(shape.scored_memory);
    for (const auto& [name, amount] : shape.requests.others) {
        content.append(" ").append(name.view());
        add(amount);
    }
    for (const HostPort& port : shape.host_ports) {
        content.append(" ").append(port.ip.view()).append(port.protocol.view());
        add(port.port);
    }
    return content;
}

}  // namespace

ShapeRef make_shape(const PodSpec& spec, std::uint64_t number) {
    auto shape = std::make_shared<PodShape>();
    shape->number = number;
    shape->requests = pod_requests(spec);
    const Amounts scored = pod_requests_for_score(spec);
    shape->scored_cpu = scored.cpu;
    shape->scored_memory = scored.memory;
    shape->host_ports = api::host_ports_of(spec);
    shape->node_selector = spec.node_selector;
    shape->affinity = spec.affinity;
    shape->tolerations = spec.tolerations;
    shape->spread = spec.topology_spread_constraints;
    return shape;
}

std::size_t ShapeCache::IdentityHash::operator()(const Identity& identity) const {
    std::size_t hash = 0;
    for (const void* part : identity) hash = (hash ^ reinterpret_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 32);
}

ShapeRef ShapeCache::shape_of(const PodSpec& spec) {
    Identity identity{spec.containers.shared().identity(),    spec.init_containers.shared().identity(),
                      spec.node_selector.shared().identity(), spec.affinity.shared().identity(),
                      spec.tolerations.shared().identity(),   spec.topology_spread_constraints.shared().identity(),
                      spec.overhead.shared().identity(),      spec.resources.shared().identity()};
    const auto known = by_identity_.find(identity);
    if (known != by_identity_.end()) return known->second.shape;
    if (by_identity_.size() >= kKnownMax) by_identity_.clear();
    if (by_content_.size() >= kKnownMax) by_content_.clear();
    ShapeRef shape = make_shape(spec, ++numbers_);
    shape = by_content_.try_emplace(content_of(*shape), shape).first->second;
    by_identity_.emplace(std::move(identity), Known{shape_parts(spec), shape});
    return shape;
}

}  // namespace muster::scheduler
