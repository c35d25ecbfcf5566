// The pods a Job makes. A draft says what differs from pod to pod; a mold has all that is the same, so that pods of one
// Job share their template's parts in memory and on disk.
#pragma once

#include <cstdint>

#include "api/kinds/batch.h"

namespace muster::controllers::jobs {

struct PodDraft {
    std::int32_t index = -1;  // of an indexed Job
    // With backoffLimitPerIndex: how often this index has failed before, and how often that was ignored by policy.
    std::int32_t failures = 0;
    std::int32_t ignored_failures = 0;
    bool operator==(const PodDraft&) const = default;
};

// Good for one version of a Job's spec. Keep it for as long as the Job's generation does not change: what molds of two
// syncs make is equal, but shared only among the pods of one.
class PodMold {
public:
    // Without the finalizer for Jobs that count lingering pods.
    PodMold(const api::batch::Job& job, bool with_finalizer);

    // To be created under a name that begins with its generateName (pod_names.h).
    api::core::Pod make(const PodDraft& draft) const;

private:
    Text job_name_;
    bool per_index_;
    api::core::Pod pod_;
};

// "<job>-<index>-", the Job's part cut so that the server's five letters find room.
std::string generate_name_of(std::string_view job_name, std::int32_t index);

}  // namespace muster::controllers::jobs
