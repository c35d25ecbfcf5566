// The names by which pods of a node find each other: which lines of a hosts file a pod, a service and the pod that
// reads it are worth. Pure; name_files.h keeps the files. A headless service gives each of its pods that is ready an
// address under its own name, and a name of its own to one that has spec.hostname and names the service as
// spec.subdomain, in the forms in which DNS would find them: within the namespace the short one, too.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "node/environment/service_env.h"

namespace muster::node {

// What the pod calls itself: spec.hostname, or its name.
std::string host_name_of(const api::core::Pod& pod);

// Whether the pod answers under the service's name: selected, ready (or the service does not ask), not on its way out.
bool is_reached_by(const api::core::Pod& pod, const api::core::Service& service);

// The pod's lines for readers of `reader`, of the services in the pod's own namespace: one for each that reaches it.
// None while it has no address: its status may not tell yet which it is.
std::vector<std::string> peer_lines(const api::core::Pod& pod, const Text& pod_ip,
                                    const std::vector<ServiceRef>& services, const Text& reader);
// Whether a pod that was changed may have other lines than before.
bool may_change_lines(const api::core::Pod& before, const api::core::Pod& now);
// The line of a service that has an address of its own, if it has.
std::vector<std::string> service_lines(const api::core::Service& service, const Text& reader);
// The pod's own: its address under the name that it calls itself, whether or not anybody else may find it.
std::string own_line(const api::core::Pod& pod, const Text& pod_ip);
// spec.hostAliases, as they are written into the head of a hosts file.
std::string alias_lines(const api::core::Pod& pod);

}  // namespace muster::node
