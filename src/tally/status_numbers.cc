#include "tally/status_numbers.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster::tally {

void write_live(const LivePods& live, api::batch::JobStatus& status) {
    CHECK(0 <= live.ready && live.ready <= live.active && live.terminating >= 0);
    status.active = live.active;
    status.ready = live.ready;
    status.terminating = live.terminating;
}

void write_indexes(const api::batch::JobSpec& spec, const IndexSet& completed, const IndexSet* failed,
                   api::batch::JobStatus& status) {
    CHECK(std::in_range<std::int32_t>(completed.size()));
    const auto count = static_cast<std::int32_t>(completed.size());
    const bool elastic = spec.completions == spec.parallelism;
    status.completed_indexes = completed.text();
    status.succeeded = elastic ? count : std::max(count, status.succeeded);
    status.failed_indexes.reset();
    if (!failed) return;
    CHECK(failed->count_common(completed) == 0);
    status.failed_indexes = Text(failed->text());
}

void write_lingering(std::int32_t succeeded, std::int32_t failed, api::batch::JobStatus& status) {
    CHECK(succeeded >= 0 && failed >= 0);
    status.succeeded = std::max(status.succeeded, succeeded);
    status.failed = std::max(status.failed, failed);
    status.uncounted_terminated_pods.reset();
}

}  // namespace muster::tally
