// When a finished Job or Pod is deleted (KEP-592): its TTL after the time it finished. Total, no I/O; `now` is an
// argument. A finish time in the future comes from a wrong clock: the object is not deleted early, and the plan reports
// it.
#pragma once

#include <optional>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "base/instant.h"

namespace muster::controllers {

// An annotation or a label: the TTL of a Pod on a cluster whose PodSpec has no field for it. The field wins over the
// annotation, and the annotation over the label. A server can select pods by a label.
inline constexpr const char* kPodTtlName = "muster.dev/ttl-seconds-after-finished";

struct UnreadableTtl {
    bool label = false;  // else it is the annotation
    Text value{};
    bool operator==(const UnreadableTtl&) const = default;
};

struct TtlPlan {
    bool remove = false;
    std::optional<Instant> wake_at{};
    std::optional<Instant> expired_at{};        // of a removal: since when it was due
    bool finished_in_future = false;            // to be reported
    std::optional<UnreadableTtl> unreadable{};  // to be reported; nothing is removed
    bool operator==(const TtlPlan&) const = default;
};

// The moment of the first condition that says Complete or Failed, if there is one.
std::optional<Instant> finish_time(const api::batch::Job& job);
// When the last of its containers ended, for a pod that Succeeded or Failed. One that never ran containers ended when
// its conditions last changed, or else when it was made.
std::optional<Instant> finish_time(const api::core::Pod& pod);

TtlPlan decide_ttl(const api::batch::Job& job, Instant now);
TtlPlan decide_ttl(const api::core::Pod& pod, Instant now);

}  // namespace muster::controllers
