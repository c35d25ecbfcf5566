#include "node/storage_watch.h"

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

StorageWatch::StorageWatch(os::Loop& loop, os::Worker* worker, std::string directory, bool as_root, Evict evict)
    : loop_(loop),
      worker_(worker),
      directory_(std::move(directory)),
      as_root_(as_root),
      evict_(std::move(evict)),
      tasks_(loop) {}

StorageWatch::~StorageWatch() { *stop_ = true; }

void StorageWatch::watch(const PodRef& pod) {
    if (!worker_ || !has_storage_limits(*pod, as_root_)) return;
    pods_[pod->metadata.uid] = pod;
    if (!std::exchange(watching_, true)) tasks_.spawn(keep_watching());
}

os::Task<void> StorageWatch::keep_watching() {
    for (;;) {
        co_await os::sleep_for(loop_, kPeriod);
        const std::map<Text, PodRef> all = pods_;
        for (const auto& [uid, pod] : all) {
            if (!pods_.contains(uid)) continue;
            auto measure = [directory = directory_, measured = pod, as_root = as_root_, stop = stop_] {
                return measure_storage(directory, *measured, as_root, *stop);
            };
            const StorageUse use = co_await os::offload(loop_, *worker_, std::move(measure));
            if (!pods_.contains(uid)) continue;
            if (const auto why = find_excess(*pod, use, as_root_)) evict_(pod, *why);
        }
    }
}

}  // namespace muster::node
