#include "cli/client/backup.h"

#include <ostream>

namespace muster::cli {
namespace {

// Onto another disk everything is copied, and nothing is answered until it is.
constexpr Duration kBackupTimeout = 1h;

}  // namespace

int run_backup(const BackupOptions& options, Session& session) {
    const Result<boost::json::value> made =
        call(session, {.method = "POST",
                       .target = "/muster/backup?directory=" + client::escape_query(options.directory),
                       .answer_timeout = kBackupTimeout});
    if (!made.ok()) return tell(session, made.error());
    session.terminal.out << "everything is in " << options.directory << '\n';
    return kExitDone;
}

}  // namespace muster::cli
