// `muster wait`: until objects have a condition, a value, exist, or are gone.
#pragma once

#include "cli/client/selection.h"

namespace muster::cli {

struct WaitOptions {
    SelectionOptions selection{};
    std::string for_{};  // condition=Complete[=True], jsonpath={.status.phase}=Running, delete, create
    std::string timeout = "30s";
};

int run_wait(const WaitOptions& options, Session& session);

}  // namespace muster::cli
