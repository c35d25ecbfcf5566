// Measures the disk usage of a pod of processes.
#pragma once

#include <atomic>
#include <string>

#include "api/kinds/core/pod.h"
#include "node/runtime/storage_use.h"

namespace muster::node {

// For any thread. Gives up, with less than the truth, when `stop` is set.
StorageUse measure_storage(const std::string& directory, const api::core::Pod& pod, bool as_root,
                           const std::atomic<bool>& stop);

}  // namespace muster::node
