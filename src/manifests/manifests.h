// The installation as text: every part, or those that are named, in an order in which a client can apply them.
#pragma once

#include <string>
#include <vector>

#include "manifests/objects.h"

namespace muster::manifests {

// Names of the parts in their order: namespace, crds, rbac, ….
std::vector<std::string> part_names();

// The objects of these parts, in the order of the parts; of all parts that the plan has when none is named. Fails with
// kBadRequest for a name that is none, and for a part that the plan does not have.
Result<Objects> make_objects(const Plan& plan, const std::vector<std::string>& parts);

// YAML documents, one for each object.
std::string format_objects(const Objects& objects);

// A List of them as JSON, indented.
std::string format_list(const Objects& objects);

}  // namespace muster::manifests
