// The answer to an AdmissionReview: what an API server asks about a pod, a Job or an object of the queueing kinds
// before it stores it. The rules are those of the server's own admission (controllers/queue/review,
// api/validation/queueing); here they meet the wire. Objects are read with the fields that no type here knows, and the
// patch of an answer names only what the rules have changed. Pure but for what the world looks up: the caller asks
// again when the world has found out more.
#pragma once

#include <string>

#include "api/configuration/kueue_configuration.h"
#include "api/kinds/admission.h"
#include "controllers/queue/review/world.h"

namespace muster::webhook {

struct ReviewOptions {
    api::kueue::QueueConfiguration configuration{};
    bool queues = true;      // the queue controllers run: without them only spec.managedBy is set
    std::string own_user{};  // of Muster itself: its controllers start work and make pods
    std::string managed_by = "muster.dev/job-controller";
};

// Of a mutating webhook: the write is allowed, with a patch when the rules change it.
api::admission::AdmissionResponse review_mutation(const api::admission::AdmissionRequest& request,
                                                  const ReviewOptions& options, controllers::QueueWorld& world);
// Of a validating one.
api::admission::AdmissionResponse review_validation(const api::admission::AdmissionRequest& request,
                                                    const ReviewOptions& options, controllers::QueueWorld& world);

// A write that is not allowed, with a sentence and the code of HTTP.
api::admission::AdmissionResponse refuse_review(const api::admission::AdmissionRequest& request, int code,
                                                const char* reason, std::string message);

}  // namespace muster::webhook
