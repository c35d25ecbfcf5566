// What the containers of a pod need together, and the class of service that follows from it. Pure; used by defaults,
// validation and the scheduler.
#pragma once

#include "api/kinds/core/pod.h"

namespace muster::api {

// Needed at one moment at most: by the containers and sidecars, or by an init container beside the sidecars that have
// started before it, whichever is more. Without what the pod asks for as a whole, and without overhead.
Map<Quantity> container_requests(const core::PodSpec& spec);
Map<Quantity> container_limits(const core::PodSpec& spec);

// What the pod as a whole asks for (spec.resources) once the server has filled it in: its requests; of cpu and memory
// that it only limits the sum of its containers' requests, where they state any; else its limits. Empty when the pod as
// a whole states nothing.
Map<Quantity> pod_level_requests(const core::PodSpec& spec);

enum class QosClass { kGuaranteed, kBurstable, kBestEffort };
const char* name_of(QosClass qos);

// From cpu and memory only: guaranteed when every container has limits for both and asks for just as much, best effort
// when none asks for anything. Requests and limits of the pod as a whole go before those of its containers.
QosClass qos_class(const core::PodSpec& spec);

inline bool is_huge_pages(std::string_view resource) { return resource.starts_with("hugepages-"); }
// The resources that a pod as a whole may ask for.
inline bool is_pod_level_resource(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || is_huge_pages(resource);
}

}  // namespace muster::api
