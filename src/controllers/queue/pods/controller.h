// Plain pods and groups of pods in queues: watches pods, Workloads and what they refer to, and for one pod or group at
// a time carries out what decide_group plans, from top to bottom up to the first failure. It can be stopped at any
// point and started again. A decision is made only when the mirrors show everything that the last one wrote.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/kinds/core/namespace.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/queue/pods/decide.h"
#include "controllers/queue/workload/lookups.h"
#include "controllers/queue/workload/scope.h"
#include "controllers/queue/workload/workload_writer.h"
#include "controllers/reconciler.h"
#include "controllers/unanswered.h"
#include "controllers/unseen.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct QueuedPodsOptions {
    QueueConfiguration configuration{};
    std::size_t syncs_at_once_max = 512;
};

class QueuedPods {
public:
    // All must outlive the controller; destroying it stops it.
    QueuedPods(os::Loop& loop, client::Client& client, client::Metrics& metrics, QueuedPodsOptions options = {});

    void start();
    // Nothing is known that is still to be done.
    bool idle() const { return reconciler_.idle(); }

private:
    using Pod = api::core::Pod;
    using Workload = api::kueue::Workload;
    using PodRef = podqueue::PodRef;
    using WorkloadRef = client::Ref<Workload>;
    using PlanRef = std::shared_ptr<const podqueue::GroupPlan>;
    using Key = client::ObjectName;  // the name says whether it is a pod or a group

    // What is remembered of a pod or a group from sync to sync.
    struct Memory {
        Unseen<Pod> pods;
        Unseen<Workload> workloads;
        Unanswered<Pod> starts;
        std::vector<podqueue::GroupNote> told;
    };
    using MemoryRef = std::shared_ptr<Memory>;

    // Takes away those that are none of the controller's business.
    void leave_out_others(const Text& namespace_, std::vector<PodRef>& pods) const;
    void on_pod(const PodRef& before, const PodRef& now);
    void on_workload(const WorkloadRef& before, const WorkloadRef& now);
    void wake(const Workload& workload);

    os::Task<Worked> sync(Key key);
    os::Task<Result<void>> sync_group(Key key, MemoryRef memory);
    os::Task<Result<void>> sync_single(Key key, MemoryRef memory);
    // Decides, and does.
    os::Task<Result<void>> settle(Key key, MemoryRef memory, Text group, std::vector<PodRef> pods,
                                  WorkloadRef workload);
    os::Task<Result<void>> change_workload(MemoryRef memory, PlanRef plan, WorkloadRef workload);
    os::Task<Result<void>> create_workload(MemoryRef memory, PlanRef plan);
    os::Task<Result<void>> change_pods(MemoryRef memory, PlanRef plan, WorkloadRef workload);
    os::Task<Result<void>> remove_pod(MemoryRef memory, PodRef pod,
                                      std::shared_ptr<const podqueue::PodRemoval> removal);
    os::Task<Result<void>> release_pod(MemoryRef memory, PodRef pod);
    os::Task<Result<void>> start_pod(MemoryRef memory, PodRef pod, PodRef draft, WorkloadRef workload);
    os::Task<Result<void>> confirm_no_workload(Key name);
    void tell(MemoryRef memory, const podqueue::GroupPlan& plan, const WorkloadRef& workload);

    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    const QueuedPodsOptions options_;
    client::Recorder recorder_;
    client::Mirror<Pod> pods_;
    client::Mirror<Workload> workloads_;
    client::Mirror<api::core::Namespace> namespaces_;
    Lookups lookups_;
    client::Mirror<Pod>::IndexId pods_by_group_;
    client::Mirror<Workload>::IndexId workloads_by_pod_;  // of single pods
    client::Mirror<Pod>::IndexId pods_by_prebuilt_;       // single ones, by their Workload
    Reconciler<Key, Memory> reconciler_;
};

}  // namespace muster::controllers
