// What a server and a keeper of different versions can do together. The keeper outlives the server, so a server may
// meet a keeper of an earlier version, after an upgrade, or of a later one, after a downgrade. Pure.
//
// The keeper says hello first: its version, and the oldest version of a server whose requests it carries out. The
// server follows the containers of every keeper to their end: records, signals and the removal of pods have the same
// form in all versions. It asks a keeper only for starts that the keeper carries out as they are meant. The other
// starts wait until no container of that keeper runs; then a keeper of the server's own version takes its place.
#pragma once

#include <string>

#include "node/runtime/runs.h"

namespace muster::node {

// Of this program, as a server and as a keeper. Increase it, and extend needed_version(), when a start gains a meaning
// that older keepers would miss.
inline constexpr int kKeeperVersion = 2;
// Increase it when a start in an old form can no longer be carried out.
inline constexpr int kOldestServer = 1;

// The keeper's hello; the defaults are those of a keeper that sends none.
struct KeeperTerms {
    int version = 1;
    int oldest_server = 1;
};

// The version that a keeper must have to carry the request out as it is meant. An earlier one would drop the request,
// or the parts that it does not know.
int needed_version(const RunRequest& request);

// Whether a server of version `own` may ask the keeper for any start that it knows.
bool starts_all(const KeeperTerms& keeper, int own = kKeeperVersion);
// Whether it may ask the keeper for this start.
bool can_start(const KeeperTerms& keeper, const RunRequest& request, int own = kKeeperVersion);
// For the user of a node whose containers wait: why, and what to do. `running` containers run under the keeper.
std::string explain_wait(const KeeperTerms& keeper, std::size_t running, int own = kKeeperVersion);

}  // namespace muster::node
