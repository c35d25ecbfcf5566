// The keeper of a node's processes: a small separate process (`muster node-helper`) that starts them, records what
// became of them, and outlives the server. There is one per node, not one per pod: a start then costs one vfork and no
// second program, and there is one record file.
//
// A start is recorded and synced to disk before it happens (kIntended), because there is no other record of it and a
// loss of power must not make it happen twice. Starts that arrive together share one sync. An end is recorded before it
// is reported, without a sync: after a loss of power, ends that are not on disk are reported as kLost, like all runs of
// that time. The start of a run is reported when the run has lasted a moment, or with its end. When the disk is full,
// nothing is started, and running processes continue.
//
// When the keeper itself is killed, its processes continue, and their output waits in their pipes as long as they live.
// Its guardian (os/process/guardian.h) holds the processes until the next keeper, which it starts at once, takes them
// over. A process is reaped only when its end is recorded, and unfinished starts are on the start board. So the next
// keeper learns how each process ended and which never began. A run can only be kLost without the guardian: when both
// were killed, or the machine lost power.
//
// When the record (record_log.h) and its copy are damaged, the keeper looks for runs before it starts anything
// (run_notes.h). A run that was too short to be found may have happened all the same: a start for a pod that was
// created before is reported as kLost once for each container, and its next attempt is started.
//
// Its parts: the record of runs (record_log.h), the line of starts (start_line.h), the runs that have a process
// (kept_run.h), and the sweep of processes that they leave behind (orphan_sweep.h).
//
// Invariants: a directory has one keeper (a lock, held by the guardian and the keeper); a key with a record is never
// started.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "node/keeper/age_line.h"
#include "node/keeper/kept_run.h"
#include "node/keeper/orphan_sweep.h"
#include "node/keeper/pod_removals.h"
#include "node/keeper/record_log.h"
#include "node/keeper/start/prepared_mounts.h"
#include "node/keeper/start/run_groups.h"
#include "node/keeper/start/start_board.h"
#include "node/keeper/start_line.h"
#include "node/keeper/wire.h"
#include "node/runtime/run_map.h"
#include "node/runtime/runs.h"
#include "os/files/files.h"
#include "os/loop/basket.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_pool.h"
#include "os/network/line_socket.h"
#include "os/process/guardian.h"
#include "os/process/linux_processes.h"

namespace muster::node {

// The variable that the keeper of a directory is started with, and by which its children are known until their program
// runs: MUSTER_KEEPER=<directory>.
std::string keeper_mark(const std::string& directory);
// The variable by which a run's processes are known: MUSTER_RUN=<uid>/<container>/<attempt>.
std::string run_mark(const RunKey& key);

class Keeper {
public:
    // For a directory that is there and locked. Both must outlive it.
    Keeper(os::RealLoop& loop, std::string directory, os::Guardian& guardian);
    ~Keeper();

    // Reads the records, takes over what runs, and listens.
    Result<> start();
    // Called when there is no connection and nothing runs. A new keeper waits a while for its first connection.
    std::function<void()> on_idle;

private:
    void take_over_all();
    void settle_starts();
    bool take_over(RunRecord& record, const std::vector<int>& found);
    void on_accept(std::unique_ptr<os::LineSocket> socket);
    void on_lines(os::LineSocket& from, const std::vector<std::string>& lines);
    void start_all(os::LineSocket& from, std::vector<RunRequest> requests);
    void tell_lost(const RunRequest& request);
    void start_waiting();
    void expect_begun();
    void on_begun(const RunKey& key, Result<BegunRun> begun);
    void on_not_begun(const RunKey& key, std::string why);
    void on_grown(const RunKey& key);
    void on_followed(const RunKey& key);
    void on_stream(const StreamMessage& message);
    void signal(const SignalRequest& request);
    void forget(const Text& pod_uid);
    void on_end(RunKey key, std::optional<os::ProcessEnd> end);
    void note(const RunRecord& record);
    void flush_soon();
    void let_go();
    void on_entered(std::uint64_t label);
    LiveRuns live_runs() const;
    bool runs_with_mark(const std::string& mark) const;
    bool runs_with_label(std::uint64_t label) const;
    void expect_idle();
    // For the next turn of the loop, should this be there then.
    void post(os::Work work);

    // The processes that became ours or the guardian's.
    class Orphans final : public OrphanTable {
    public:
        explicit Orphans(Keeper& owner) : owner_(owner) {}
        std::vector<int> adopted() override;
        std::vector<int> left_to_guardian() override;
        bool reap_adopted(int pid) override;
        bool reap_left(int pid) override;
        std::optional<std::uint64_t> mark_of(int pid) override;
        std::optional<std::string> run_of(int pid) override;
        std::optional<std::uint64_t> label_of(int pid) override;
        void kill(int pid) override;
        void kill_runs(const std::set<std::string>& runs) override;
        void kill_labels(const std::set<std::uint64_t>& labels) override;

    private:
        Keeper& owner_;
    };
    // What can be let go of when all that is known of it is written down.
    struct Settled {
        int pid = 0;  // of one that has ended
        bool foreign = false;
        StartBoard::Place* place = nullptr;
    };

    os::RealLoop& loop_;
    const std::string directory_;
    os::Guardian& guardian_;
    StartBoard board_;
    os::LinuxFiles files_;
    LogLimits log_limits_;
    std::unique_ptr<os::LineListener> listener_;
    std::vector<std::unique_ptr<os::LineSocket>> peers_;
    bool awaited_ = true;        // the first connection may still come
    bool told_unclear_ = false;  // to the latest peer
    RecordLog log_;
    RunMap<RunRecord>& records_;  // the log's
    std::set<Text> older_;        // pods that were created before the record is complete, as far as they were told
    os::TimerId contact_timer_ = 0;
    const std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
    const std::string boot_;
    os::LinuxProcesses processes_;
    StartLine line_;
    RunMap<std::unique_ptr<KeptRun>> kept_;
    RunGroups groups_;
    PreparedMounts mounts_;
    AgeLine young_;
    AgeLine without_log_;
    struct Begun {
        std::unique_ptr<RunRequest> asked;
        Result<BegunRun> run;
    };
    os::Basket<Begun> begun_;
    os::TimerId begun_timer_ = 0;
    std::string news_;  // of this turn
    bool flushing_ = false;
    std::vector<Settled> settled_;
    Orphans orphans_{*this};
    OrphanSweep sweep_;
    os::TaskScope tasks_;
    os::ThreadPool remover_;
    PodRemovals removals_;
    os::ThreadPool starters_;  // last: they end first
};

// The whole of `muster node-helper`: keeps the directory's processes until it is idle. Gives the exit code.
int run_keeper(const std::string& directory);

}  // namespace muster::node
