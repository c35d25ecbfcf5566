// The work that `muster run` was given: Jobs to run to their end, and what must be there before them. Everything that
// can be found wrong without a server is found here, before anything is stored.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/kinds/batch.h"
#include "base/result.h"
#include "cli/run/command_job.h"

namespace muster::cli {

struct Work {
    std::vector<api::batch::Job> jobs{};
    // The other objects of the manifests, in their order, as one JSON document each.
    std::vector<std::string> others{};
};

using ReadManifest = std::function<Result<std::string>(const std::string& path)>;

// From files or from a command. kBadRequest or kInvalid with the sentences that say everything that is wrong.
Result<Work> gather_work(const RunOptions& options, const Caller& caller, const ReadManifest& read);

// Whether a Job that is stored does what the draft would: then it can be carried on. How many pods run at once may
// differ, how long it is kept, and what of the caller's environment goes along.
bool is_same_work(const api::batch::Job& stored, const api::batch::Job& draft);

}  // namespace muster::cli
