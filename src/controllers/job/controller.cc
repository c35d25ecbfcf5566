#include "controllers/job/controller.h"

#include "api/kinds/job_state.h"
#include "base/check.h"
#include "base/reached.h"
#include "controllers/job/backoff.h"
#include "controllers/job/pods/claim.h"
#include "controllers/job/pods/orphan.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/owners.h"
#include "os/log/log.h"
#include "os/loop/gather.h"

namespace muster::controllers {
namespace {

using api::batch::Job;
using api::core::Pod;
using client::MetadataPatch;
using client::ObjectName;
using jobs::PodRef;

constexpr std::size_t kOrphansAtOnceMax = 512;
constexpr std::size_t kGoneMax = 10'000;

const api::meta::OwnerReference* job_owner(const Pod& pod) { return controller_of(pod.metadata, kJobOwner); }

Text owner_uid(const Pod& pod) {
    const api::meta::OwnerReference* owner = job_owner(pod);
    return owner ? owner->uid : Text();
}

// Finished pods without the finalizer have been counted, and are no longer anybody's concern.
Text pending_owner_uid(const Pod& pod) {
    return jobs::has_ended(pod) && !jobs::has_tracking_finalizer(pod) ? Text() : owner_uid(pod);
}

bool is_held_after_its_end(const Pod& pod) { return jobs::has_ended(pod) && jobs::has_tracking_finalizer(pod); }

// A pod that comes, gets a node, runs or becomes ready leaves the Job's places as they are.
bool frees_place(const PodRef& before, const PodRef& now) {
    if (!now) return !jobs::has_ended(*before);
    if (!before) return !jobs::is_active(*now);
    if (jobs::is_active(*before) && !jobs::is_active(*now)) return true;
    if (jobs::is_terminating(*before) && !jobs::is_terminating(*now)) return true;
    return !(before->metadata.labels == now->metadata.labels) ||
           !(before->metadata.owner_references == now->metadata.owner_references);
}

}  // namespace

JobController::JobController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                             JobControllerOptions options)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      options_(options),
      recorder_(loop, client, "job-controller"),
      jobs_(loop, client),
      pods_(loop, client, options.gates.ownership.manual_selectors ? "" : api::batch::kControllerUidLabel),
      reconciler_(
          loop, client::QueueMetrics(metrics, "job"), options.syncs_at_once_max,
          [this](ObjectName name) { return sync(std::move(name)); }, [this](Memory& memory) { return is_seen(memory); },
          options.retry),
      counts_(
          loop, client::QueueMetrics(metrics, "job_count"), options.syncs_at_once_max,
          [this](ObjectName name) { return count(std::move(name)); }, {}, options.retry),
      orphans_(loop, client::QueueMetrics(metrics, "job_orphan_pod"), kOrphansAtOnceMax,
               [this](ObjectName name) { return release_orphan(std::move(name)); }) {
    jobs_by_uid_ = jobs_.add_index([](const Job& job) { return job.metadata.uid; });
    jobs_with_own_selector_ = jobs_.add_index(
        [](const Job& job) { return job.spec.manual_selector.value_or(false) ? job.metadata.namespace_ : Text(); });
    pods_by_owner_ = pods_.add_index(owner_uid);
    pending_by_owner_ = pods_.add_index(pending_owner_uid);
    unowned_by_namespace_ =
        pods_.add_index([](const Pod& pod) { return controller_of(pod.metadata) ? Text() : pod.metadata.namespace_; });
}

void JobController::start() {
    jobs_.on_change([this](const JobRef& before, const JobRef& now) { on_job(before, now); });
    pods_.on_change([this](const PodRef& before, const PodRef& now) { on_pod(before, now); });
    jobs_.start();
    pods_.start();
    reconciler_.start_after(jobs_, pods_);
    if (options_.pace.counts_aside()) counts_.start_after(jobs_, pods_);
    orphans_.start_after(jobs_, pods_);
}

