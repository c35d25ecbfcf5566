// `muster delete`: removes objects, and waits until they are gone.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/client/apply.h"
#include "cli/client/selection.h"

namespace muster::cli {

struct DeleteOptions {
    SelectionOptions selection{};
    std::string cascade = "background";  // background, foreground, orphan; true and false for old scripts
    std::optional<std::int64_t> grace_period_seconds{};
    bool force = false;
    bool now = false;
    bool wait = true;
    std::string timeout = "0s";  // none
    bool ignore_not_found = false;
    DryRun dry_run = DryRun::kNone;
    std::string output{};  // "" or name
};

int run_delete(const DeleteOptions& options, Session& session);

}  // namespace muster::cli
