// What a pod can learn of itself: the fields behind fieldRef and the resources behind resourceFieldRef. Pure.
#pragma once

#include <string>

#include "api/kinds/core/pod.h"
#include "base/result.h"

namespace muster::node {

// What the node adds to what stands in the pod. Constructors, because Tasks take it.
struct NodeFacts {
    NodeFacts() = default;
    NodeFacts(Text name, Text address, api::Quantity processors, api::Quantity bytes)
        : node_name(std::move(name)),
          host_ip(std::move(address)),
          cpu(std::move(processors)),
          memory(std::move(bytes)) {}

    Text node_name{};
    Text host_ip{};
    // What a container without limits may use, which is what limits.cpu and limits.memory then give.
    api::Quantity cpu{};
    api::Quantity memory{};
};

// kBadRequest for a path that nothing is behind. `pod_ip` is that of the pod even before its status shows it.
Result<std::string> pod_field(const api::core::Pod& pod, const NodeFacts& facts, const Text& pod_ip,
                              std::string_view path);

// Divided by the divisor and rounded up. kBadRequest for a resource or container that there is not.
Result<std::string> resource_field(const api::core::Pod& pod, const api::core::Container& container,
                                   const NodeFacts& facts, const api::core::ResourceFieldSelector& selector);

}  // namespace muster::node
