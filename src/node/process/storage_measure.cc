#include "node/process/storage_measure.h"

#include "node/pods/storage_limits.h"
#include "node/runtime/node_paths.h"
#include "node/volumes/volume_places.h"
#include "os/files/disk_usage.h"

namespace muster::node {

using api::core::Container;
using api::core::Pod;
using api::core::Volume;

StorageUse measure_storage(const std::string& directory, const Pod& pod, bool as_root, const std::atomic<bool>& stop) {
    const std::string own = pod_directory(directory, pod.metadata.uid);
    StorageUse use;
    for (const Volume& volume : pod.spec.volumes) {
        if (!measured_limit(volume, as_root)) continue;
        const bool in_memory = volume.source.empty_dir->medium == "Memory";
        const std::string above = in_memory ? shared_memory_directory(pod.metadata.uid) : own + "/volumes";
        use.volumes[volume.name] = os::disk_usage(above + '/' + volume.name.str(), stop);
    }
    if (!has_ephemeral_limit(pod)) return use;
    for (const Container& container : pod.spec.containers)
        use.containers[container.name] = os::disk_usage(own + '/' + container.name.str(), stop) +
                                         os::disk_usage(own + "/stage/" + container.name.str(), stop);
    use.pod = os::disk_usage(own, stop);
    return use;
}

}  // namespace muster::node
