// The keeper of a node's processes: a small process of its own (`muster node-helper`) that starts them, writes down
// what became of them, and outlives the server. One per node rather than one per pod: a start then costs one vfork and
// no second program, and one record file holds the truth.
//
// A start is written down, and on disk, before it happens (kIntended); an end is written down before it is told. When
// the keeper itself is killed, its processes go on, their output waits in their pipes as long as they live, and the
// next keeper takes them over. How they then end only a kernel from 6.15 on tells to others than the parent; on an
// older one such a run ends as kLost. So does one that was intended and is not found by its mark in the process table:
// it may have run.
//
// Invariants: of a directory there is one keeper (a lock); a key that has a record is never started.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "node/runtime.h"
#include "node/wire.h"
#include "os/files.h"
#include "os/line_socket.h"
#include "os/linux_processes.h"
#include "os/real_loop.h"
#include "os/record_file.h"

namespace muster::node {

// Where, in a node's directory, the keeper listens.
std::string keeper_socket(const std::string& directory);
// What belongs to a pod: it goes when the pod is forgotten.
std::string pod_directory(const std::string& directory, const Text& pod_uid);
// A run's log, in the pod's directory.
std::string run_log(const std::string& directory, const RunKey& key);
// The variable by which a run's processes are known: MUSTER_RUN=<uid>/<container>/<attempt>.
std::string run_mark(const RunKey& key);

class Keeper {
public:
    Keeper(os::RealLoop& loop, std::string directory);
    ~Keeper();

    // Reads the records, takes over what runs, and listens. kUnavailable when there is a keeper already.
    Result<> start();
    // Called when nobody is connected and nothing runs.
    std::function<void()> on_idle;

private:
    class Kept;

    Result<> read_records();
    Result<> rewrite_records();
    void take_over(RunRecord& record);
    void on_accept(std::unique_ptr<os::LineSocket> socket);
    void on_lines(os::LineSocket& from, const std::vector<std::string>& lines);
    void start_all(os::LineSocket& from, std::vector<RunRequest> requests);
    void start_one(const RunRequest& request, RunRecord& record);
    void signal(const SignalRequest& request);
    void forget(const Text& pod_uid);
    void on_end(RunKey key, std::optional<os::ProcessEnd> end);
    void store(const std::string& lines, bool synced);
    void drop_older(const RunKey& key);
    void tell(const RunRecord& record);
    void expect_idle();

    os::RealLoop& loop_;
    const std::string directory_;
    os::LinuxFiles files_;
    std::unique_ptr<os::FileLock> lock_;
    std::unique_ptr<os::LineListener> listener_;
    std::vector<std::unique_ptr<os::LineSocket>> peers_;
    std::optional<os::RecordFile> file_;
    std::size_t appended_ = 0;  // bytes since the file was rewritten
    const std::string boot_;
    os::LinuxProcesses processes_;
    std::map<RunKey, RunRecord> records_;
    std::map<RunKey, std::unique_ptr<Kept>> kept_;
    os::TaskScope tasks_;
};

// The whole of `muster node-helper`: keeps the directory's processes until it is idle. Gives the exit code.
int run_keeper(const std::string& directory);

}  // namespace muster::node
