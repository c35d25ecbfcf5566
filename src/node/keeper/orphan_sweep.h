// What runs left behind ends with them: processes in other sessions, without their environment, or whose parents have
// ended. The keeper is told of the ends of runs, and looks at its orphans: processes that became its children, or its
// guardian's, because their own parents ended.
//
// An orphan belongs to a run that has ended when it has that run's mark (os/process/process_table.h), or when its
// variable or label (run_notes.h) names a run that is neither kept nor started. Orphans of runs that go on are left
// alone and looked at again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "node/runtime/run.h"
#include "os/loop/loop.h"

namespace muster::node {

// The processes of the machine, as far as the sweep needs them.
class OrphanTable {
public:
    virtual ~OrphanTable() = default;
    // Processes that became ours.
    virtual std::vector<int> adopted() = 0;
    // Processes that a keeper before us left to the guardian, runs that go on left out.
    virtual std::vector<int> left_to_guardian() = 0;
    // Reaps the process if it has ended; whether it had. Its own children are ours, or the guardian's, then.
    virtual bool reap_adopted(int pid) = 0;
    virtual bool reap_left(int pid) = 0;
    virtual std::optional<std::uint64_t> mark_of(int pid) = 0;
    virtual std::optional<std::string> run_of(int pid) = 0;  // the value of its run mark
    virtual std::optional<std::uint64_t> label_of(int pid) = 0;
    virtual void kill(int pid) = 0;
    // All processes of the machine with one of these run marks, or one of these labels.
    virtual void kill_runs(const std::set<std::string>& runs) = 0;
    virtual void kill_labels(const std::set<std::uint64_t>& labels) = 0;
};

// The runs of the keeper now.
struct LiveRuns {
    std::function<bool()> any_kept{};      // has a process
    std::function<bool()> any_starting{};  // may have one any moment
    std::function<bool(const std::string& run)> has_run{};
    std::function<bool(std::uint64_t label)> has_label{};
};

// A run that has ended.
struct EndedRun {
    RunKey key{};
    std::uint64_t mark = 0;   // of its processes; 0: not known
    std::uint64_t label = 0;  // that they carry
    bool foreign = false;     // a child of a keeper before us: its own children are not ours
};

class OrphanSweep {
public:
    // The loop and the table must outlive it.
    OrphanSweep(os::Loop& loop, OrphanTable& table, LiveRuns runs);
    ~OrphanSweep();
    OrphanSweep(const OrphanSweep&) = delete;
    OrphanSweep& operator=(const OrphanSweep&) = delete;

    // A run has begun whose processes have this mark: a number that an ended run may have had before.
    void on_begun(std::uint64_t mark) { ended_marks_.erase(mark); }
    void on_end(const EndedRun& run);
    // A command was started inside a run: it is no descendant of ours. `runs`: the run has not ended.
    void on_entered(std::uint64_t label, bool runs);

    // Once for all runs that have ended since the last call.
    void sweep();
    // Looks at all orphans, and again later while there are any.
    void look();

private:
    // Whether it was to go. Its mark is put into `seen`.
    bool sweep_one(int pid, std::set<std::uint64_t>& seen);
    bool is_left_behind(int pid, std::optional<std::uint64_t> mark);

    os::Loop& loop_;
    OrphanTable& table_;
    const LiveRuns runs_;
    const std::optional<std::uint64_t> own_label_;
    bool any_ended_ = false;
    std::set<std::string> foreign_ended_;      // their run marks
    std::set<std::uint64_t> entered_;          // labels of runs that commands were started in
    std::set<std::uint64_t> searched_labels_;  // of runs that have ended: processes with them may be anywhere
    std::set<std::uint64_t> ended_marks_;      // of runs that have ended, while a process of theirs may be there
    os::TimerId timer_ = 0;
};

}  // namespace muster::node
