// What happens to a Job with a queue when it is written: on create it is suspended, so that it waits for its quota;
// afterwards its place in the queue is kept from change while it runs. Pure functions, for the server's admission chain
// and for a webhook.
#pragma once

#include "api/kinds/batch.h"
#include "api/validation/rules/field_errors.h"
#include "controllers/queue/workload/scope.h"

namespace muster::controllers::jobqueue {

// What the Job itself does not say.
struct JobSurroundings {
    const Map<Text>* namespace_labels = nullptr;  // null: none are known
    bool default_queue = false;                   // the namespace has a LocalQueue of that name
    bool managed_owner = false;                   // see has_managed_owner
    bool default_class = false;                   // there is a WorkloadPriorityClass of that name
};

// Whether the Job waits in a queue of its own, or would if it had one: then its pods do not.
bool is_managed_job(const api::meta::ObjectMeta& metadata, const QueueConfiguration& configuration,
                    const Map<Text>* namespace_labels);

bool is_subject(const api::batch::Job& job, const QueueConfiguration& configuration, const JobSurroundings& around);
// On create, when it is.
void admit_job(api::batch::Job& job, const JobSurroundings& around);

// On an update by anybody but the queue controller: a Job that runs and is made larger is suspended, as its Workload
// has no quota for the pods that were added, and marked so that its template is put back first. Whether that was so.
bool suspend_larger(api::batch::Job& now, const api::batch::Job& before);

api::FieldErrors check_job(const api::batch::Job& job);
api::FieldErrors check_job_update(const api::batch::Job& now, const api::batch::Job& before,
                                  const JobSurroundings& around);

// How many pods run at once.
std::int32_t pod_count(const api::batch::JobSpec& spec);
// How few would do (job-min-parallelism), when it says.
std::optional<std::int32_t> min_pod_count(const api::batch::Job& job);
bool completions_follow_parallelism(const api::batch::Job& job);

}  // namespace muster::controllers::jobqueue
