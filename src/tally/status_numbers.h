// Writes the numbers of a Job's status that do not come from TrackedCount: live pods, indexes, and the counts of Jobs
// whose finished pods linger. What a status update may not do, these do not: counters never go back.
#pragma once

#include <cstdint>

#include "api/kinds/batch.h"
#include "tally/index_set.h"

namespace muster::tally {

struct LivePods {
    std::int32_t active = 0;
    std::int32_t ready = 0;  // at most active
    std::int32_t terminating = 0;
};
void write_live(const LivePods& live, api::batch::JobStatus& status);

// completedIndexes and, as their size, succeeded. `failed` is null without backoffLimitPerIndex; it must not contain a
// completed index. Of all Jobs only an elastic one, with as many completions as parallelism, may count fewer successes
// than it did.
void write_indexes(const api::batch::JobSpec& spec, const IndexSet& completed, const IndexSet* failed,
                   api::batch::JobStatus& status);

// The pods that exist are the count: a Job that does not use finalizers. A number stays when pods have gone since.
void write_lingering(std::int32_t succeeded, std::int32_t failed, api::batch::JobStatus& status);

}  // namespace muster::tally