void JobController::on_job(const JobRef& before, const JobRef& now) {
    if (!now) {
        on_job_gone(*before);
        return;
    }
    if (!jobs::is_owned(*now, options_.gates.ownership)) {
        if (!before) jobs::count_external(metrics_, *now);
        return;
    }
    if (api::batch::is_finished(now->status)) {
        reconciler_.forget(client::name_of(*now));
        release_pods_of(now->metadata.uid);
        return;
    }
    const ObjectName name = client::name_of(*now);
    // Conditions say what becomes of the pods; numbers can wait.
    const bool only_numbers = before && before->metadata.generation == now->metadata.generation &&
                              before->status.conditions == now->status.conditions;
    reconciler_.add_after(name, only_numbers ? options_.pace.period : Duration());
    if (const MemoryRef memory = reconciler_.find(name)) wake_stale(name, *memory);
}

void JobController::on_job_gone(const Job& job) {
    if (!jobs::is_owned(job, options_.gates.ownership)) return;
    reconciler_.forget(client::name_of(job));
    // Its last pods may be seen only later. Kubernetes' own Job controller takes care of pods of Jobs that are gone for
    // longer than this remembers.
    if (gone_.insert(job.metadata.uid).second) gone_order_.push_back(job.metadata.uid);
    if (gone_order_.size() > kGoneMax) {
        gone_.erase(gone_order_.front());
        gone_order_.pop_front();
    }
    release_pods_of(job.metadata.uid);
}

void JobController::on_pod(const PodRef& before, const PodRef& now) {
    const int held_before = before && is_held_after_its_end(*before);
    const int held_now = now && is_held_after_its_end(*now);
    if (held_before != held_now) jobs::count_held_pod(metrics_, held_now != 0);
    const PodRef& pod = now ? now : before;
    const Text owner_before = before ? owner_uid(*before) : Text();
    const Stir stir = frees_place(before, now) ? Stir::kFreesPlace : Stir::kOther;
    if (before && !(owner_before == owner_uid(*pod))) wake_owner(*before, stir);
    if (job_owner(*pod)) return wake_owner(*pod, stir);
    if (!now || controller_of(pod->metadata)) return;
    if (jobs::has_tracking_finalizer(*pod)) orphans_.add(client::name_of(*pod));
    wake_selecting(*pod);
}

void JobController::wake_owner(const Pod& pod, Stir stir) {
    const api::meta::OwnerReference* owner = job_owner(pod);
    if (!owner) return;
    const ObjectName name(pod.metadata.namespace_, owner->name);
    const JobRef job = jobs_.get(name);
    const bool of_job = job && job->metadata.uid == owner->uid;
    if (of_job && !jobs::is_owned(*job, options_.gates.ownership)) return;
    const bool cared_for = of_job && !api::batch::is_finished(job->status);
    if (cared_for) return options_.pace.counts_aside() ? wake_paced(name, stir) : reconciler_.add(name);
    if (jobs::has_tracking_finalizer(pod)) orphans_.add(client::name_of(pod));
}

// An end frees a place, which the refill fills soon. It is counted within the period even if the refill is busy for
// longer, and at once when very many have gathered.
void JobController::wake_paced(const ObjectName& name, Stir stir) {
    const jobs::Pace& pace = options_.pace;
    const MemoryRef memory = reconciler_.find(name);
    if (!memory) return reconciler_.add(name);
    wake_stale(name, *memory);
    const bool frees = stir == Stir::kFreesPlace;
    reconciler_.add_after(name, frees ? jobs::decide_refill_delay(memory->pods_seen) : pace.period);
    if (frees && ++memory->ended % std::max<std::size_t>(pace.ends_max, 1) == 0) return counts_.add(name);
    counts_.add_after(name, pace.period);
}

void JobController::wake_stale(const ObjectName& name, Memory& memory) {
    if (std::exchange(memory.refill_is_stale, false)) reconciler_.add(name);
    if (std::exchange(memory.count_is_stale, false)) counts_.add(name);
}

// A Job with the server's own selector selects by its UID, so one label says which; the others are few.
void JobController::wake_selecting(const Pod& pod) {
    if (const Text* uid = pod.metadata.labels.find(api::batch::kControllerUidLabel))
        for (const JobRef& job : jobs_.indexed(jobs_by_uid_, *uid)) reconciler_.add(client::name_of(*job));
    for (const JobRef& job : jobs_.indexed(jobs_with_own_selector_, pod.metadata.namespace_)) {
        const auto selector = api::LabelSelector::from(job->spec.selector.get());
        if (selector.ok() && selector->matches(pod.metadata.labels)) reconciler_.add(client::name_of(*job));
    }
}

