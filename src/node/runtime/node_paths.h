// The names of files in a node's directory.
#pragma once

#include <string>

#include "node/runtime/run.h"

namespace muster::node {

// The socket that the keeper listens on.
std::string keeper_socket(const std::string& directory);
// The directory of a pod. It is removed when the node forgets the pod.
std::string pod_directory(const std::string& directory, const Text& pod_uid);
// The log of a run, in the pod's directory.
std::string run_log(const std::string& directory, const RunKey& key);

}  // namespace muster::node
