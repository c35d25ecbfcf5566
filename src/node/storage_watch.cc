#include "node/storage_watch.h"

#include "node/pods/storage_limits.h"

namespace muster::node {

StorageWatch::StorageWatch(os::Loop& loop, PodRuntime& runtime, Evict evict)
    : loop_(loop), runtime_(runtime), evict_(std::move(evict)), tasks_(loop) {}

void StorageWatch::watch(const PodRef& pod) {
    if (!runtime_.is_measured(*pod)) return;
    pods_[pod->metadata.uid] = pod;
    if (!std::exchange(watching_, true)) tasks_.spawn(keep_watching());
}

os::Task<void> StorageWatch::keep_watching() {
    for (;;) {
        co_await os::sleep_for(loop_, kPeriod);
        const std::map<Text, PodRef> all = pods_;
        for (const auto& [uid, pod] : all) {
            if (!pods_.contains(uid)) continue;
            const StorageUse use = co_await runtime_.measure(pod);
            if (!pods_.contains(uid)) continue;
            if (const auto why = find_excess(*pod, use)) evict_(pod, *why);
        }
    }
}

}  // namespace muster::node
