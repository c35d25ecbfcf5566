#include "controllers/job/pods/claim.h"

#include "api/kinds/batch_names.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/owners.h"

namespace muster::controllers::jobs {

ClaimPlan decide_claims(const api::batch::Job& job, const Gates& gates, const api::LabelSelector& selector,
                        std::span<const PodRef> candidates) {
    ClaimPlan plan{.adopt_with_finalizer = tracking_of(job, gates) == Tracking::kFinalizers};
    if (job.metadata.deletion_timestamp || why_left_alone(job, gates) != LeftAlone::kNo) return plan;
    for (const PodRef& pod : candidates) {
        if (pod->metadata.namespace_ != job.metadata.namespace_) continue;
        const bool selected = selector.matches(pod->metadata.labels);
        if (const auto* controller = controller_of(pod->metadata)) {
            if (controller->uid == job.metadata.uid && !selected) plan.release.push_back(pod);
        } else if (selected && !is_deleting(*pod)) {
            plan.adopt.push_back(pod);
        }
    }
    return plan;
}

client::MetadataPatch release_finalizer() {
    client::MetadataPatch patch;
    patch.remove_finalizers.emplace_back(api::batch::kTrackingFinalizer);
    return patch;
}

}  // namespace muster::controllers::jobs
