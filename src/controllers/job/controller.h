// The Job controller: watches Jobs and pods, and for one Job at a time carries out what claim.h, decide.h and orphan.h
// plan. A sync is
//
//     claim pods → decide_pods → remove and create → decide_status → store it → release finalizers
//
// and stops at the first step that fails; the next sync starts from what is true then. It can be stopped at any point
// and started again. A sync begins only when the mirrors show everything that the last one wrote.
//
// With a pace (pace.h), as on a cluster, the sync ends after the pods: the refill. The rest, from decide_status on, is
// the count: a lane of its own that goes when the pace says so, beside the refill of the same Job (lanes.h). The refill
// waits until the mirrors show the pods that it made and removed and the last status; the count waits until they show
// the last status and the finalizers that it released. So a name in a status becomes a number only in a view in which
// its finalizer is gone, and no place is filled twice though the count comes later: an end is in the pods of the view
// until it is in the Job of the view.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/job/decide.h"
#include "controllers/job/job_metrics.h"
#include "controllers/job/lanes.h"
#include "controllers/job/pace.h"
#include "controllers/job/pods/pod_names.h"
#include "controllers/reconciler.h"
#include "controllers/unseen.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct JobControllerOptions {
    jobs::Gates gates{};
    jobs::Limits limits{};
    std::size_t syncs_at_once_max = 512;
    // On a cluster kClusterPace saves status writes. In the process a sync takes what has accumulated since the last
    // one became durable, and needs no waiting.
    jobs::Pace pace{};
    client::RetryDelays retry{};
};

class JobController {
public:
    // All must outlive the controller; destroying it stops it.
    JobController(os::Loop& loop, client::Client& client, client::Metrics& metrics, JobControllerOptions options = {});

    JobController(const JobController&) = delete;
    JobController& operator=(const JobController&) = delete;
    ~JobController() { ending_ = true; }

    void start();
    // Nothing is known that is still to be done.
    bool idle() const { return reconciler_.idle() && counts_.idle() && orphans_.idle(); }
    // Of how many Jobs something is kept from sync to sync.
    std::size_t remembered() const { return reconciler_.remembered(); }

private:
    using Job = api::batch::Job;
    using Pod = api::core::Pod;
    using JobRef = client::Ref<Job>;
    using PodRef = jobs::PodRef;

    // State of a Job that is kept between syncs. It is forgotten when the Job ends or goes, so that a recreated Job of
    // the same name does not inherit the old Job's backoff.
    struct Memory {
        const Text uid;
        Unseen<Job> jobs;
        Unseen<Pod> pods;      // made, removed, adopted; in a sync without a pace released, too
        Unseen<Pod> releases;  // of the count
        jobs::BackoffRecord backoff;
        std::unique_ptr<jobs::PodMold> mold;
        std::int64_t mold_generation = -1;
        jobs::PodNames names;
        std::size_t burst = 1;  // how many pods are made at once to begin with

        // With a pace:
        jobs::Lanes lanes;
        jobs::LastStatus last_status;
        std::size_t under_way = 0;  // creations that are planned or sent, and not answered
        std::size_t ended = 0;      // pods, since the last count
        std::size_t pods_seen = 0;  // by the last refill
        // The lane has found the mirrors older than its writes: it goes on when they change.
        bool refill_is_stale = false;
        bool count_is_stale = false;

        Memory(Text of, std::uint64_t seed) : uid(std::move(of)), names(seed) {}
    };
    using MemoryRef = std::shared_ptr<Memory>;
    using UnseenPods = std::shared_ptr<Unseen<Pod>>;
    // The end of a lane's turn, however it comes: the other lane is woken if it waits.
    class RefillEnd;
    class CountEnd;
    // What a change of a pod may mean for its Job.
    enum class Stir { kFreesPlace, kOther };

