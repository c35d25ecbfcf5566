#include "node/volumes/volume_places.h"

#include "os/files/payload.h"

namespace muster::node {

std::string shared_memory_directory(const Text& pod_uid) { return "/dev/shm/muster-" + pod_uid.str(); }

void remove_pod_files(const std::string& pod_directory, const Text& pod_uid) {
    // What does not go now is tried again when a server finds a directory without a pod.
    (void)os::remove_volumes(pod_directory).ok();
    (void)os::remove_volumes(shared_memory_directory(pod_uid)).ok();
}

}  // namespace muster::node
