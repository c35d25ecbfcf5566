// `muster apply`: makes the server have what manifests say. New objects are created; those that exist are patched with
// what changed between the manifest applied before (kept in an annotation) and this one, so that what others have set
// stays.
#pragma once

#include <boost/json/object.hpp>

#include "cli/connection/resources.h"

namespace muster::cli {

enum class DryRun { kNone, kClient, kServer };

struct ApplyOptions {
    std::vector<std::string> files{};
    bool recursive = false;  // manifests of directories below, too
    std::string namespace_{};
    DryRun dry_run = DryRun::kNone;
    std::string output{};  // "", name, json, yaml
    std::string validate = "Strict";
};

int run_apply(const ApplyOptions& options, Session& session);

// The manifest with itself in kubectl's annotation, so that kubectl and we can take turns.
boost::json::object with_last_applied(boost::json::object manifest);

}  // namespace muster::cli
