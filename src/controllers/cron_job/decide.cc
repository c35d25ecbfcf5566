#include "controllers/cron_job/decide.h"

#include <algorithm>

#include "api/kinds/job_state.h"
#include "api/value/cron_schedule.h"
#include "controllers/cron_job/job_draft.h"
#include "controllers/cron_job/schedule.h"
#include "controllers/owners.h"

namespace muster::controllers {
namespace {

using api::CronSchedule;
using api::batch::CronJob;
using api::batch::CronJobStatus;
using api::batch::Job;
using api::core::ObjectReference;
using client::Note;
using JobRef = std::shared_ptr<const Job>;

bool has_uid(const List<ObjectReference>& active, const Text& uid) {
    return std::any_of(active.begin(), active.end(), [&](const ObjectReference& job) { return job.uid == uid; });
}

// The tick that a Job was made for, if we made it.
std::optional<Instant> tick_of(const Job& job, const CronJob& cron) {
    const Text* annotation = job.metadata.annotations.find(kScheduledTimestampAnnotation);
    if (!annotation) return std::nullopt;
    const auto time = api::Time::parse(*annotation);
    if (!time.ok() || !(job.metadata.name == tick_name(cron, time->instant()))) return std::nullopt;
    return time->instant();
}

void note_end(const Job& job, CronJobStatus& status, CronPlan& plan) {
    if (has_uid(status.active, job.metadata.uid)) {
        status = without_active(std::move(status), job.metadata.uid);
        const char* condition = is_complete(job.status) ? "Complete" : "Failed";
        plan.notes.push_back(
            Note::normal("SawCompletedJob", "Saw completed job: " + job.metadata.name + ", condition: " + condition));
    }
    const auto& ended = job.status.completion_time;
    if (is_complete(job.status) && ended && (!status.last_successful_time || *status.last_successful_time < *ended))
        status.last_successful_time = ended;
}

// Derives the status from the Jobs, so that lost or foreign status writes are corrected.
CronJobStatus observe(const CronView& view, CronPlan& plan) {
    CronJobStatus status = view.cron.status;
    for (const JobRef& job : view.jobs) {
        const auto tick = tick_of(*job, view.cron);
        if (tick && (!status.last_schedule_time || status.last_schedule_time->instant() < *tick))
            status.last_schedule_time = api::Time::from_instant(*tick);
        if (is_finished(job->status)) {
            note_end(*job, status, plan);
        } else if (!has_uid(status.active, job->metadata.uid)) {
            if (tick)
                status.active.edit().push_back(reference_to(*job));
            else
                plan.notes.push_back(Note::warning(
                    "UnexpectedJob", "Saw a job that the controller did not create or forgot: " + job->metadata.name));
        }
    }
    for (const ObjectReference& active : view.cron.status.active) {
        const bool vanished = std::find(view.vanished.begin(), view.vanished.end(), active.uid) != view.vanished.end();
        if (!vanished) continue;
        plan.notes.push_back(Note::normal("MissingJob", "Active job went missing: " + active.name));
        status = without_active(std::move(status), active.uid);
    }
    return status;
}

// Oldest first; those that never started are the youngest.
bool started_before(const JobRef& left, const JobRef& right) {
    const auto& a = left->status.start_time;
    const auto& b = right->status.start_time;
    if (a.has_value() != b.has_value()) return a.has_value();
    if (a && !(*a == *b)) return *a < *b;
    return left->metadata.name.view() < right->metadata.name.view();
}

void forget_oldest(std::vector<JobRef> ended, std::optional<std::int32_t> limit, CronPlan& plan) {
    if (!limit || ended.size() <= static_cast<std::size_t>(std::max(*limit, 0))) return;
    std::sort(ended.begin(), ended.end(), started_before);
    const std::size_t surplus = ended.size() - static_cast<std::size_t>(std::max(*limit, 0));
    for (std::size_t i = 0; i < surplus; ++i)
        if (!ended[i]->metadata.deletion_timestamp)
            plan.history.push_back({ended[i]->metadata.name, ended[i]->metadata.uid});
}

void forget_history(const CronView& view, CronPlan& plan) {
    std::vector<JobRef> complete;
    std::vector<JobRef> failed;
    for (const JobRef& job : view.jobs) {
        if (is_complete(job->status))
            complete.push_back(job);
        else if (is_failed(job->status))
            failed.push_back(job);
    }
    forget_oldest(std::move(complete), view.cron.spec.successful_jobs_history_limit, plan);
    forget_oldest(std::move(failed), view.cron.spec.failed_jobs_history_limit, plan);
}

struct Timetable {
    CronSchedule schedule;
    const TimeZone* zone = nullptr;
};

// "TZ=Europe/Paris 0 * * * *": the zone in it, which wins over the field.
std::optional<std::string_view> zone_in_schedule(std::string_view schedule) {
    for (const std::string_view prefix : {"TZ=", "CRON_TZ="})
        if (schedule.starts_with(prefix)) return schedule.substr(prefix.size(), schedule.find(' ') - prefix.size());
    return std::nullopt;
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

// None when the CronJob cannot be followed, and then the notes say why.
std::optional<Timetable> read_timetable(const CronJob& cron, const ZoneLookup& zones, std::vector<Note>& notes) {
    const Text& text = cron.spec.schedule;
    Timetable timetable;
    const Text named = cron.spec.time_zone.value_or("");
    timetable.zone = zones(named);
    if (!timetable.zone) {
        notes.push_back(Note::warning("UnknownTimeZone",
                                      "invalid timeZone: " + quoted(named) + ": unknown time zone " + named.str()));
        return std::nullopt;
    }
    if (text.view().find("TZ") != std::string_view::npos)
        notes.push_back(
            Note::warning("UnsupportedSchedule",
                          "CRON_TZ or TZ used in schedule " + quoted(text) +
                              " is not officially supported, see "
                              "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"));
    auto schedule = CronSchedule::parse(text);
    std::string problem = schedule.ok() ? "" : schedule.error().message;
    if (const auto inside = zone_in_schedule(text)) {
        timetable.zone = zones(*inside);
        if (!timetable.zone)
            problem = "provided bad location " + std::string(*inside) + ": unknown time zone " + std::string(*inside);
    }
    if (!problem.empty()) {
        notes.push_back(
            Note::warning("UnparseableSchedule", "unparseable schedule: " + quoted(text) + " : " + problem));
        return std::nullopt;
    }
    timetable.schedule = *schedule;
    return timetable;
}

Instant counted_from(const CronJob& cron, const CronJobStatus& status) {
    return status.last_schedule_time ? status.last_schedule_time->instant()
                                     : cron.metadata.creation_timestamp.instant();
}

// The times that are due and not too late. The interval of @every runs on from the last start, whatever the deadline.
UnmetTimes due_times(const CronJob& cron, const Timetable& timetable, Instant since, Instant now) {
    const auto& deadline = cron.spec.starting_deadline_seconds;
    const bool by_interval = timetable.schedule.every > Duration(0);
    if (deadline && !by_interval) since = std::max(since, now - std::chrono::seconds(*deadline));
    return unmet_times(timetable.schedule, *timetable.zone, since, now);
}

std::optional<Instant> time_after(const Timetable& timetable, Instant since, Instant now) {
    if (timetable.schedule.every == Duration(0)) return next_time(timetable.schedule, *timetable.zone, now);
    const UnmetTimes unmet = unmet_times(timetable.schedule, *timetable.zone, since, now);
    return next_time(timetable.schedule, *timetable.zone, unmet.latest.value_or(since));
}

bool is_too_late(const CronJob& cron, Instant scheduled_at, Instant now) {
    const auto& deadline = cron.spec.starting_deadline_seconds;
    return deadline && scheduled_at + std::chrono::seconds(*deadline) < now;
}

bool is_started(const CronView& view, const CronJobStatus& status, const Text& name) {
    const auto named_in_active = [&](const ObjectReference& job) { return job.name == name; };
    const auto named = [&](const JobRef& job) { return job->metadata.name == name; };
    return std::any_of(status.active.begin(), status.active.end(), named_in_active) ||
           std::any_of(view.jobs.begin(), view.jobs.end(), named);
}

void start_next(const CronView& view, const CronJobStatus& status, Instant scheduled_at, CronPlan& plan) {
    const CronJob& cron = view.cron;
    if (is_started(view, status, tick_name(cron, scheduled_at))) return;
    if (cron.spec.concurrency_policy == "Forbid" && !status.active.empty()) {
        plan.notes.push_back(
            Note::normal("JobAlreadyActive",
                         "Not starting job because prior execution is running and concurrency policy is Forbid"));
        return;
    }
    if (cron.spec.concurrency_policy == "Replace")
        for (const ObjectReference& active : status.active) plan.replaced.push_back({active.name, active.uid});
    const TimeZone* zone = cron.spec.time_zone ? view.zones(*cron.spec.time_zone) : nullptr;
    plan.start = CronTick{scheduled_at, draft_job(cron, scheduled_at, zone ? *zone : TimeZone())};
}

// Whether starts are wanted at all.
bool is_running(const CronJob& cron) { return !cron.metadata.deletion_timestamp && !cron.spec.suspend.value_or(false); }

void plan_start(const CronView& view, const CronJobStatus& status, CronPlan& plan) {
    const auto timetable = read_timetable(view.cron, view.zones, plan.notes);
    if (!timetable) return;
    const Instant since = counted_from(view.cron, status);
    plan.wake_at = time_after(*timetable, since, view.now);
    if (!plan.wake_at) {
        plan.notes.push_back(
            Note::warning("InvalidSchedule", "invalid schedule: " + view.cron.spec.schedule +
                                                 " : time difference between two schedules is less than 1 second"));
        return;
    }
    const UnmetTimes due = due_times(view.cron, *timetable, since, view.now);
    if (!due.latest) return;
    if (due.count > kManyMissed)
        plan.notes.push_back(Note::warning(
            "TooManyMissedTimes",
            "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"));
    if (is_too_late(view.cron, *due.latest, view.now)) {
        plan.notes.push_back(
            Note::warning("MissSchedule", "Missed scheduled time to start a job: " + format_rfc1123(*due.latest)));
        return;
    }
    start_next(view, status, *due.latest, plan);
}

}  // namespace

CronPlan decide_cron_job(const CronView& view) {
    CronPlan plan;
    const CronJobStatus status = observe(view, plan);
    if (!(status == view.cron.status)) plan.status = status;
    forget_history(view, plan);
    if (is_running(view.cron)) plan_start(view, status, plan);
    return plan;
}

std::optional<Instant> next_start(const CronJob& cron, const ZoneLookup& zones, Instant now) {
    if (!is_running(cron)) return std::nullopt;
    std::vector<Note> unsaid;
    const auto timetable = read_timetable(cron, zones, unsaid);
    if (!timetable) return std::nullopt;
    return time_after(*timetable, counted_from(cron, cron.status), now);
}

CronJobStatus without_active(CronJobStatus status, const Text& uid) {
    auto& active = status.active.edit();
    active.erase(
        std::remove_if(active.begin(), active.end(), [&](const ObjectReference& job) { return job.uid == uid; }),
        active.end());
    return status;
}

CronJobStatus with_started(CronJobStatus status, const Job& job, Instant scheduled_at) {
    if (!is_finished(job.status) && !has_uid(status.active, job.metadata.uid))
        status.active.edit().push_back(reference_to(job));
    status.last_schedule_time = api::Time::from_instant(scheduled_at);
    return status;
}

bool is_controlled_by(const Job& job, const CronJob& cron) {
    const api::meta::OwnerReference* owner = controller_of(job.metadata);
    return owner && owner->uid == cron.metadata.uid;
}

}  // namespace muster::controllers
