// `muster backup`: has the server copy everything it has, while it serves, into a directory that can be served from.
#pragma once

#include <string>

#include "cli/connection/session.h"

namespace muster::cli {

struct BackupOptions {
    std::string directory{};  // on the server's machine, from the root; must not exist
};

int run_backup(const BackupOptions& options, Session& session);

}  // namespace muster::cli
