#include "controllers/cron_job/controller.h"

#include <algorithm>

#include "base/reached.h"
#include "controllers/owners.h"
#include "os/log/log.h"

namespace muster::controllers {
namespace {

using api::batch::CronJob;
using api::batch::CronJobStatus;
using api::batch::Job;
using api::meta::OwnerReference;

const client::MetricInfo& creation_skew() {
    static const client::MetricInfo info{"cronjob_controller_job_creation_skew_duration_seconds",
                                         "Seconds from when a Job was scheduled until it was created.",
                                         client::exponential_buckets(1, 2, 10)};
    return info;
}

// The CronJob that controls a Job, or null.
const OwnerReference* owning_cron(const Job& job) { return controller_of(job.metadata, kCronJobOwner); }

bool is_terminating_namespace(const Error& error) {
    return std::any_of(error.causes.begin(), error.causes.end(),
                       [](const Cause& cause) { return cause.reason == "NamespaceTerminating"; });
}

}  // namespace

CronJobController::CronJobController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                     CronJobOptions options)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      options_(std::move(options)),
      zones_(options_.read_zone),
      find_zone_([this](std::string_view name) { return zones_.find(name); }),
      recorder_(loop, client, "cronjob-controller"),
      crons_(loop, client),
      jobs_(loop, client),
      by_owner_(jobs_.add_index([](const Job& job) {
          const OwnerReference* owner = owning_cron(job);
          return owner ? owner->uid : Text();
      })),
      reconciler_(loop, client::QueueMetrics(metrics, "cronjob"), options_.at_once_max,
                  [this](client::ObjectName name) { return sync(std::move(name)); }) {}

void CronJobController::start() {
    crons_.on_change([this](const CronRef& before, const CronRef& now) { on_cron_change(before, now); });
    jobs_.on_change([this](const JobRef& before, const JobRef& now) { on_job_change(before, now); });
    crons_.start();
    jobs_.start();
    reconciler_.start_after(crons_, jobs_);
}

// A new schedule applies from now on: what it would have started before is not made up for.
void CronJobController::on_cron_change(const CronRef& before, const CronRef& now) {
    if (!now) return;
    const bool rescheduled =
        before && (!(before->spec.schedule == now->spec.schedule) || !(before->spec.time_zone == now->spec.time_zone));
    const auto next = rescheduled ? next_start(*now, find_zone_, loop_.now()) : std::nullopt;
    if (next)
        reconciler_.add_after(client::name_of(*now), *next - loop_.now());
    else
        reconciler_.add(client::name_of(*now));
}

void CronJobController::on_job_change(const JobRef& before, const JobRef& now) {
    if (before && (!now || !(before->metadata.uid == now->metadata.uid))) removed_.erase(before->metadata.uid);
    for (const JobRef& job : {before, now}) {
        const OwnerReference* owner = job ? owning_cron(*job) : nullptr;
        if (owner) reconciler_.add(client::ObjectName(job->metadata.namespace_, owner->name));
    }
}

std::vector<CronJobController::JobRef> CronJobController::jobs_of(const CronJob& cron) const {
    std::vector<JobRef> jobs = jobs_.indexed(by_owner_, cron.metadata.uid);
    std::erase_if(jobs, [&](const JobRef& job) {
        return !(job->metadata.namespace_ == cron.metadata.namespace_) || removed_.contains(job->metadata.uid);
    });
    return jobs;
}

os::Task<Worked> CronJobController::sync(client::ObjectName name) {
    const CronRef cron = crons_.get(name);
    if (!cron) co_return Worked::kDone;
    const std::vector<JobRef> jobs = jobs_of(*cron);
    const auto vanished = co_await find_vanished(cron, jobs);
    if (!vanished.ok()) co_return Worked::kRetry;
    CronPlan plan = decide_cron_job({*cron, jobs, *vanished, find_zone_, loop_.now()});
    const auto wake_at = plan.wake_at;
    for (client::Note& note : plan.notes) recorder_.note(*cron, std::move(note));
    plan.notes.clear();
    const auto after = co_await carry_out(cron, std::move(plan));
    if (!after.ok()) co_return after.error().code == Code::kNotFound ? Worked::kDone : Worked::kRetry;
    // The next look must not see less than this one did.
    co_await crons_.wait_reached(client::parse_version((*after)->metadata.resource_version));
    if (wake_at) reconciler_.add_after(name, *wake_at - loop_.now());
    co_return Worked::kLater;
}

