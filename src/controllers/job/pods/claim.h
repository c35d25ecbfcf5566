// Which pods belong to a Job: those it controls and selects. Orphans that it selects are adopted, pods that it no
// longer selects are released; the finalizer comes and goes in the same patch as the owner reference.
#pragma once

#include <span>
#include <vector>

#include "api/selector/label_selector.h"
#include "client/metadata_patch.h"
#include "controllers/job/pods/view.h"

namespace muster::controllers::jobs {

struct ClaimPlan {
    // Add the owner reference, and the finalizer unless the Job counts lingering pods. Only after a fresh read of the
    // Job has shown the same UID and no deletion.
    std::vector<PodRef> adopt{};
    bool adopt_with_finalizer = true;
    // Take away the owner reference and the finalizer.
    std::vector<PodRef> release{};
    bool operator==(const ClaimPlan&) const = default;
};

// Candidates are pods that the Job controls and pods of its namespace without a controller; others are left alone. A
// Job that is being deleted claims nothing and releases nothing, and neither does a Job that decide_pods leaves alone.
ClaimPlan decide_claims(const api::batch::Job& job, const Gates& gates, const api::LabelSelector& selector,
                        std::span<const PodRef> candidates);

// Takes the tracking finalizer from a pod.
client::MetadataPatch release_finalizer();

}  // namespace muster::controllers::jobs
