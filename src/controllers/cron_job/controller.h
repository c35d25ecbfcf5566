// Carries out what decide_cron_job plans. A tick's Job is created before the status that tells of it is written; what
// is lost in between is read off the Job at the next look, and its name keeps the tick from starting twice.
#pragma once

#include <set>
#include <vector>

#include "api/kinds/batch.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/cron_job/decide.h"
#include "controllers/cron_job/zone_table.h"
#include "controllers/reconciler.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct CronJobOptions {
    ReadZone read_zone{};
    std::size_t at_once_max = 64;
};

class CronJobController {
public:
    // All must outlive the controller; destroying it stops it.
    CronJobController(os::Loop& loop, client::Client& client, client::Metrics& metrics, CronJobOptions options = {});

    void start();

private:
    using CronRef = client::Ref<api::batch::CronJob>;
    using JobRef = client::Ref<api::batch::Job>;

    void on_cron_change(const CronRef& before, const CronRef& now);
    void on_job_change(const JobRef& before, const JobRef& now);

    os::Task<Worked> sync(client::ObjectName name);
    os::Task<Result<std::vector<Text>>> find_vanished(CronRef cron, std::vector<JobRef> jobs);
    // The CronJob as it is after the plan was carried out.
    os::Task<Result<CronRef>> carry_out(CronRef cron, CronPlan plan);
    os::Task<void> forget_history(CronRef cron, std::vector<JobToRemove> history);
    os::Task<Result<void>> remove_job(CronRef cron, JobToRemove job);
    // The Job of the tick, whether it was created now or before; null when another owner's Job has its name.
    os::Task<Result<JobRef>> start_job(CronRef cron, CronTick tick);
    os::Task<Result<CronRef>> write_status(CronRef cron, api::batch::CronJobStatus status);
    std::vector<JobRef> jobs_of(const api::batch::CronJob& cron) const;

    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    CronJobOptions options_;
    ZoneTable zones_;
    ZoneLookup find_zone_;
    client::Recorder recorder_;
    std::set<Text> removed_;  // UIDs of Jobs told to go, until the mirror shows that they went
    client::Mirror<api::batch::CronJob> crons_;
    client::Mirror<api::batch::Job> jobs_;
    client::Mirror<api::batch::Job>::IndexId by_owner_;
    Reconciler<client::ObjectName> reconciler_;
};

}  // namespace muster::controllers
