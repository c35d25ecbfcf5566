// The lines of the keeper's record of runs: a message of wire.h each, with its checksum before it. Pure.
//
//     <checksum, 8 hex digits> TAB <message> LF
//
// A last line without its end was being written when the keeper or the machine stopped; what it would have said has not
// been acted upon. Every other line that is not what was written is damage. Files of earlier versions, whose lines have
// no checksums, are read as they are; the keeper writes the file again when it starts, so no file has both.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "node/runtime/run.h"
#include "node/runtime/run_map.h"

namespace muster::node {

// Messages as the file has them.
std::string seal_lines(std::string_view lines);

struct ReadRuns {
    RunMap<RunRecord> records{};  // the latest of each run, pods that were forgotten left out
    std::size_t damaged_lines = 0;
    std::size_t whole_bytes = 0;  // up to where a last line may be cut
    // From when on it tells of all runs, as the file says; files of earlier versions do not say it.
    std::optional<Instant> complete_since{};
};
ReadRuns read_run_lines(std::string_view text);

// Adds what another copy of the file knows and this one does not: runs that are missing, and what came of runs later.
// Gives how many runs that were.
std::size_t add_missing_runs(RunMap<RunRecord>& records, const RunMap<RunRecord>& copy);

// Of a pod that was created before the record is complete: whether a run without a record may have happened. It has not
// when the attempt before it was still there when the loss was found, or was told of since.
bool may_have_run(const RunMap<RunRecord>& records, const RunKey& key, Instant complete_since);

}  // namespace muster::node
