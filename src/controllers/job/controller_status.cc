// The Job controller's book-keeping: statuses are stored, then finalizers released. With a pace this is the count, the
// second lane of a Job.
#include "api/kinds/job_state.h"
#include "base/reached.h"
#include "controllers/job/controller.h"
#include "controllers/job/pods/claim.h"
#include "os/log/log.h"

namespace muster::controllers {

using api::batch::Job;
using client::ObjectName;
using jobs::PodRef;

namespace {

// When no change wakes it.
constexpr Duration kStaleRetry = 5s;

}  // namespace

class JobController::CountEnd {
public:
    CountEnd(JobController& controller, ObjectName name, MemoryRef memory)
        : controller_(controller), name_(std::move(name)), memory_(std::move(memory)) {}
    CountEnd(const CountEnd&) = delete;
    CountEnd& operator=(const CountEnd&) = delete;
    ~CountEnd() {
        if (memory_->lanes.end_count() && !controller_.ending_) controller_.reconciler_.add(name_);
    }

private:
    JobController& controller_;
    const ObjectName name_;
    const MemoryRef memory_;
};

os::Task<Result<void>> JobController::sync_status(JobRef job, MemoryRef memory, const jobs::JobView& view,
                                                  const jobs::PodsPlan& plan, const jobs::PodsOutcome& outcome,
                                                  jobs::SyncAction& action) {
    const jobs::StatusPlan status = jobs::decide_status(view, plan, outcome);
    if (action == jobs::SyncAction::kReconciling && !status.release.empty()) action = jobs::SyncAction::kTracking;
    CO_TRY(co_await store_status(job, memory, status));
    if (!status.release.empty())
        CO_TRY(co_await patch_pods(UnseenPods(memory, &memory->pods), status.release, jobs::release_finalizer()));
    if (status.wake_at) reconciler_.add_after(client::name_of(*job), *status.wake_at - loop_.now());
    co_return Result<void>();
}

os::Task<Result<void>> JobController::store_status(JobRef job, MemoryRef memory, const jobs::StatusPlan& plan) {
    if (plan.status) {
        Job draft = *job;
        draft.status = *plan.status;
        CO_TRY_ASSIGN(const JobRef stored, co_await client_.change_status<Job>(job, std::move(draft)));
        memory->jobs.wrote(*stored);
        LOG_INFO(2, "Counted pods", {"job", client::name_of(*job)}, {"active", stored->status.active},
                 {"succeeded", stored->status.succeeded}, {"failed", stored->status.failed},
                 {"released", plan.release.size()});
        if (api::batch::is_finished(stored->status)) LOG_INFO(2, "The Job has ended", {"job", client::name_of(*job)});
        jobs::count_facts(metrics_, *job, plan.facts);
    }
    memory->backoff = plan.backoff;
    tell(*job, plan.notes);
    co_return Result<void>();
}

bool JobController::is_seen_by_count(Memory& memory) {
    return memory.jobs.seen_in(jobs_) && memory.releases.seen_in(pods_);
}

std::size_t JobController::count_coming_pods(Memory& memory) const {
    return memory.under_way + memory.pods.count_unseen_creations(pods_);
}

void JobController::count_when_due(const ObjectName& name, const Memory& memory, const jobs::StatusNews& news) {
    const auto wait = jobs::decide_status_pace(news, memory.last_status, loop_.uptime(), options_.pace);
    if (wait) counts_.add_after(name, *wait);
}

Worked JobController::count_when_seen(const ObjectName& name, Memory& memory) {
    REACHED("a count finds its view older than its own writes");
    memory.count_is_stale = true;
    counts_.add_after(name, kStaleRetry);
    return Worked::kLater;
}

os::Task<Worked> JobController::count(ObjectName name) {
    const JobRef job = jobs_.get(name);
    const MemoryRef memory = reconciler_.find(name);
    // Without a memory the refill has not looked at the Job yet.
    if (!job || !memory || api::batch::is_finished(job->status)) co_return Worked::kDone;
    if (!is_seen_by_count(*memory)) co_return count_when_seen(name, *memory);
    if (!memory->lanes.begin_count()) co_return Worked::kLater;
    const CountEnd end(*this, name, memory);
    if (!is_counted_aside(*job)) co_return Worked::kDone;
    const Duration began = loop_.uptime();
    const Result<Worked> result = co_await count_job(job, memory);
    const Worked worked = result.ok() ? *result : Worked::kRetry;
    if (worked != Worked::kLater)
        jobs::count_sync(metrics_, *job, jobs::SyncAction::kTracking, worked == Worked::kDone, loop_.uptime() - began);
    co_return worked;
}

// What a status announces is to be true of all pods: none is being made or removed, and the view shows them all.
bool JobController::begin_counting_store(const Job& job, Memory& memory, bool announces) {
    if (announces && !memory.pods.seen_in(pods_)) {
        memory.lanes.put_count_off();
        count_when_seen(client::name_of(job), memory);
        return false;
    }
    return memory.lanes.begin_store(job.metadata.resource_version, announces);
}

os::Task<Result<Worked>> JobController::count_job(JobRef job, MemoryRef memory) {
    const ObjectName name = client::name_of(*job);
    const std::vector<PodRef> pods = pods_of(*job, pending_by_owner_);
    const jobs::JobView view{*job, pods, memory->backoff, options_.gates, options_.limits, loop_.now()};
    const jobs::PodsPlan seen = jobs::survey_pods(view);
    const jobs::StatusNews news = jobs::find_news(view, *seen.survey, count_coming_pods(*memory));
    const auto wait = jobs::decide_status_pace(news, memory->last_status, loop_.uptime(), options_.pace);
    if (!wait) co_return Worked::kLater;
    if (*wait > Duration()) {
        counts_.add_after(name, *wait);
        co_return Worked::kLater;
    }
    jobs::PodsOutcome outcome;
    outcome.created = memory->pods.count_unseen_creations(pods_);
    const jobs::StatusPlan plan = jobs::decide_status(view, seen, outcome);
    const bool announces = plan.status && !(plan.status->conditions == job->status.conditions);
    if (!begin_counting_store(*job, *memory, announces)) co_return Worked::kLater;
    memory->ended = 0;
    CO_TRY(co_await store_status(job, memory, plan));
    memory->last_status.at = loop_.uptime();
    memory->last_status.bytes = plan.status ? jobs::estimate_bytes(*plan.status) : 0;
    // The refill goes on while the finalizers go.
    if (memory->lanes.end_store()) reconciler_.add(name);
    if (!plan.release.empty())
        CO_TRY(co_await patch_pods(UnseenPods(memory, &memory->releases), plan.release, jobs::release_finalizer()));
    // What comes next is seen when the mirrors show all this.
    if (!plan.empty()) counts_.add(name);
    co_return Worked::kDone;
}

}  // namespace muster::controllers
