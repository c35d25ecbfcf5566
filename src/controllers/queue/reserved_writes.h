// Writes that would start pods without quota, and that only the server's own controllers may therefore make: resuming a
// Job that is queued, removing the gate of a pod that is queued, and making pods or Jobs in the name of a Job that is
// queued. Pure functions, for the server's admission chain and for a webhook; each gives the reason of a refusal, or
// nothing when the write is allowed.
#pragma once

#include <string>
#include <string_view>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"

namespace muster::controllers {

// Who makes a write, as far as it matters here.
struct QueueWriter {
    bool starts_work = false;  // the queue controller
    bool makes_pods = false;   // the Job controller
};
// By the name of the user. The controller manager of a cluster may run as one user or with an account for each
// controller.
QueueWriter queue_writer(std::string_view user);

// `before` was queued.
std::string refuse_resume(const api::batch::Job& now, const api::batch::Job& before, const QueueWriter& writer);
std::string refuse_ungating(const api::core::Pod& now, const api::core::Pod& before, const QueueWriter& writer);
// Of an object that names a queued Job among the controllers above it; `is_pod`: else it is a Job.
std::string refuse_ownership(const api::meta::ObjectMeta& metadata, bool is_pod, const QueueWriter& writer);

}  // namespace muster::controllers