os::Task<Result<std::vector<Text>>> CronJobController::find_vanished(CronRef cron, std::vector<JobRef> jobs) {
    std::vector<Text> vanished;
    for (const auto& active : cron->status.active) {
        const bool seen =
            std::any_of(jobs.begin(), jobs.end(), [&](const JobRef& job) { return job->metadata.uid == active.uid; });
        if (seen) continue;
        const auto live = co_await client_.get<Job>(client::ObjectName(cron->metadata.namespace_, active.name));
        if (!live.ok() && live.error().code != Code::kNotFound) co_return live.error();
        if (!live.ok() || !((*live)->metadata.uid == active.uid)) vanished.push_back(active.uid);
    }
    co_return vanished;
}

os::Task<Result<CronJobController::CronRef>> CronJobController::carry_out(CronRef cron, CronPlan plan) {
    if (plan.status) {
        CO_TRY_ASSIGN(cron, co_await write_status(cron, std::move(*plan.status)));
    }
    co_await forget_history(cron, std::move(plan.history));
    CronJobStatus status = cron->status;
    for (const JobToRemove& job : plan.replaced) {
        CO_TRY(co_await remove_job(cron, job));
        status = without_active(std::move(status), job.uid);
    }
    if (!plan.start) co_return cron;
    CronTick tick = std::move(*plan.start);
    const Instant scheduled_at = tick.scheduled_at;
    CO_TRY_ASSIGN(const JobRef job, co_await start_job(cron, std::move(tick)));
    if (job) status = with_started(std::move(status), *job, scheduled_at);
    if (status == cron->status) co_return cron;
    co_return co_await write_status(cron, std::move(status));
}

os::Task<void> CronJobController::forget_history(CronRef cron, std::vector<JobToRemove> history) {
    for (const JobToRemove& job : history) (void)co_await remove_job(cron, job);
}

os::Task<Result<void>> CronJobController::remove_job(CronRef cron, JobToRemove job) {
    client::Removal removal(job.uid);
    removal.propagation = client::Propagation::kBackground;
    const client::ObjectName name(cron->metadata.namespace_, job.name);
    const auto removed = co_await client_.remove<Job>(name, std::move(removal));
    const bool gone =
        !removed.ok() && (removed.error().code == Code::kNotFound || removed.error().code == Code::kConflict);
    if (!removed.ok() && !gone) {
        recorder_.note(*cron, client::Note::warning("FailedDelete", "Deleted job: " + removed.error().message));
        co_return removed.error();
    }
    const JobRef seen = jobs_.get(name);
    if (seen && seen->metadata.uid == job.uid) removed_.insert(job.uid);
    recorder_.note(*cron, client::Note::normal("SuccessfulDelete", "Deleted job " + job.name));
    co_return Result<void>();
}

os::Task<Result<CronJobController::JobRef>> CronJobController::start_job(CronRef cron, CronTick tick) {
    const client::ObjectName name(tick.draft.metadata.namespace_, tick.draft.metadata.name);
    auto created = co_await client_.create<Job>(std::move(tick.draft));
    if (created.ok())
        LOG_INFO(2, "Started a Job", {"cronJob", client::name_of(*cron)}, {"job", client::name_of(**created)});
    if (created.ok()) {
        const Duration late = loop_.now() - tick.scheduled_at;
        metrics_.observe(creation_skew(), {}, std::chrono::duration<double>(late).count());
        recorder_.note(*cron, client::Note::normal("SuccessfulCreate", "Created job " + name.name));
        co_await jobs_.wait_reached(client::parse_version((*created)->metadata.resource_version));
        co_return *created;
    }
    if (created.error().code == Code::kAlreadyExists) {
        REACHED("a tick's Job was made before its status told of it");
        const auto there = co_await client_.get<Job>(name);
        if (!there.ok()) co_return Error{Code::kUnavailable, there.error().message};  // gone again: to be tried again
        co_return is_controlled_by(**there, *cron) ? *there : nullptr;
    }
    if (!is_terminating_namespace(created.error()))
        recorder_.note(*cron, client::Note::warning("FailedCreate", "Error creating job: " + created.error().message));
    co_return std::move(created).error();
}

os::Task<Result<CronJobController::CronRef>> CronJobController::write_status(CronRef cron, CronJobStatus status) {
    CronJob draft = *cron;
    draft.status = std::move(status);
    co_return co_await client_.change_status<CronJob>(cron, std::move(draft));
}

}  // namespace muster::controllers
