// What a Node is before anybody looks at it.
#pragma once

#include "api/kinds/core/node.h"

namespace muster::api {

// All that a node has can be used, unless it says otherwise.
void default_node(core::Node& node);

}  // namespace muster::api
