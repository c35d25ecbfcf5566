// The flags of `muster controllers`. One of the files that know the parsing library.
#pragma once

#include "cli/controllers/controllers_options.h"

namespace CLI {
class App;
}

namespace muster::cli {

// The verb's own part of the app. The options must outlive the parse.
CLI::App* declare_controllers(CLI::App& app, ControllersOptions& options);

}  // namespace muster::cli
