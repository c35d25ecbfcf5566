// The disk limits of a pod, and whether it exceeds them: sizeLimit of its emptyDirs and ephemeral-storage limits of its
// containers, as in a kubelet's local storage eviction. Pure; node/storage_watch.h looks regularly.
//
// A container's usage is its logs and the files that it wrote over a root file system of its own. A pod's usage is all
// that it has in the node's directory. Files written elsewhere on the machine are not counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/kinds/core/pod.h"
#include "node/runtime/storage_use.h"

namespace muster::node {

// The limit of an emptyDir that has to be measured; nothing when it has none or the kernel sees to it.
std::optional<std::uint64_t> measured_limit(const api::core::Volume& volume, bool as_root);
bool has_ephemeral_limit(const api::core::Pod& pod);
// Whether anything has to be measured.
bool has_storage_limits(const api::core::Pod& pod, bool as_root);

// The sentence of the eviction, when it takes more than it may.
std::optional<std::string> find_excess(const api::core::Pod& pod, const StorageUse& use);

}  // namespace muster::node
