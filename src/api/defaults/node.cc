#include "api/defaults/node.h"

namespace muster::api {

void default_node(core::Node& node) {
    if (node.status.allocatable.is_null() && !node.status.capacity.is_null())
        node.status.allocatable = node.status.capacity;
}

}  // namespace muster::api
