// What a Job and a CronJob are before anybody looks at them. Defaults fill what a client left out, on every read of a
// body; the prepare functions are what only the server does: identity, status and generation are not the client's to
// set. Order of a create: default_job, prepare_job_create, validation.
#pragma once

#include "api/kinds/batch.h"

namespace muster::api {

void default_job(batch::Job& job);
void default_cron_job(batch::CronJob& cron_job);

// Name, uid and the rest of the metadata are there already. Clears the status, starts the generation and, unless
// manualSelector is true, adds the selector and the four labels that tell this Job's pods from all others. Labels that
// the template has already are kept; validation refuses those that differ.
void prepare_job_create(batch::Job& job);
void prepare_cron_job_create(batch::CronJob& cron_job);

// A plain update leaves the status alone and counts a changed spec as a new generation.
void prepare_job_update(batch::Job& job, const batch::Job& old);
void prepare_cron_job_update(batch::CronJob& cron_job, const batch::CronJob& old);
// An update of the status leaves the spec alone.
void prepare_job_status_update(batch::Job& job, const batch::Job& old);
void prepare_cron_job_status_update(batch::CronJob& cron_job, const batch::CronJob& old);

}  // namespace muster::api
