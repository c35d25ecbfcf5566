// The keeper's record of runs: what is known of each run, in memory and in a file with a copy.
//
// A line that is appended with a sync survives a loss of power. The lines have checksums (run_lines.h), and there is a
// copy of the file for the case that the file is damaged or missing. When both are, runs may be missing from the record
// (lossy()): then the keeper looks for runs elsewhere and calls accept_loss().
//
// When the disk is full, append() fails or the file falls behind the memory; it is written again every second until
// that works.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "node/keeper/run_lines.h"
#include "node/runtime/run_map.h"
#include "os/files/files.h"
#include "os/files/record_file.h"
#include "os/loop/loop.h"

namespace muster::node {

class RecordLog {
public:
    // For a directory that is there. The loop and the files must outlive it.
    RecordLog(os::Loop& loop, os::Files& files, std::string directory);
    ~RecordLog();
    RecordLog(const RecordLog&) = delete;
    RecordLog& operator=(const RecordLog&) = delete;

    // First: reads the file and its copy. Fails only when a file that is there cannot be read.
    Result<> read();
    // Runs that were found elsewhere. Those with a record, or with a record of a later attempt, are left out.
    void add_found(const std::vector<RunRecord>& found);
    // Whether runs may be missing from the record as it was read.
    bool lossy() const { return lossy_; }
    // Everything that can be found has been added: the record is complete for pods that are created from now on.
    void accept_loss();
    // Before the first append: writes both files as the records are.
    Result<> open();

    RunMap<RunRecord>& records() { return records_; }
    const RunMap<RunRecord>& records() const { return records_; }
    // Of pods that were created later all runs are known.
    Instant complete_since() const { return complete_since_; }
    // For the user of the node; empty when the record was whole.
    const std::string& notice() const { return notice_; }

    // Messages (wire.h), for the file only: the records are the caller's to change. An error means that they may not
    // survive, and that they may be in the file all the same.
    Result<> append(const std::string& messages, bool synced);
    // Only the latest two attempts of a container are of interest: the others go, with their logs and notes.
    void drop_older(const RunKey& key);

private:
    bool read_copy();
    bool is_whole(const ReadRuns& read) const;
    void add_notice(const std::string& text);
    Result<> rewrite();
    void fall_behind();

    os::Loop& loop_;
    os::Files& files_;
    const std::string directory_;
    RunMap<RunRecord> records_;
    std::optional<os::RecordFile> file_;
    std::optional<os::RecordFile> copy_;
    std::size_t appended_ = 0;     // bytes since the file was rewritten
    std::size_t written_ = 0;      // bytes it had then
    std::size_t whole_bytes_ = 0;  // of the file as it was read, without a last line that was cut
    bool read_ = false;
    bool behind_ = false;  // the file lacks something
    bool made_ = false;    // the file and its copy have been written before
    bool lossy_ = false;
    Instant complete_since_{};
    std::string notice_{};
    os::TimerId timer_ = 0;
};

}  // namespace muster::node
