// The flags of `muster run`. With command_line.cc and client/verbs.cc, what knows the parsing library.
#pragma once

#include "cli/run/options.h"

namespace CLI {
class App;
}

namespace muster::cli {

// The verb's own part of the app. The options must outlive the parse.
CLI::App* declare_run(CLI::App& app, RunOptions& options);

// Takes what stands behind "--" out of the command line of `muster run`, and gives how many arguments are left.
int split_command(int argc, const char* const* argv, RunOptions& options);

}  // namespace muster::cli
