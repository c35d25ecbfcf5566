// `muster describe`: one object told at length, with what has happened to it.
#pragma once

#include "cli/client/selection.h"

namespace muster::cli {

struct DescribeOptions {
    SelectionOptions selection{};
    bool show_events = true;
};

int run_describe(const DescribeOptions& options, Session& session);

}  // namespace muster::cli
