// Writes into the Workload's status which pods are missing, and whether all are ready. Pure.
#pragma once

#include <string>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

// `status` is the Workload's, with what the steps before have changed. `missing` says why a group that has all its pods
// is not whole; empty when it is.
void report_group(const Standing& standing, const std::string& missing, api::kueue::WorkloadStatus& status);

}  // namespace muster::controllers::podqueue
