// Which file a container's command means, and how a container runtime says that it cannot be started.
#pragma once

#include <string>

#include "base/result.h"
#include "node/runtime/runs.h"
#include "os/files/files.h"

namespace muster::node {

// The path of the program: as it is when it holds a slash, else the first file in the PATH of the run's own environment
// that can be executed; relative directories there are the run's own. kNotFound with a container runtime's sentence.
Result<std::string> find_program(const RunRequest& request);

// Where the program may be, first one first, when only its own process can tell: what that sees is not what we see.
std::vector<std::string> program_candidates(const RunRequest& request);
bool sees_other_files(const os::SetupSteps& setup);

// What the operating system said, with what was tried.
std::string start_failure(const RunRequest& request, const Error& error);

}  // namespace muster::node
