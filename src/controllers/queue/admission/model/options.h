// How the admission controller works; the defaults are for a server in the same process.
#pragma once

#include <optional>

#include "api/configuration/kueue_configuration.h"
#include "base/instant.h"

namespace muster::controllers {

struct AdmissionOptions {
    std::optional<api::kueue::PodsReadyRules> pods_ready{};
    std::optional<api::kueue::FairSharingRules> fair_sharing{};
    std::size_t writes_at_once_max = 2000;
    Duration pace = 1ms;          // decisions are no closer together; what happens meanwhile is decided together
    Duration explain_after = 1s;  // a workload waits that long before it is told why
    Duration explain_every = 30s;
    Duration status_every = 1s;  // of one queue
};

}  // namespace muster::controllers
