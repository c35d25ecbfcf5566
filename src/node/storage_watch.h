// Measures what pods with limits take of the disk, one after the other on a worker, and says which take too much
// (storage_limits.h). A pod is measured every kPeriod, as by a kubelet, counted from the end of the last round.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client/client.h"
#include "node/pods/storage_limits.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::node {

class StorageWatch {
public:
    using PodRef = client::Ref<api::core::Pod>;
    using Evict = std::function<void(const PodRef& pod, const std::string& why)>;
    static constexpr Duration kPeriod = 10s;

    // The loop and the worker must outlive it. Without a worker nothing is measured.
    StorageWatch(os::Loop& loop, os::Worker* worker, std::string directory, bool as_root, Evict evict);
    // A measurement that is under way gives up.
    ~StorageWatch();

    // From here on, if the pod has limits.
    void watch(const PodRef& pod);
    void forget(const Text& pod_uid) { pods_.erase(pod_uid); }

private:
    os::Task<void> keep_watching();

    os::Loop& loop_;
    os::Worker* const worker_;
    const std::string directory_;
    const bool as_root_;
    const Evict evict_;
    std::map<Text, PodRef> pods_;
    bool watching_ = false;
    const std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
    os::TaskScope tasks_;
};

// For any thread.
StorageUse measure_storage(const std::string& directory, const api::core::Pod& pod, bool as_root,
                           const std::atomic<bool>& stop);

}  // namespace muster::node
