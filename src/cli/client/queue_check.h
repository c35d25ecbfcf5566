// `muster queue check`: what of a cluster's queueing objects Muster does not serve, before anything is touched. Only
// reads.
#pragma once

#include <string>

#include "cli/connection/session.h"

namespace muster::cli {

struct QueueCheckOptions {
    bool headers = true;
};

// 0 when all is served, 1 when something is not, 2 when that cannot be found out.
int run_queue_check(const QueueCheckOptions& options, Session& session);

// Every object of a list, page by page. `target` has no query; `query` may be empty.
Result<> each_listed(Session& session, const std::string& target, const std::string& query,
                     const std::function<void(const boost::json::object&)>& found);

}  // namespace muster::cli