void JobController::release_pods_of(const Text& job_uid) {
    for (const PodRef& pod : pods_.indexed(pending_by_owner_, job_uid))
        if (jobs::has_tracking_finalizer(*pod)) orphans_.add(client::name_of(*pod));
}

std::vector<PodRef> JobController::pods_of(const Job& job, client::Mirror<Pod>::IndexId index) const {
    std::vector<PodRef> pods = pods_.indexed(index, job.metadata.uid);
    std::erase_if(pods, [&job](const PodRef& pod) {
        return !(pod->metadata.namespace_ == job.metadata.namespace_) || !(job_owner(*pod)->name == job.metadata.name);
    });
    return pods;
}

JobController::MemoryRef JobController::memory_of(const JobRef& job) {
    const MemoryRef memory = reconciler_.recall(client::name_of(*job), [&] {
        const Text& uid = job->metadata.uid;
        auto made = std::make_shared<Memory>(
            uid, std::hash<Text>()(uid) ^ static_cast<std::uint64_t>(loop_.now().since_epoch().count()));
        made->backoff = jobs::rebuild_backoff(*job, options_.gates, pods_of(*job, pods_by_owner_), loop_.now());
        CHECK(made->releases.seen_in(pods_));
        return made;
    });
    CHECK(memory->uid == job->metadata.uid, "the memory of a Job that is gone");
    return memory;
}

bool JobController::is_seen(Memory& memory) {
    if (memory.jobs.seen_in(jobs_) && memory.pods.seen_in(pods_)) return true;
    REACHED("a sync finds its view older than its own writes");
    jobs::count_stale_sync(metrics_);
    memory.refill_is_stale = true;
    return false;
}

bool JobController::is_counted_aside(const Job& job) const {
    return options_.pace.counts_aside() && jobs::why_left_alone(job, options_.gates) == jobs::LeftAlone::kNo &&
           jobs::tracking_of(job, options_.gates) == jobs::Tracking::kFinalizers;
}

class JobController::RefillEnd {
public:
    RefillEnd(JobController& controller, ObjectName name, MemoryRef memory)
        : controller_(controller), name_(std::move(name)), memory_(std::move(memory)) {}
    RefillEnd(const RefillEnd&) = delete;
    RefillEnd& operator=(const RefillEnd&) = delete;
    ~RefillEnd() {
        memory_->under_way = 0;
        if (memory_->lanes.end_refill() && !controller_.ending_) controller_.counts_.add(name_);
    }

private:
    JobController& controller_;
    const ObjectName name_;
    const MemoryRef memory_;
};

os::Task<Worked> JobController::sync(ObjectName name) {
    const JobRef job = jobs_.get(name);
    if (!job || api::batch::is_finished(job->status)) co_return Worked::kDone;
    const bool takes_over = !reconciler_.find(name) && job->status.start_time && is_counted_aside(*job);
    const MemoryRef memory = memory_of(job);
    if (takes_over) co_return co_await read_afresh(std::move(name), memory);
    if (!memory->lanes.begin_refill(job->metadata.resource_version)) co_return Worked::kLater;
    const RefillEnd end(*this, name, memory);
    const Duration began = loop_.uptime();
    auto action = jobs::SyncAction::kReconciling;
    const Result<Worked> result = co_await sync_job(job, memory, action);
    const Worked worked = result.ok() ? *result : Worked::kRetry;
    if (jobs::why_left_alone(*job, options_.gates) == jobs::LeftAlone::kNo)
        jobs::count_sync(metrics_, *job, action, worked != Worked::kRetry, loop_.uptime() - began);
    co_return worked;
}

// Another controller may have named pods and released them since the mirror listed this Job and before it listed the
// pods: they would be missing in both. So a Job that has been started before is read once, and decided about when the
// mirror shows what was read.
os::Task<Worked> JobController::read_afresh(ObjectName name, MemoryRef memory) {
    const auto fresh = co_await client_.get<Job>(name);
    if (!fresh.ok()) {
        reconciler_.forget(name);
        co_return is_gone(fresh.error()) ? Worked::kDone : Worked::kRetry;
    }
    memory->jobs.wrote(**fresh);
    reconciler_.add(name);
    co_return Worked::kLater;
}

os::Task<Result<Worked>> JobController::sync_job(JobRef job, MemoryRef memory, jobs::SyncAction& action) {
    const ObjectName name = client::name_of(*job);
    const bool counted_aside = is_counted_aside(*job);
    if (!counted_aside && !memory->lanes.begin_alone()) co_return Worked::kLater;
    CO_TRY_ASSIGN(const bool claimed, co_await claim(job, memory));
    if (claimed) {
        reconciler_.add(name);
        co_return Worked::kLater;
    }
    const auto index = jobs::needs_all_pods(*job, options_.gates) ? pods_by_owner_ : pending_by_owner_;
    const std::vector<PodRef> pods = pods_of(*job, index);
    memory->pods_seen = pods.size();
    const jobs::JobView view{*job, pods, memory->backoff, options_.gates, options_.limits, loop_.now()};

    const jobs::PodsPlan pods_plan = jobs::decide_pods(view);
    LOG_INFO(4, "Decided about pods", {"job", name}, {"known", pods.size()}, {"create", pods_plan.create.size()},
             {"remove", pods_plan.remove.size()});
    tell(*job, pods_plan.notes);
    if (pods_plan.mark_lingering) {
        MetadataPatch mark(job->metadata.uid);
        mark.set_annotations.emplace_back(jobs::kLingeringAnnotation, "");
        CO_TRY_ASSIGN(const JobRef marked, co_await client_.patch_metadata<Job>(name, std::move(mark)));
        memory->jobs.wrote(*marked);
        co_return Worked::kDone;
    }
    if (!pods_plan.remove.empty())
        action = jobs::SyncAction::kPodsDeleted;
    else if (!pods_plan.create.empty())
        action = jobs::SyncAction::kPodsCreated;
    const jobs::PodsOutcome outcome = co_await change_pods(job, memory, pods_plan);
    if (counted_aside)
        count_when_due(name, *memory, jobs::find_news(view, *pods_plan.survey, count_coming_pods(*memory)));
    else
        CO_TRY(co_await sync_status(job, memory, view, pods_plan, outcome, action));
    if (pods_plan.wake_at) reconciler_.add_after(name, *pods_plan.wake_at - loop_.now());
    if (outcome.interrupted) reconciler_.add(name);
    const bool all_created = outcome.created == pods_plan.create.size() || outcome.interrupted;
    const bool all_removed = std::find(outcome.removed.begin(), outcome.removed.end(), false) == outcome.removed.end();
    const bool all_done = all_created && all_removed;
    co_return all_done ? Worked::kDone : Worked::kRetry;
}

os::Task<Worked> JobController::release_orphan(ObjectName name) {
    const PodRef pod = pods_.get(name);
    if (!pod || !jobs::has_tracking_finalizer(*pod)) co_return Worked::kDone;
    JobRef job;
    if (const api::meta::OwnerReference* owner = job_owner(*pod)) {
        // Read afresh: a mirror that does not know the Job yet must not cost its pod the finalizer.
        const ObjectName job_name(pod->metadata.namespace_, owner->name);
        const auto read = co_await client_.get<Job>(job_name);
        if (!read.ok() && !is_gone(read.error())) co_return Worked::kRetry;
        if (read.ok()) job = *read;
    }
    const bool was_owned = gone_.contains(owner_uid(*pod));
    if (!jobs::may_release_orphan(*pod, job.get(), options_.gates.ownership, was_owned)) co_return Worked::kDone;
    REACHED("a pod whose Job is gone or finished loses its finalizer");
    const auto released = co_await patch_pod(pod, jobs::release_finalizer());
    co_return released.ok() || is_gone(released.error()) ? Worked::kDone : Worked::kRetry;
}

void JobController::tell(const Job& job, const std::vector<client::Note>& notes) {
    for (const client::Note& note : notes) recorder_.note(job, note);
}

}  // namespace muster::controllers
