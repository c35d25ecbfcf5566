// `muster run … -- COMMAND ARG…` as a Job. Pure: what the caller's shell gave is handed in.
// The Job is Indexed, also with one completion, so that a command finds its index in every case. Its name says which
// work it is: the same command in the same directory with the same flags gets the same name, so that it is found again.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kinds/batch.h"
#include "base/result.h"
#include "cli/run/options.h"

namespace muster::cli {

// On Jobs that muster run has made. A Job is the same work only when this is the same.
inline constexpr const char* kEnvAnnotation = "run.muster.dev/env";

struct Caller {
    std::string directory{};  // absolute
    std::vector<std::pair<std::string, std::string>> environment{};
    int processors = 1;
};

// $JOB_COMPLETION_INDEX and ${JOB_COMPLETION_INDEX} become the reference $(JOB_COMPLETION_INDEX) that Kubernetes
// expands, which may also be written itself; every other $ stays what it is.
std::string refer_to_index(std::string_view argument);

// A text that Kubernetes' expansion of references leaves as `text`.
std::string escape_references(std::string_view text);

// "process-1f2e3d4c": the command's own name, as far as names of objects allow, and a hash of `identity`.
std::string derive_name(std::string_view program, std::string_view identity);

// kBadRequest with a sentence about the flag that is wrong. What the API refuses is for validation to find.
Result<api::batch::Job> make_command_job(const RunOptions& options, const Caller& caller);

}  // namespace muster::cli
