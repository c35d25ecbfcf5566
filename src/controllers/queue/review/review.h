// What happens to a pod or a Job when it is written, with the rules of pods/group/gate.h, jobs/gate.h and
// reserved_writes.h put together: first it may be changed, then it may be refused. The server's admission chain and the
// webhook of a cluster both call these functions, and differ in their QueueWorld alone. Pure but for what the world
// looks up.
#pragma once

#include <string>
#include <string_view>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "api/validation/rules/field_errors.h"
#include "controllers/queue/reserved_writes.h"
#include "controllers/queue/review/world.h"
#include "controllers/queue/workload/scope.h"

namespace muster::controllers {

// One write. All must outlive it.
struct QueueReview {
    const QueueConfiguration& configuration;
    QueueWorld& world;
    std::string_view namespace_;
    QueueWriter writer{};
};

// Puts a new pod into its queue, if it is to be in one.
void admit_new_pod(api::core::Pod& pod, const QueueReview& review);
void admit_new_job(api::batch::Job& job, const QueueReview& review);
// A queued Job that runs and is made larger stops in the same write: none of the pods that it has no quota for starts.
// The warning for the writer, or nothing.
std::string admit_changed_job(api::batch::Job& now, const api::batch::Job& before, const QueueReview& review);

// Why a write is refused: fields that are wrong, as the webhook of that name says it, or a reason.
struct QueueRefusal {
    const char* webhook = "";
    api::FieldErrors errors{};
    std::string reason{};
    bool empty() const { return errors.empty() && reason.empty(); }
};
// `before` is null on a creation.
QueueRefusal check_written_pod(const api::core::Pod& now, const api::core::Pod* before, const QueueReview& review);
QueueRefusal check_written_job(const api::batch::Job& now, const api::batch::Job* before, const QueueReview& review);

}  // namespace muster::controllers
