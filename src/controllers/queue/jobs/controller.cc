#include "controllers/queue/jobs/controller.h"

#include "api/kinds/core/pod_phase.h"
#include "api/kinds/kueue/kueue_names.h"
#include "base/reached.h"
#include "controllers/owners.h"
#include "controllers/queue/jobs/gate.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers {
namespace {

namespace names = api::kueue;
using api::batch::Job;
using api::kueue::Workload;
using client::MetadataPatch;
using client::Note;
using client::ObjectName;
using jobqueue::QueuedJobNote;
using jobqueue::QueuedJobPlan;

const api::meta::OwnerReference* job_owner_of(const Workload& workload) {
    return controller_of(workload.metadata, kJobOwner);
}

Text owning_job(const Workload& workload) {
    const api::meta::OwnerReference* owner = job_owner_of(workload);
    return owner ? Text(client::format_name({workload.metadata.namespace_, owner->name})) : Text();
}

Text prebuilt_key(const Job& job) {
    const Text prebuilt = prebuilt_of(job.metadata);
    return prebuilt.empty() ? Text() : Text(client::format_name({job.metadata.namespace_, prebuilt}));
}

// Whether the Workload gives its quota back when no pod is left.
bool waits_for_pods(const client::Ref<Workload>& workload) {
    return workload && (workload->metadata.deletion_timestamp ||
                        (is_evicted(workload->status) && has_reservation(workload->status)));
}

// The Job whose quota the pod uses: one that was resumed here marks what it makes, see inject_start.
const api::meta::OwnerReference* paying_job(const api::core::Pod& pod) {
    if (!pod.metadata.labels.contains(names::kPodSetLabel) || api::core::has_ended(pod)) return nullptr;
    return controller_of(pod.metadata, kJobOwner);
}

// Notes about actions are recorded every time. Other notes are not repeated until a different note has been recorded.
bool is_deed(const QueuedJobNote& note) {
    const std::string_view reason = note.reason;
    return reason == "Started" || reason == "Stopped" || reason == "DeletedWorkload";
}

}  // namespace

QueuedJobs::QueuedJobs(os::Loop& loop, client::Client& client, client::Metrics& metrics, QueuedJobsOptions options)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      options_(std::move(options)),
      recorder_(loop, client, "kueue-job"),
      jobs_(loop, client),
      workloads_(loop, client),
      pods_(loop, client, options_.pod_labels),
      namespaces_(loop, client),
      lookups_(loop, client),
      reconciler_(
          loop, client::QueueMetrics(metrics, "queued_jobs"), options_.syncs_at_once_max,
          [this](ObjectName name) { return sync(std::move(name)); },
          [this](Memory& memory) { return memory.jobs.seen_in(jobs_) && memory.workloads.seen_in(workloads_); }) {
    workloads_by_job_ = workloads_.add_index(owning_job);
    jobs_by_prebuilt_ = jobs_.add_index(prebuilt_key);
    pods_by_job_ = pods_.add_index([](const api::core::Pod& pod) {
        const api::meta::OwnerReference* job = paying_job(pod);
        return job ? job->uid : Text();
    });
}

void QueuedJobs::start() {
    jobs_.on_change([this](const JobRef& before, const JobRef& now) {
        const JobRef& job = now ? now : before;
        const bool has_workload =
            !workloads_.indexed(workloads_by_job_, Text(client::format_name(client::name_of(*job)))).empty();
        // A Job without a queue costs nothing.
        if (has_workload || !queue_name_of(job->metadata).empty() ||
            options_.configuration.manage_jobs_without_queue_name)
            reconciler_.add(client::name_of(*job));
    });
    workloads_.on_change([this](const WorkloadRef& before, const WorkloadRef& now) {
        if (before) wake(*before);
        if (now) wake(*now);
    });
    pods_.on_change([this](const PodRef& before, const PodRef& now) { on_pod(before, now); });
    namespaces_.start();
    lookups_.start();
    pods_.start();
    jobs_.start();
    workloads_.start();
    reconciler_.start_after(jobs_, workloads_, pods_, namespaces_, lookups_);
}

