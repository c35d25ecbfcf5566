// Asks the runtime regularly for the disk usage of pods with limits, one pod after the other, and reports those that
// take too much (node/pods/storage_limits.h). A pod is measured every kPeriod, as by a kubelet, counted from the end of
// the last round.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "node/runtime/pod_runtime.h"

namespace muster::node {

class StorageWatch {
public:
    using PodRef = client::Ref<api::core::Pod>;
    using Evict = std::function<void(const PodRef& pod, const std::string& why)>;
    static constexpr Duration kPeriod = 10s;

    // Both must outlive it.
    StorageWatch(os::Loop& loop, PodRuntime& runtime, Evict evict);

    // From here on, if the pod has limits.
    void watch(const PodRef& pod);
    void forget(const Text& pod_uid) { pods_.erase(pod_uid); }

private:
    os::Task<void> keep_watching();

    os::Loop& loop_;
    PodRuntime& runtime_;
    const Evict evict_;
    std::map<Text, PodRef> pods_;
    bool watching_ = false;
    os::TaskScope tasks_;
};

}  // namespace muster::node
