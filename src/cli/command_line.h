// What the user typed, turned into one verb's run. The flags of every verb are declared in command_line.cc, the only
// file that knows the parsing library; a verb itself gets a plain struct of options and lives in a file of its own.
// Invariant: bad usage starts nothing. It is told on `err` with a pointer to the help, and answered with kExitBadUsage;
// of the verbs that are kubectl's too with 1, as kubectl does.
#pragma once

#include <functional>

#include "cli/controllers/controllers_options.h"
#include "cli/log_flags.h"
#include "cli/run/options.h"
#include "cli/text/terminal.h"
#include "cli/up/up_options.h"

namespace muster::cli {

struct Surroundings;

// The verbs that need more than this folder may link. Each gives the exit code.
struct Verbs {
    // Called before the verb, with what every verb is told of the log.
    std::function<void(const LogOptions& options)> start_log{};
    std::function<int(const UpOptions& options, Terminal terminal)> up{};
    std::function<int(const RunOptions& options, Terminal terminal)> run{};
    std::function<int(const ControllersOptions& options, Terminal terminal)> controllers{};
};

// Runs what argv asks for, argv[0] being the program's own name. Gives the process's exit code. Verbs that talk to a
// server are there when they are given what they need for it.
int run_command_line(int argc, const char* const* argv, Terminal terminal, const Surroundings* surroundings = nullptr,
                     const Verbs& verbs = {});

}  // namespace muster::cli
