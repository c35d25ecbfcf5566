// Texts of `muster run` about a pod, from its status: how it failed, why it does not run. Pure.
#pragma once

#include <optional>
#include <string>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "cli/run/progress.h"
#include "cli/run/report.h"

namespace muster::cli {

// The UID of the Job that owns it; empty when none does.
Text job_uid_of(const api::core::Pod& pod);
std::optional<int> completion_index_of(const api::core::Pod& pod);

// How a pod that has failed did so, with its last lines still to be filled in, and the container to blame: the first
// that ended badly, else the first there is.
PodFailure describe_failure(const api::core::Pod& pod, const std::string& job);
Text container_to_blame(const api::core::Pod& pod);

// Why a pod does not run, when a user may have to act: no node has room, a container cannot be created or fails
// repeatedly. Nothing while the pod is merely starting.
std::optional<std::string> describe_obstacle(const api::core::Pod& pod);

// One pod at a time and only one in all: its output is the Job's.
bool is_single(const api::batch::Job& job);
// Done and failed from the status, which counts what has been taken note of but not yet added up.
Progress progress_of(const api::batch::Job& job);
JobEnd describe_end(const api::batch::Job& job);

}  // namespace muster::cli