    void on_job(const JobRef& before, const JobRef& now);
    void on_pod(const PodRef& before, const PodRef& now);
    void wake_owner(const Pod& pod, Stir stir);
    void wake_paced(const client::ObjectName& name, Stir stir);
    void wake_stale(const client::ObjectName& name, Memory& memory);
    void wake_selecting(const Pod& pod);
    void on_job_gone(const Job& job);
    void release_pods_of(const Text& job_uid);
    MemoryRef memory_of(const JobRef& job);
    bool is_seen(Memory& memory);
    bool is_seen_by_count(Memory& memory);
    // Whether the Job is counted in a lane of its own.
    bool is_counted_aside(const Job& job) const;
    // Pods that are being made, or made and not shown yet.
    std::size_t count_coming_pods(Memory& memory) const;
    // Of those that an index has under the Job's UID, those that are in its namespace and name it. A UID alone can be
    // written into any pod.
    std::vector<PodRef> pods_of(const Job& job, client::Mirror<Pod>::IndexId index) const;

    os::Task<Worked> sync(client::ObjectName name);
    os::Task<Worked> read_afresh(client::ObjectName name, MemoryRef memory);
    // Says in `action` what the sync was mostly about, for the metrics.
    os::Task<Result<Worked>> sync_job(JobRef job, MemoryRef memory, jobs::SyncAction& action);
    // The second half of a sync without a pace.
    os::Task<Result<void>> sync_status(JobRef job, MemoryRef memory, const jobs::JobView& view,
                                       const jobs::PodsPlan& plan, const jobs::PodsOutcome& outcome,
                                       jobs::SyncAction& action);
    // The other lane: counts when it is time to, and says when that will be otherwise.
    os::Task<Worked> count(client::ObjectName name);
    os::Task<Result<Worked>> count_job(JobRef job, MemoryRef memory);
    // False: it cannot go yet, and is woken when it can.
    bool begin_counting_store(const Job& job, Memory& memory, bool announces);
    void count_when_due(const client::ObjectName& name, const Memory& memory, const jobs::StatusNews& news);
    Worked count_when_seen(const client::ObjectName& name, Memory& memory);
    // Whether something was claimed, so that the pods have to be looked at again.
    os::Task<Result<bool>> claim(JobRef job, MemoryRef memory);
    os::Task<Result<void>> adopt(JobRef job, MemoryRef memory, std::vector<PodRef> pods, bool with_finalizer);
    os::Task<jobs::PodsOutcome> change_pods(JobRef job, MemoryRef memory, const jobs::PodsPlan& plan);
    os::Task<void> create_pods(JobRef job, MemoryRef memory, const jobs::PodsPlan& plan, jobs::PodsOutcome& outcome);
    // A pod that an earlier creation without an answer has made is as good as one that is made now.
    os::Task<Result<PodRef>> create_pod(JobRef job, MemoryRef memory, jobs::PodDraft plan);
    os::Task<Result<void>> remove_pod(MemoryRef memory, jobs::Removal removal);
    os::Task<Result<PodRef>> patch_pod(PodRef pod, client::MetadataPatch patch);
    os::Task<Result<void>> patch_pods(UnseenPods unseen, std::vector<PodRef> pods, client::MetadataPatch patch);
    os::Task<Result<void>> store_status(JobRef job, MemoryRef memory, const jobs::StatusPlan& plan);
    os::Task<Worked> release_orphan(client::ObjectName name);

    void tell(const Job& job, const std::vector<client::Note>& notes);

    bool ending_ = false;  // lanes wake each other no more
    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    JobControllerOptions options_;
    client::Recorder recorder_;
    client::Mirror<Job> jobs_;
    client::Mirror<Pod> pods_;
    client::Mirror<Job>::IndexId jobs_by_uid_;
    client::Mirror<Job>::IndexId jobs_with_own_selector_;  // by namespace
    client::Mirror<Pod>::IndexId pods_by_owner_;
    client::Mirror<Pod>::IndexId pending_by_owner_;
    client::Mirror<Pod>::IndexId unowned_by_namespace_;
    Reconciler<client::ObjectName, Memory> reconciler_;
    Reconciler<client::ObjectName> counts_;   // Jobs with a pace, to be counted
    Reconciler<client::ObjectName> orphans_;  // pods that may lose their finalizer
    std::set<Text> gone_;                     // UIDs of Jobs that were ours
    std::deque<Text> gone_order_;
};

}  // namespace muster::controllers