void QueuedJobs::wake(const Workload& workload) {
    if (const api::meta::OwnerReference* owner = job_owner_of(workload))
        reconciler_.add({workload.metadata.namespace_, owner->name});
    const Text name = client::format_name(client::name_of(workload));
    for (const JobRef& job : jobs_.indexed(jobs_by_prebuilt_, name)) reconciler_.add(client::name_of(*job));
}

// What is over matters to Workloads that wait for it before they go; while a Job goes on, its status says enough.
void QueuedJobs::on_pod(const PodRef& before, const PodRef& now) {
    const api::meta::OwnerReference* owner = before ? paying_job(*before) : nullptr;
    if (!owner) return;
    const bool leaves = now && now->metadata.deletion_timestamp && !before->metadata.deletion_timestamp;
    if (now && paying_job(*now) && !leaves) return;
    const ObjectName name(before->metadata.namespace_, owner->name);
    const JobRef job = jobs_.get(name);
    const bool goes_on = job && job->metadata.uid == owner->uid && !job->metadata.deletion_timestamp;
    for (const WorkloadRef& workload : workloads_.indexed(workloads_by_job_, Text(client::format_name(name))))
        if (!goes_on || waits_for_pods(workload)) return reconciler_.add(name);
}

std::vector<QueuedJobs::PodRef> QueuedJobs::pods_of(const JobRef& job, const WorkloadRef& workload) const {
    if (!workload) return {};
    const api::meta::OwnerReference* owner = job_owner_of(*workload);
    if (!owner && !job) return {};
    return pods_.indexed(pods_by_job_, owner ? owner->uid : job->metadata.uid);
}

bool QueuedJobs::is_managed(const Job& job) const {
    const auto space = namespaces_.get({Text(), job.metadata.namespace_});
    jobqueue::JobSurroundings around;
    around.namespace_labels = space ? &space->metadata.labels : nullptr;
    // A Job of a managed owner waits with it. Of owners, only CronJobs are known here, and they are not queued.
    return jobqueue::is_subject(job, options_.configuration, around);
}

os::Task<Worked> QueuedJobs::sync(ObjectName name) {
    const MemoryRef memory = reconciler_.recall(name);
    if (memory->changes.open_in(jobs_)) {
        REACHED("a queued Job may have been started or stopped, and no answer came");
        const Result<void> repeated = co_await memory->changes.repeat(client_, memory->jobs);
        if (!repeated.ok()) co_return Worked::kRetry;
        reconciler_.add(name);
        co_return Worked::kDone;
    }
    const JobRef job = jobs_.get(name);
    const std::vector<WorkloadRef> owned = workloads_.indexed(workloads_by_job_, Text(client::format_name(name)));
    const bool managed = job && is_managed(*job);
    const Text own_name = managed ? jobqueue::workload_name_of(*job) : Text();
    // Those of Jobs that had the name before, and those that are too many.
    for (const WorkloadRef& workload : owned) {
        if (job && job_owner_of(*workload)->uid == job->metadata.uid && workload->metadata.name == own_name) continue;
        const Result<void> settled = co_await settle(name, memory, nullptr, workload);
        if (!settled.ok()) co_return Worked::kRetry;
    }
    if (!managed) {
        if (owned.empty()) reconciler_.forget(name);
        co_return Worked::kDone;
    }
    const WorkloadRef workload = workloads_.get({name.namespace_, own_name});
    const Result<void> settled = co_await settle(name, memory, job, workload);
    co_return settled.ok() ? Worked::kDone : Worked::kRetry;
}

