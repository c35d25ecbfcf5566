// Finishes Workloads that have lost their owner: watches Workloads, and the pods and Jobs that they may still belong
// to, and carries out what decide_orphan plans. A Workload whose Job or pod is there is left to the controller of
// those, which becomes its owner again.
#pragma once

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/kueue/workload.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/queue/orphans/decide.h"
#include "controllers/reconciler.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

class OrphanedWorkloads {
public:
    // All must outlive it; destroying it stops it.
    OrphanedWorkloads(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                      const std::string& job_pod_labels = {});
    void start();

private:
    using Pod = api::core::Pod;
    using Job = api::batch::Job;
    using Workload = api::kueue::Workload;
    using WorkloadRef = client::Ref<Workload>;

    void on_pod(const client::Ref<Pod>& before, const client::Ref<Pod>& now);
    // Whether a Job or a single pod is there whose Workload this is, and which is not about to leave it behind.
    bool has_claimant(const Workload& workload) const;
    os::Task<Worked> sync(client::ObjectName name);
    // Whether the pod is deleted, or gone already.
    os::Task<bool> stop(client::Ref<Pod> pod, WorkloadRef workload);

    os::Loop& loop_;
    client::Client& client_;
    client::Recorder recorder_;
    client::Mirror<Workload> workloads_;
    client::Mirror<Pod> pods_;      // that are queued themselves, and in job_pods_ the others
    client::Mirror<Pod> job_pods_;  // both may be shown all pods
    client::Mirror<Job> jobs_;
    client::Mirror<Pod>::IndexId started_pods_;      // that have not ended, by the Workload whose quota they use
    client::Mirror<Pod>::IndexId started_job_pods_;  // the same of job_pods_
    client::Mirror<Pod>::IndexId single_pods_;       // queued ones, by their Workload
    client::Mirror<Job>::IndexId jobs_by_workload_;
    Reconciler<client::ObjectName> reconciler_;
};

}  // namespace muster::controllers
