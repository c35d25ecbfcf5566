#include "node/runtime/node_paths.h"

namespace muster::node {

std::string keeper_socket(const std::string& directory) { return directory + "/keeper.sock"; }

std::string pod_directory(const std::string& directory, const Text& pod_uid) {
    return directory + "/pods/" + pod_uid.str();
}

std::string run_log(const std::string& directory, const RunKey& key) {
    return pod_directory(directory, key.pod_uid) + '/' + key.container.str() + '/' + std::to_string(key.attempt) +
           ".log";
}

}  // namespace muster::node
