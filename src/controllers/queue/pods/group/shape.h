// The shape of a pod: those parts of its spec that decide whether and where it can run. Pods of one shape are one role
// of their group. The name of a role is Kueue's hash of the shape, always computed here: what an annotation says of it
// counts for nothing. Pure.
#pragma once

#include <string>

#include "api/kinds/core/pod.h"

namespace muster::controllers::podqueue {

// Eight hex digits, the same that Kueue finds: from containers' requests and ports, node selector, affinity,
// tolerations, priority, runtime class, overhead, claims and spread.
std::string role_hash(const api::core::PodSpec& spec);

// Whether both have the same role.
bool same_shape(const api::core::PodSpec& left, const api::core::PodSpec& right);
// Whether `pod` is of the shape of `origin`, or was before admission added node labels and tolerations.
bool has_grown_from(const api::core::PodSpec& pod, const api::core::PodSpec& origin);

// Whether a pod is what a hand-written template describes: the same requests, and nothing demanded of a node that the
// template does not demand. What the server fills in (priority, tolerations, requests from limits, the overhead of the
// runtime class) does not count.
bool is_described_by(const api::core::PodSpec& pod, const api::core::PodSpec& template_spec);

// What a pod takes of each resource at its most demanding moment, overhead included.
Map<api::Quantity> pod_requests(const api::core::PodSpec& spec);
// The first resource of which `asked` has more than `granted`; empty when there is none.
std::string first_excess(const Map<api::Quantity>& asked, const Map<api::Quantity>& granted);

}  // namespace muster::controllers::podqueue
