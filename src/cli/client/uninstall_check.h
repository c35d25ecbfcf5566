// `muster uninstall-check`: the Jobs that would stand still when Muster's controllers are removed from a cluster. A
// Job's manager cannot be changed, so these must be finished or deleted first.
#pragma once

#include <string>

#include "cli/connection/session.h"

namespace muster::cli {

struct UninstallCheckOptions {
    std::string managed_by = "muster.dev/job-controller";
    std::string namespace_{};  // empty: of all
};

// 0 when there is none, 1 when there are some or the server could not be asked.
int run_uninstall_check(const UninstallCheckOptions& options, Session& session);

}  // namespace muster::cli
