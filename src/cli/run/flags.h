// The flags of `muster run`. With command_line.cc and client/verbs.cc, what knows the parsing library.
#pragma once

#include <string>
#include <vector>

#include "cli/run/options.h"

namespace CLI {
class App;
}

namespace muster::cli {

// The verb's own part of the app. The options must outlive the parse.
CLI::App* declare_run(CLI::App& app, RunOptions& options);

// Takes "--" and what stands behind it out of the arguments of `muster run`. The verb is the first argument.
void split_command(std::vector<std::string>& arguments, RunOptions& options);

}  // namespace muster::cli
