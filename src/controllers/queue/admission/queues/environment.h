// What the admission of Workloads depends on, besides the Workloads: queues, flavors, cohorts, checks, and the
// namespaces, LimitRanges and RuntimeClasses of their pods. Keeps mirrors of them, and collects what has changed until
// the controller takes it to settle the Workloads concerned again.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "api/kinds/core/namespace.h"
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/runtime.h"
#include "client/client.h"
#include "client/mirror.h"
#include "controllers/queue/admission/engine/requests.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers::queue {

// The objects that have changed since their Workloads were settled.
struct Concerned {
    bool all = false;
    std::set<Text> cluster_queues{};
    std::set<client::ObjectName> local_queues{};
    std::set<Text> namespaces{};
    std::set<Text> runtime_classes{};

    // Whether a Workload of that name in these queues may be. RuntimeClasses are left to the caller, as they need the
    // Workload itself.
    bool concern(const client::ObjectName& workload, const Text& cluster_queue, const Text& local_queue) const;
    bool concern_pods_of(const api::kueue::Workload& workload) const;
};

class Environment {
public:
    using ClusterQueue = api::kueue::ClusterQueue;
    using LocalQueue = api::kueue::LocalQueue;

    // Called at once, while the mirrors show the change.
    struct Listener {
        std::function<void()> changed;  // what a decision depends on
        std::function<void(const Text& cluster_queue)> cluster_queue_gone;
        std::function<void(const client::ObjectName& local_queue)> local_queue_gone;
        std::function<void(const client::ObjectName& local_queue)> local_queue_changed;
    };

    // Both must outlive it; destroying it stops it.
    Environment(os::Loop& loop, client::Client& client);
    void start(Listener listener);
    os::Task<void> wait_synced();

    // What has changed since the last call.
    Concerned take_concerned();

    const client::Mirror<ClusterQueue>& cluster_queues() const { return cluster_queues_; }
    const client::Mirror<LocalQueue>& local_queues() const { return local_queues_; }
    const client::Mirror<api::kueue::ResourceFlavor>& flavors() const { return flavors_; }
    const client::Mirror<api::kueue::Cohort>& cohorts() const { return cohorts_; }

    // Null when there is none of that name.
    client::Ref<ClusterQueue> find_cluster_queue(const Text& name) const;
    client::Ref<LocalQueue> find_local_queue(const client::ObjectName& name) const;
    // Nothing when there is no such check, else whether its controller is at work.
    std::optional<bool> is_check_active(const Text& name) const;
    Map<Text> namespace_labels(const Text& namespace_) const;
    PodRules pod_rules(const Text& namespace_) const;
    // The cohorts above a cohort, from the nearest to the root; of a circle each once.
    std::vector<Text> cohorts_over(const Text& cohort) const;

private:
    void watch();

    Listener listener_;
    Concerned concerned_;
    client::Mirror<ClusterQueue> cluster_queues_;
    client::Mirror<LocalQueue> local_queues_;
    client::Mirror<api::kueue::ResourceFlavor> flavors_;
    client::Mirror<api::kueue::Cohort> cohorts_;
    client::Mirror<api::kueue::AdmissionCheck> checks_;
    client::Mirror<api::core::Namespace> namespaces_;
    client::Mirror<api::core::LimitRange> limit_ranges_;
    client::Mirror<api::runtime::RuntimeClass> runtime_classes_;
    client::Mirror<api::core::LimitRange>::IndexId limit_ranges_by_namespace_;
    FindRuntimeClass find_runtime_class_;
};

}  // namespace muster::controllers::queue
