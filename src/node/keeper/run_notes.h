// What is left of runs when the keeper's record of them is damaged or missing: a note of each in its pod's directory,
// written when it has run for a moment, and the marks in the environments of processes. A run that is found this way is
// never started a second time.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "node/runtime/run.h"
#include "os/files/files.h"

namespace muster::node {

// Beside the run's log.
std::string run_note_path(const std::string& directory, const RunKey& key);
// What cannot be written now is only missing when the record is damaged as well.
void write_run_note(os::Files& files, const std::string& directory, const RunRecord& record);

// The runs that notes tell of, as they were when they were noted.
std::vector<RunRecord> read_run_notes(os::Files& files, const std::string& directory);
// The runs of this directory whose processes are there, by their marks.
std::vector<RunRecord> find_marked_runs(const std::string& directory, const std::string& boot);

// The variables by which a run's processes are known: MUSTER_RUN=<uid>/<container>/<attempt>, MUSTER_NODE=<directory>.
inline constexpr const char* kRunMark = "MUSTER_RUN";
inline constexpr const char* kNodeMark = "MUSTER_NODE";
std::string format_run_mark(const RunKey& key);
// The label of its processes (os/process/process_label.h).
std::uint64_t run_label(const RunKey& key);
// kBadRequest when it is none.
Result<RunKey> parse_run_mark(std::string_view mark);

}  // namespace muster::node
