// The Job controller: watches Jobs and pods, and for one Job at a time carries out what claim.h, decide.h and orphan.h
// plan. A sync is
//
//     claim pods → decide_pods → remove and create → decide_status → store it → release finalizers
//
// and stops at the first step that fails; the next sync starts from what is true then. It can be stopped at any point
// and started again. A sync begins only when the mirrors show everything that the last one wrote.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "client/work_queue.h"
#include "controllers/job/decide.h"
#include "controllers/job/job_metrics.h"
#include "controllers/job/pods/pod_names.h"
#include "controllers/unseen.h"
#include "controllers/workers.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct JobControllerOptions {
    jobs::Gates gates{};
    jobs::Limits limits{};
    std::size_t syncs_at_once_max = 512;
    // How long changes of pods gather before the Job is looked at. On a cluster this saves status writes; in the
    // process a sync takes what has accumulated since the last one became durable, and needs no waiting.
    Duration batch_period{};
    client::RetryDelays retry{};
};

class JobController {
public:
    // All must outlive the controller; destroying it stops it.
    JobController(os::Loop& loop, client::Client& client, client::Metrics& metrics, JobControllerOptions options = {});

    void start();
    // Nothing is known that is still to be done.
    bool idle() const { return queue_.idle() && orphans_.idle(); }
    // Of how many Jobs something is kept from sync to sync.
    std::size_t remembered() const { return memory_.size(); }

private:
    using Job = api::batch::Job;
    using Pod = api::core::Pod;
    using JobRef = client::Ref<Job>;
    using PodRef = jobs::PodRef;

    // State of a Job that is kept between syncs. The key is the UID, so that a recreated Job of the same name does not
    // inherit the old Job's backoff.
    struct Memory {
        Unseen<Job> jobs;
        Unseen<Pod> pods;
        jobs::BackoffRecord backoff;
        std::unique_ptr<jobs::PodMold> mold;
        std::int64_t mold_generation = -1;
        jobs::PodNames names;

        explicit Memory(std::uint64_t seed) : names(seed) {}
    };
    using MemoryRef = std::shared_ptr<Memory>;

    void on_job(const JobRef& before, const JobRef& now);
    void on_pod(const PodRef& before, const PodRef& now);
    void wake_owner(const Pod& pod);
    void wake_selecting(const Pod& pod);
    void release_pods_of(const Text& job_uid);
    MemoryRef memory_of(const JobRef& job);
    // Of those that an index has under the Job's UID, those that are in its namespace and name it. A UID alone can be
    // written into any pod.
    std::vector<PodRef> pods_of(const Job& job, client::Mirror<Pod>::IndexId index) const;

    os::Task<Worked> sync(client::ObjectName name);
    // Says in `action` what the sync was mostly about, for the metrics.
    os::Task<Result<Worked>> sync_job(JobRef job, MemoryRef memory, jobs::SyncAction& action);
    // Whether something was claimed, so that the pods have to be looked at again.
    os::Task<Result<bool>> claim(JobRef job, MemoryRef memory);
    os::Task<Result<void>> adopt(JobRef job, MemoryRef memory, std::vector<PodRef> pods, bool with_finalizer);
    os::Task<jobs::PodsOutcome> change_pods(JobRef job, MemoryRef memory, const jobs::PodsPlan& plan);
    os::Task<void> create_pods(JobRef job, MemoryRef memory, const jobs::PodsPlan& plan, jobs::PodsOutcome& outcome);
    // A pod that an earlier creation without an answer has made is as good as one that is made now.
    os::Task<Result<PodRef>> create_pod(JobRef job, MemoryRef memory, jobs::PodDraft plan);
    os::Task<Result<void>> remove_pod(MemoryRef memory, jobs::Removal removal);
    os::Task<Result<PodRef>> patch_pod(PodRef pod, client::MetadataPatch patch);
    os::Task<Result<void>> patch_pods(MemoryRef memory, std::vector<PodRef> pods, client::MetadataPatch patch);
    os::Task<Result<void>> store_status(JobRef job, MemoryRef memory, const jobs::StatusPlan& plan);
    os::Task<Worked> release_orphan(client::ObjectName name);

    void tell(const Job& job, const std::vector<jobs::Note>& notes);

    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    JobControllerOptions options_;
    client::Recorder recorder_;
    client::WorkQueue<client::ObjectName> queue_;
    client::WorkQueue<client::ObjectName> orphans_;
    client::Mirror<Job> jobs_;
    client::Mirror<Pod> pods_;
    client::Mirror<Job>::IndexId jobs_by_uid_;
    client::Mirror<Job>::IndexId jobs_with_own_selector_;  // by namespace
    client::Mirror<Pod>::IndexId pods_by_owner_;
    client::Mirror<Pod>::IndexId pending_by_owner_;
    client::Mirror<Pod>::IndexId unowned_by_namespace_;
    std::map<Text, MemoryRef> memory_;  // by the Job's UID
    Workers<client::ObjectName> workers_;
    Workers<client::ObjectName> orphan_workers_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers
