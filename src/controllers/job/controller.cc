#include "controllers/job/controller.h"

#include "api/kinds/job_state.h"
#include "base/reached.h"
#include "controllers/job/backoff.h"
#include "controllers/job/pods/claim.h"
#include "controllers/job/pods/orphan.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/owners.h"
#include "os/loop/gather.h"

namespace muster::controllers {
namespace {

using api::batch::Job;
using api::core::Pod;
using client::MetadataPatch;
using client::ObjectName;
using jobs::PodRef;

// A view that lags behind our own writes is looked at again when it moves; this is for when it does not.
constexpr Duration kStaleRetry = 5s;
constexpr std::size_t kOrphansAtOnceMax = 512;
constexpr int kNameTriesMax = 8;

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

client::Note as_event(const jobs::Note& note) {
    client::Note event;
    event.type = note.warning ? "Warning" : "Normal";
    event.reason = note.reason;
    event.message = note.message;
    return event;
}

jobs::Note normal(const char* reason, std::string message) { return {false, reason, std::move(message)}; }
jobs::Note warning(const char* reason, std::string message) { return {true, reason, std::move(message)}; }

bool is_namespace_ending(const Error& error) {
    for (const Cause& cause : error.causes)
        if (cause.reason == "NamespaceTerminating") return true;
    return false;
}

MetadataPatch release_finalizer() {
    MetadataPatch patch;
    patch.remove_finalizers.emplace_back(api::batch::kTrackingFinalizer);
    return patch;
}

}  // namespace

JobController::JobController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                             JobControllerOptions options)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      options_(options),
      recorder_(loop, client, "job-controller"),
      queue_(loop, client::QueueMetrics(metrics, "job"), options.retry),
      orphans_(loop, client::QueueMetrics(metrics, "job_orphan_pod")),
      jobs_(loop, client),
      pods_(loop, client),
      workers_(loop, queue_, options.syncs_at_once_max, [this](ObjectName name) { return sync(std::move(name)); }),
      orphan_workers_(loop, orphans_, kOrphansAtOnceMax,
                      [this](ObjectName name) { return release_orphan(std::move(name)); }),
      tasks_(loop) {
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
    workers_.start();
    orphan_workers_.start();
}

void JobController::on_job(const JobRef& before, const JobRef& now) {
    if (!now) {
        memory_.erase(before->metadata.uid);
        release_pods_of(before->metadata.uid);
        return;
    }
    if (!before && jobs::why_left_alone(*now, options_.gates) == jobs::LeftAlone::kManagedByOther)
        jobs::count_external(metrics_, *now);
    if (api::batch::is_finished(now->status)) {
        memory_.erase(now->metadata.uid);
        release_pods_of(now->metadata.uid);
        return;
    }
    const bool only_status = before && before->metadata.generation == now->metadata.generation;
    queue_.add_after(client::name_of(*now), only_status ? options_.batch_period : Duration());
}

void JobController::on_pod(const PodRef& before, const PodRef& now) {
    const int held_before = before && is_held_after_its_end(*before);
    const int held_now = now && is_held_after_its_end(*now);
    if (held_before != held_now) jobs::count_held_pod(metrics_, held_now != 0);
    const PodRef& pod = now ? now : before;
    const Text owner_before = before ? owner_uid(*before) : Text();
    if (before && !(owner_before == owner_uid(*pod))) wake_owner(*before);
    if (job_owner(*pod)) return wake_owner(*pod);
    if (!now || controller_of(pod->metadata)) return;
    if (jobs::has_tracking_finalizer(*pod)) orphans_.add(client::name_of(*pod));
    wake_selecting(*pod);
}

void JobController::wake_owner(const Pod& pod) {
    const api::meta::OwnerReference* owner = job_owner(pod);
    if (!owner) return;
    const ObjectName name(pod.metadata.namespace_, owner->name);
    const JobRef job = jobs_.get(name);
    const bool cared_for = job && job->metadata.uid == owner->uid && !api::batch::is_finished(job->status);
    if (cared_for) return queue_.add_after(name, options_.batch_period);
    if (jobs::has_tracking_finalizer(pod)) orphans_.add(client::name_of(pod));
}

// A Job with the server's own selector selects by its UID, so one label says which; the others are few.
void JobController::wake_selecting(const Pod& pod) {
    if (const Text* uid = pod.metadata.labels.find(api::batch::kControllerUidLabel))
        for (const JobRef& job : jobs_.indexed(jobs_by_uid_, *uid)) queue_.add(client::name_of(*job));
    for (const JobRef& job : jobs_.indexed(jobs_with_own_selector_, pod.metadata.namespace_)) {
        const auto selector = api::LabelSelector::from(job->spec.selector.get());
        if (selector.ok() && selector->matches(pod.metadata.labels)) queue_.add(client::name_of(*job));
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
    MemoryRef& memory = memory_[job->metadata.uid];
    if (memory) return memory;
    memory = std::make_shared<Memory>(std::hash<Text>()(job->metadata.uid) ^
                                      static_cast<std::uint64_t>(loop_.now().since_epoch().count()));
    const std::vector<PodRef> all = pods_of(*job, pods_by_owner_);
    memory->backoff = jobs::rebuild_backoff(*job, options_.gates, all, loop_.now());
    return memory;
}

os::Task<Worked> JobController::sync(ObjectName name) {
    co_await jobs_.wait_synced();
    co_await pods_.wait_synced();
    const JobRef job = jobs_.get(name);
    if (!job || api::batch::is_finished(job->status)) co_return Worked::kDone;
    const MemoryRef memory = memory_of(job);
    if (!memory->jobs.seen_in(jobs_) || !memory->pods.seen_in(pods_)) {
        REACHED("a sync finds its view older than its own writes");
        jobs::count_stale_sync(metrics_);
        queue_.add_after(name, kStaleRetry);
        co_return Worked::kLater;
    }
    const Duration began = loop_.uptime();
    auto action = jobs::SyncAction::kReconciling;
    const Result<Worked> result = co_await sync_job(job, memory, action);
    const Worked worked = result.ok() ? *result : Worked::kRetry;
    if (jobs::why_left_alone(*job, options_.gates) == jobs::LeftAlone::kNo)
        jobs::count_sync(metrics_, *job, action, worked != Worked::kRetry, loop_.uptime() - began);
    co_return worked;
}

os::Task<Result<Worked>> JobController::sync_job(JobRef job, MemoryRef memory, jobs::SyncAction& action) {
    const ObjectName name = client::name_of(*job);
    CO_TRY_ASSIGN(const bool claimed, co_await claim(job, memory));
    if (claimed) {
        queue_.add(name);
        co_return Worked::kLater;
    }
    const auto index = jobs::needs_all_pods(*job, options_.gates) ? pods_by_owner_ : pending_by_owner_;
    const std::vector<PodRef> pods = pods_of(*job, index);
    const jobs::JobView view{*job, pods, memory->backoff, options_.gates, options_.limits, loop_.now()};

    const jobs::PodsPlan pods_plan = jobs::decide_pods(view);
    tell(*job, pods_plan.notes);
    if (pods_plan.mark_lingering) {
        MetadataPatch mark(job->metadata.uid);
        mark.set_annotations.emplace_back(jobs::kLingeringAnnotation, "");
        CO_TRY_ASSIGN(const JobRef marked, co_await client_.patch_metadata<Job>(name, std::move(mark)));
        memory->jobs.wrote(*marked);
        co_return Worked::kDone;
    }
    const jobs::PodsOutcome outcome = co_await change_pods(job, memory, pods_plan);
    const jobs::StatusPlan status_plan = jobs::decide_status(view, pods_plan, outcome);
    const Result<void> stored = co_await store_status(job, memory, status_plan);

    const bool all_created = outcome.created == pods_plan.create.size();
    const bool all_removed = std::find(outcome.removed.begin(), outcome.removed.end(), false) == outcome.removed.end();
    if (!pods_plan.remove.empty())
        action = jobs::SyncAction::kPodsDeleted;
    else if (!pods_plan.create.empty())
        action = jobs::SyncAction::kPodsCreated;
    else if (!status_plan.release.empty())
        action = jobs::SyncAction::kTracking;
    if (!stored.ok()) co_return stored.error();
    for (const auto& wake_at : {pods_plan.wake_at, status_plan.wake_at})
        if (wake_at) queue_.add_after(name, *wake_at - loop_.now());
    const bool all_done = all_created && all_removed;
    co_return all_done ? Worked::kDone : Worked::kRetry;
}

os::Task<Result<bool>> JobController::claim(JobRef job, MemoryRef memory) {
    CO_TRY_ASSIGN(const api::LabelSelector selector, api::LabelSelector::from(job->spec.selector.get()));
    std::vector<PodRef> candidates = pods_of(*job, pending_by_owner_);
    for (PodRef& pod : pods_.indexed(unowned_by_namespace_, job->metadata.namespace_))
        candidates.push_back(std::move(pod));
    const jobs::ClaimPlan plan = jobs::decide_claims(*job, options_.gates, selector, candidates);
    if (plan.adopt.empty() && plan.release.empty()) co_return false;
    if (!plan.adopt.empty()) CO_TRY(co_await adopt(job, memory, plan.adopt, plan.adopt_with_finalizer));
    if (!plan.release.empty()) {
        MetadataPatch patch = release_finalizer();
        patch.remove_owners.push_back(job->metadata.uid);
        CO_TRY(co_await patch_pods(memory, plan.release, std::move(patch)));
    }
    co_return true;
}

os::Task<Result<void>> JobController::adopt(JobRef job, MemoryRef memory, std::vector<PodRef> pods,
                                            bool with_finalizer) {
    // The mirror may show a Job that is gone: its pods must not get an owner that no longer exists.
    CO_TRY_ASSIGN(const JobRef fresh, co_await client_.get<Job>(client::name_of(*job)));
    if (!(fresh->metadata.uid == job->metadata.uid) || fresh->metadata.deletion_timestamp)
        co_return Error{Code::kConflict, "the Job is being deleted or was recreated"};
    MetadataPatch patch;
    patch.add_owners.push_back(controller_reference(kJobOwner, job->metadata));
    if (with_finalizer) patch.add_finalizers.emplace_back(api::batch::kTrackingFinalizer);
    co_return co_await patch_pods(memory, std::move(pods), std::move(patch));
}

os::Task<jobs::PodsOutcome> JobController::change_pods(JobRef job, MemoryRef memory, const jobs::PodsPlan& plan) {
    jobs::PodsOutcome outcome;
    std::vector<os::Task<Result<void>>> removals;
    removals.reserve(plan.remove.size());
    for (const jobs::Removal& removal : plan.remove) removals.push_back(remove_pod(memory, removal));
    const std::vector<Result<void>> removed = co_await os::gather(loop_, std::move(removals));
    std::vector<jobs::Note> notes;
    for (std::size_t i = 0; i < removed.size(); ++i) {
        outcome.removed.push_back(removed[i].ok());
        const jobs::PodRef& pod = plan.remove[i].pod;
        if (removed[i].ok())
            notes.push_back(normal("SuccessfulDelete", "Deleted pod: " + pod->metadata.name.str()));
        else if (removed[i].error().code == Code::kConflict)  // it has changed since, and is looked at again
            REACHED("a pod that is to be removed has changed since");
        else
            notes.push_back(warning("FailedDelete", "Error deleting: " + removed[i].error().message));
    }
    tell(*job, notes);
    if (!plan.create.empty()) co_await create_pods(job, memory, plan, outcome);
    co_return outcome;
}

os::Task<void> JobController::create_pods(JobRef job, MemoryRef memory, const jobs::PodsPlan& plan,
                                          jobs::PodsOutcome& outcome) {
    const std::int64_t generation = job->metadata.generation;
    if (!memory->mold || memory->mold_generation != generation) {
        const bool with_finalizer = !jobs::needs_all_pods(*job, options_.gates);
        memory->mold = std::make_unique<jobs::PodMold>(*job, with_finalizer);
        memory->mold_generation = generation;
    }
    // One first, then eight times as many each time, as long as all succeed: a quota that refuses them is not asked
    // 500 times.
    std::size_t next = 0;
    std::size_t failed = 0;
    for (std::size_t batch = 1; next < plan.create.size() && failed == 0; batch *= 8) {
        std::vector<os::Task<Result<PodRef>>> creations;
        for (std::size_t i = 0; i < batch && next < plan.create.size(); ++i, ++next)
            creations.push_back(create_pod(job, memory, plan.create[next]));
        std::vector<jobs::Note> notes;
        for (const Result<PodRef>& created : co_await os::gather(loop_, std::move(creations))) {
            if (created.ok()) {
                ++outcome.created;
                memory->pods.wrote(**created);
                notes.push_back(normal("SuccessfulCreate", "Created pod: " + (*created)->metadata.name.str()));
                continue;
            }
            ++failed;
            // Nothing can be made there any more, and the Job goes with the namespace.
            if (!is_namespace_ending(created.error()))
                notes.push_back(warning("FailedCreate", "Error creating: " + created.error().message));
        }
        tell(*job, notes);
    }
    jobs::count_creations(metrics_, plan.creation_reason, outcome.created, failed);
}

os::Task<Result<PodRef>> JobController::create_pod(JobRef job, MemoryRef memory, jobs::PodDraft plan) {
    const auto is_known = [&](const Text& name) {
        return pods_.get(ObjectName(job->metadata.namespace_, name)) != nullptr;
    };
    Pod draft = memory->mold->make(plan);
    for (int tries = 1;; ++tries) {
        const jobs::PodName name = memory->names.next(draft.metadata.generate_name, plan.index, is_known);
        draft.metadata.name = name.text;
        Result<PodRef> created = co_await client_.create<Pod>(draft);
        if (created.ok()) co_return created;
        if (jobs::may_have_happened(created.error())) memory->names.unanswered(plan.index, name.text);
        if (created.error().code != Code::kAlreadyExists) co_return created;
        // The answer to an earlier creation was lost, or the request came twice: then the pod is ours.
        const Result<PodRef> there = co_await client_.get<Pod>(client::name_of(draft));
        if (!there.ok()) co_return created;
        if (name.repeated) REACHED("a pod was made by a creation whose answer was lost");
        if (owner_uid(**there) == job->metadata.uid) co_return there;
        if (tries == kNameTriesMax) co_return created;
    }
}

os::Task<Result<void>> JobController::remove_pod(MemoryRef memory, jobs::Removal removal) {
    const ObjectName name = client::name_of(*removal.pod);
    if (removal.release_first && jobs::has_tracking_finalizer(*removal.pod)) {
        // Only as it was seen: if it has ended since, it is to be counted after all.
        MetadataPatch patch = release_finalizer();
        patch.resource_version = removal.pod->metadata.resource_version;
        const auto released = co_await patch_pod(removal.pod, std::move(patch));
        if (!released.ok()) co_return is_gone(released.error()) ? Result<void>() : released.error();
    }
    client::Removal remove(removal.pod->metadata.uid);
    // The same where the Job's end takes it: what is told of it then, it must not have ended otherwise before.
    if (!removal.release_first) remove.resource_version = removal.pod->metadata.resource_version;
    const auto removed = co_await client_.remove<Pod>(name, std::move(remove));
    if (!removed.ok() && !is_gone(removed.error())) co_return removed.error();
    memory->pods.removed(*removal.pod);
    co_return Result<void>();
}

os::Task<Result<PodRef>> JobController::patch_pod(PodRef pod, MetadataPatch patch) {
    patch.uid = pod->metadata.uid;
    return client_.patch_metadata<Pod>(client::name_of(*pod), std::move(patch));
}

// All of them, whatever becomes of some; then the first error, if there was one. A pod that is gone needs no patch.
os::Task<Result<void>> JobController::patch_pods(MemoryRef memory, std::vector<PodRef> pods, MetadataPatch patch) {
    std::vector<os::Task<Result<PodRef>>> patches;
    patches.reserve(pods.size());
    for (const PodRef& pod : pods) patches.push_back(patch_pod(pod, patch));
    const std::vector<Result<PodRef>> patched = co_await os::gather(loop_, std::move(patches));
    Result<void> first_error;
    for (std::size_t i = 0; i < patched.size(); ++i) {
        if (patched[i].ok()) {
            memory->pods.wrote(**patched[i]);
        } else if (is_gone(patched[i].error())) {
            REACHED("a pod is gone before its finalizer is released");
            memory->pods.released(*pods[i]);
        } else if (first_error.ok()) {
            first_error = patched[i].error();
        }
    }
    co_return first_error;
}

os::Task<Result<void>> JobController::store_status(JobRef job, MemoryRef memory, const jobs::StatusPlan& plan) {
    if (plan.status) {
        Job draft = *job;
        draft.status = *plan.status;
        CO_TRY_ASSIGN(const JobRef stored, co_await client_.change_status<Job>(job, std::move(draft)));
        memory->jobs.wrote(*stored);
        jobs::count_facts(metrics_, *job, plan.facts);
    }
    memory->backoff = plan.backoff;
    tell(*job, plan.notes);
    if (plan.release.empty()) co_return Result<void>();
    CO_TRY(co_await patch_pods(memory, plan.release, release_finalizer()));
    co_return Result<void>();
}

os::Task<Worked> JobController::release_orphan(ObjectName name) {
    co_await jobs_.wait_synced();
    co_await pods_.wait_synced();
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
    if (!jobs::may_release_orphan(*pod, job.get())) co_return Worked::kDone;
    REACHED("a pod whose Job is gone or finished loses its finalizer");
    const auto released = co_await patch_pod(pod, release_finalizer());
    co_return released.ok() || is_gone(released.error()) ? Worked::kDone : Worked::kRetry;
}

void JobController::tell(const Job& job, const std::vector<jobs::Note>& notes) {
    for (const jobs::Note& note : notes) recorder_.note(job, as_event(note));
}

}  // namespace muster::controllers
