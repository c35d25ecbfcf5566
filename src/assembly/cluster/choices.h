// What a process beside a cluster is told to run, as values. Pure. Errors are kBadRequest, each a sentence that names
// the flag.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "controllers/job/pods/view.h"

namespace muster {

// --controllers: "job,queue". What a cluster's own components do is refused, with their names.
Result<std::set<std::string>> parse_cluster_controllers(std::string_view text);

// --job-mode and --job-managed-by: "managed-by", "all", or both with a comma.
Result<controllers::jobs::Ownership> parse_job_mode(std::string_view mode, std::string_view managed_by);

// --namespace: with some controllers one namespace cannot be served alone. Nothing is said when it is empty.
Result<> check_one_namespace(std::string_view namespace_, const std::set<std::string>& controllers);

}  // namespace muster
