// Jobs in queues: watches Jobs, Workloads and what they refer to, and for one Job at a time carries out what
// decide_queued_job plans. A decision is made only when the mirrors show everything that the last one wrote. The Job's
// pods are the Job controller's; here it is only suspended and resumed, and its quota kept while any of them runs.
#pragma once

#include <memory>
#include <vector>

#include "api/kinds/core/namespace.h"
#include "api/kinds/core/pod.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/queue/jobs/decide.h"
#include "controllers/queue/workload/lookups.h"
#include "controllers/queue/workload/scope.h"
#include "controllers/queue/workload/workload_writer.h"
#include "controllers/reconciler.h"
#include "controllers/unanswered.h"
#include "controllers/unseen.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct QueuedJobsOptions {
    QueueConfiguration configuration{};
    Text job_manager{};        // see QueuedJobView
    std::string pod_labels{};  // that all pods of Jobs have; empty: they may have any
    std::size_t syncs_at_once_max = 512;
};

class QueuedJobs {
public:
    // All must outlive the controller; destroying it stops it.
    QueuedJobs(os::Loop& loop, client::Client& client, client::Metrics& metrics, QueuedJobsOptions options = {});

    void start();
    // Nothing is known that is still to be done.
    bool idle() const { return reconciler_.idle(); }

private:
    using Job = api::batch::Job;
    using Workload = api::kueue::Workload;
    using JobRef = client::Ref<Job>;
    using PodRef = client::Ref<api::core::Pod>;
    using WorkloadRef = client::Ref<Workload>;
    using PlanRef = std::shared_ptr<const jobqueue::QueuedJobPlan>;

    // What is remembered of a Job from sync to sync.
    struct Memory {
        Unseen<Job> jobs;
        Unseen<Workload> workloads;
        Unanswered<Job> changes;
        std::vector<jobqueue::QueuedJobNote> told;
    };
    using MemoryRef = std::shared_ptr<Memory>;

    bool is_managed(const Job& job) const;
    void wake(const Workload& workload);
    void on_pod(const PodRef& before, const PodRef& now);
    // Those that use its quota.
    std::vector<PodRef> pods_of(const JobRef& job, const WorkloadRef& workload) const;

    os::Task<Worked> sync(client::ObjectName name);
    os::Task<Result<void>> settle(client::ObjectName name, MemoryRef memory, JobRef job, WorkloadRef workload);
    os::Task<Result<void>> create_workload(MemoryRef memory, PlanRef plan, JobRef job);
    os::Task<Result<void>> change_workload(MemoryRef memory, PlanRef plan, JobRef job, WorkloadRef workload);
    os::Task<Result<void>> clear_start(MemoryRef memory, JobRef job);
    os::Task<Result<void>> change_job(MemoryRef memory, PlanRef plan, JobRef job);
    void tell(MemoryRef memory, const jobqueue::QueuedJobPlan& plan, const JobRef& job, const WorkloadRef& workload);

    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    const QueuedJobsOptions options_;
    client::Recorder recorder_;
    client::Mirror<Job> jobs_;
    client::Mirror<Workload> workloads_;
    client::Mirror<api::core::Pod> pods_;
    client::Mirror<api::core::Namespace> namespaces_;
    Lookups lookups_;
    client::Mirror<Workload>::IndexId workloads_by_job_;
    client::Mirror<Job>::IndexId jobs_by_prebuilt_;
    client::Mirror<api::core::Pod>::IndexId pods_by_job_;  // those that use quota, by the Job's UID
    Reconciler<client::ObjectName, Memory> reconciler_;
};

}  // namespace muster::controllers
