// What a container asks for that this node cannot give. It is refused plainly rather than run otherwise than asked.
#pragma once

#include <cstdint>

#include "api/kinds/core/pod.h"
#include "base/result.h"

namespace muster::node {

// kInvalid with the message for CreateContainerConfigError. `user_id` and `group_id` are those of the node's processes;
// only root can start processes with others.
Result<void> check_supported(const api::core::Pod& pod, const api::core::Container& container, std::int64_t user_id,
                             std::int64_t group_id);

}  // namespace muster::node