os::Task<Result<void>> QueuedJobs::settle(ObjectName name, MemoryRef memory, JobRef job, WorkloadRef workload) {
    const std::vector<PodRef> pods = job && !waits_for_pods(workload) ? std::vector<PodRef>() : pods_of(job, workload);
    const jobqueue::QueuedJobView view{job.get(),
                                       workload.get(),
                                       pods,
                                       lookups_.find_flavor(),
                                       lookups_.find_priority(),
                                       lookups_.find_pod_priority(),
                                       options_.configuration.wait_for_pods_ready.has_value(),
                                       &options_.configuration.label_keys_to_copy,
                                       loop_.now(),
                                       options_.job_manager};
    const auto plan = std::make_shared<const QueuedJobPlan>(jobqueue::decide_queued_job(view));
    if (plan->wake_at) reconciler_.add_after(name, *plan->wake_at - loop_.now());
    tell(memory, *plan, job, workload);
    if (plan->does_nothing()) co_return Result<void>();
    if (plan->create) co_return co_await create_workload(memory, plan, job);
    if (workload) CO_TRY(co_await change_workload(memory, plan, job, workload));
    if (plan->clear_start) CO_TRY(co_await clear_start(memory, job));
    if (plan->job) CO_TRY(co_await change_job(memory, plan, job));
    if (!workload) co_return Result<void>();
    WorkloadWriter writer(client_, memory->workloads, workload);
    if (plan->remove_workload) CO_TRY(co_await writer.remove());
    if (plan->release_workload) CO_TRY(co_await writer.release());
    co_return Result<void>();
}

os::Task<Result<void>> QueuedJobs::create_workload(MemoryRef memory, PlanRef plan, JobRef job) {
    WorkloadWriter writer(client_, memory->workloads, nullptr);
    const Result<void> created = co_await writer.create(*plan->create);
    if (!created.ok()) {
        if (is_refused(created.error()))
            recorder_.note(*job, Note::warning("ErrWorkloadCompose", created.error().message));
        co_return created;
    }
    observe_creation(metrics_, kJobOwner.kind, loop_.now() - job->metadata.creation_timestamp.instant());
    recorder_.note(*job, Note::normal("CreatedWorkload",
                                      "Created Workload: " + client::format_name(client::name_of(*writer.latest()))));
    co_return Result<void>();
}

os::Task<Result<void>> QueuedJobs::change_workload(MemoryRef memory, PlanRef plan, JobRef job, WorkloadRef workload) {
    WorkloadWriter writer(client_, memory->workloads, workload);
    if (plan->spec) CO_TRY(co_await writer.change_spec(*plan->spec));
    if (plan->adopt) {
        MetadataPatch patch;
        patch.add_owners.push_back(controller_reference(kJobOwner, job->metadata));
        patch.add_finalizers.emplace_back(names::kResourceInUseFinalizer);
        CO_TRY(co_await writer.change_metadata(std::move(patch)));
    }
    if (plan->gates) CO_TRY(co_await writer.change_gates(*plan->gates));
    if (plan->status) CO_TRY(co_await writer.change_status(*plan->status));
    co_return Result<void>();
}

os::Task<Result<void>> QueuedJobs::clear_start(MemoryRef memory, JobRef job) {
    Job draft = *job;
    draft.status.start_time.reset();
    CO_TRY_ASSIGN(const JobRef cleared, co_await client_.change_status<Job>(job, std::move(draft)));
    memory->jobs.wrote(*cleared);
    co_return Result<void>();
}

os::Task<Result<void>> QueuedJobs::change_job(MemoryRef memory, PlanRef plan, JobRef job) {
    Job draft = *plan->job;
    const auto updated = co_await client_.change<Job>(job, std::move(draft));
    if (!updated.ok()) {
        if (may_have_happened(updated.error())) memory->changes.add(job, JobRef(plan, &*plan->job));
        if (is_refused(updated.error()))
            recorder_.note(*job, Note::warning(names::kFinishedFailedToStart, updated.error().message));
        co_return updated.error();
    }
    memory->jobs.wrote(**updated);
    co_return Result<void>();
}

void QueuedJobs::tell(MemoryRef memory, const QueuedJobPlan& plan, const JobRef& job, const WorkloadRef& workload) {
    if (plan.notes.empty()) return;
    const bool again = plan.notes == memory->told;
    memory->told = plan.notes;
    for (const QueuedJobNote& note : plan.notes) {
        if (again && !is_deed(note)) continue;
        const Note event = Note::of(note.warning, note.reason, note.message);
        if (note.about_workload && workload)
            recorder_.note(*workload, event);
        else if (job)
            recorder_.note(*job, event);
    }
}

}  // namespace muster::controllers
