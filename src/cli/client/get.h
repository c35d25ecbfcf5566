// `muster get`: objects as a table, as JSON or YAML, or by name; once, or as they change.
#pragma once

#include "cli/client/selection.h"

namespace muster::cli {

struct GetOptions {
    SelectionOptions selection{};
    std::string output{};  // "", wide, json, yaml, name, jsonpath=…
    bool watch = false;
    bool watch_only = false;
    bool headers = true;
    bool show_labels = false;
    bool ignore_not_found = false;
};

int run_get(const GetOptions& options, Session& session);

}  // namespace muster::cli
