// When a Job's status is written, and how long changes of its pods gather before its pods are looked at.
// A pod that has ended is replaced at once. Its end is counted later, together with others, so that on a cluster
// hundreds of pods share one write of the status. In the process nothing waits: each sync writes what it has found.
// Pure: decide_status_pace has no clock of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "controllers/job/decide.h"

namespace muster::controllers::jobs {

struct Pace {
    // How long ends of pods gather for one status. Zero: a sync changes the pods and writes the status, one after the
    // other. Otherwise pods are replaced and counted side by side.
    Duration period{};
    std::size_t ends_max = 500;                  // so many ends are not kept waiting
    std::int64_t bytes_per_second = 256 * 1024;  // of one Job's status

    bool counts_aside() const { return period > Duration(); }
    bool operator==(const Pace&) const = default;
};

// As upstream batches: about 500 ends or a second for one status write.
inline constexpr Pace kClusterPace{.period = 1s};

// What a status would tell that the stored one does not.
struct StatusNews {
    std::size_t ends = 0;     // finished pods that hold their finalizers until a status accounts for them
    std::int64_t active = 0;  // pods, with those that are being made
    bool announces = false;   // the start, a suspension or its end, the Job's end, that the Job is being deleted
    bool at_rest = false;     // nothing runs any more, so that nothing else will come
    bool any = false;
    bool operator==(const StatusNews&) const = default;
};
// `coming` pods are being made, or made and not yet in the view.
StatusNews find_news(const JobView& view, const Survey& survey, std::size_t coming);

// The last status that was written, or found to need no change.
struct LastStatus {
    std::optional<Duration> at{};  // on the loop's clock; none: not since the controller began
    std::int64_t bytes = 0;
};
// About the size of the status in JSON.
std::int64_t estimate_bytes(const api::batch::JobStatus& status);

// How long the status has to wait; nothing when there is nothing to tell. Large statuses wait longer, whatever they
// tell: the bytes of one Job's statuses stay below a rate.
std::optional<Duration> decide_status_pace(const StatusNews& news, const LastStatus& last, Duration now,
                                           const Pace& pace);

// How long ends of pods gather before the Job's places are filled again: a few milliseconds, and longer for a Job of
// many pods, all of which have to be looked at each time.
Duration decide_refill_delay(std::size_t pods);

}  // namespace muster::controllers::jobs
