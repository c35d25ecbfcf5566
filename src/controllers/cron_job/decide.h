// What a CronJob wants now: which of its Jobs to forget, whether to start the next, and when to look again. Kubernetes'
// rules and words. A Job's name is made from its tick, so that no tick starts two, whatever was lost between creating
// the Job and writing that down; what was lost is read off the Jobs themselves. Pure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "api/kinds/batch.h"
#include "base/instant.h"
#include "client/correlate.h"
#include "controllers/cron_job/time_zone.h"

namespace muster::controllers {

inline constexpr const char* kScheduledTimestampAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

// The zone of that name, or null. An empty name is that of the controller itself.
using ZoneLookup = std::function<const TimeZone*(std::string_view name)>;

struct CronView {
    const api::batch::CronJob& cron;
    std::span<const std::shared_ptr<const api::batch::Job>> jobs;  // those it controls, by UID
    std::span<const Text> vanished;  // UIDs in status.active of Jobs that a live read did not find
    const ZoneLookup& zones;
    Instant now;
};

struct JobToRemove {
    Text name;
    Text uid;
    bool operator==(const JobToRemove&) const = default;
};
struct CronTick {
    Instant scheduled_at;
    api::batch::Job draft;
    bool operator==(const CronTick&) const = default;
};

// Carried out top to bottom. A failed removal of history is told and stops nothing; everything else stops the rest.
struct CronPlan {
    std::vector<client::Note> notes{};
    std::optional<api::batch::CronJobStatus> status{};  // what was seen, when it differs: before Jobs are forgotten
    std::vector<JobToRemove> history{};
    std::vector<JobToRemove> replaced{};  // must be on their way out before the next starts
    std::optional<CronTick> start{};      // with_started() is the status after it
    std::optional<Instant> wake_at{};
    bool operator==(const CronPlan&) const = default;
};

CronPlan decide_cron_job(const CronView& view);

// When the next Job is due; none while suspended, being deleted, or when the schedule cannot be followed.
std::optional<Instant> next_start(const api::batch::CronJob& cron, const ZoneLookup& zones, Instant now);

// "<cron>-<minutes since 1970>"
Text tick_name(const api::batch::CronJob& cron, Instant scheduled_at);

api::batch::CronJobStatus without_active(api::batch::CronJobStatus status, const Text& uid);
// The Job is of that tick. One that has ended already is not active.
api::batch::CronJobStatus with_started(api::batch::CronJobStatus status, const api::batch::Job& job,
                                       Instant scheduled_at);

bool is_controlled_by(const api::batch::Job& job, const api::batch::CronJob& cron);

}  // namespace muster::controllers
