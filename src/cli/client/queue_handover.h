// `muster queue handover`: the last step of the way back to Kueue. It refuses while Muster leads, gives the fields of
// Workloads to Kueue's managers (cli/queue/managers.h), and says what remains to be done. What runs goes on running.
#pragma once

#include <string>

#include "cli/connection/session.h"

namespace muster::cli {

struct HandoverOptions {
    std::string lease_namespace = "muster-system";
    std::string lease_name = "muster-controllers";
    bool ignore_lease = false;  // Muster goes on without its queue controllers
    bool dry_run = false;       // only says what would be done
};

// 0 when Kueue can be started, 1 when something is to be done before or a request failed.
int run_queue_handover(const HandoverOptions& options, Session& session);

}  // namespace muster::cli
