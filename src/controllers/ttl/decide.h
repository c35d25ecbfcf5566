// When does a finished Job go? KEP-592: its TTL after the moment it finished. Total, no I/O; `now` is an argument.
#pragma once

#include <optional>

#include "api/kinds/batch.h"
#include "base/instant.h"

namespace muster::controllers {

struct TtlPlan {
    bool remove = false;
    std::optional<Instant> wake_at{};
    bool operator==(const TtlPlan&) const = default;
};

// The moment of the first condition that says Complete or Failed, if there is one.
std::optional<Instant> finish_time(const api::batch::Job& job);

TtlPlan decide_ttl(const api::batch::Job& job, Instant now);

}  // namespace muster::controllers
