// A run whose process exists, and the path of its output to its log. The log is created when there is output or when a
// client may want to follow it: most runs of a large Job write nothing, and creating a file for each costs more than
// starting it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/keeper/start/run_streams.h"
#include "node/keeper/start/start_board.h"
#include "node/logs/cri_log.h"
#include "node/logs/log_file.h"
#include "node/runtime/runs.h"
#include "os/loop/real_loop.h"
#include "os/process/linux_processes.h"
#include "os/process/output_pipe.h"
#include "os/process/process_table.h"

namespace muster::node {

class KeptRun {
public:
    // The limits may change, and must outlive it, as the files must. `reopened`: the log may have been begun.
    KeptRun(os::RealLoop& loop, os::Files& files, std::string log_path, const LogLimits& limits, bool reopened)
        : loop_(loop), files_(files), log_path_(std::move(log_path)), limits_(limits), reopened_(reopened) {}

    // They are read from begin_reading() on, or only at its end.
    void read_output(os::Descriptor ours) { unread_.push_back({std::move(ours), output_}); }
    void read_errors(os::Descriptor ours) { unread_.push_back({std::move(ours), errors_}); }
    void begin_reading();
    // A full disk costs the log's lines, not the process.
    void begin_log();
    // What it wrote before its end is in the log before its end is told.
    void finish_log();
    Result<> signal(int number);
    // Takes our end of its input or its terminal. What a terminal says goes to the log as output.
    void hold(const RunKey& key, os::Descriptor ours, bool terminal, RunStreams::Tell tell);

    std::unique_ptr<RunStreams> streams;          // of a run that has an input or a terminal
    std::shared_ptr<os::Process> process;         // a child of ours
    std::unique_ptr<os::ForeignProcess> foreign;  // or of a keeper before us
    StartBoard::Place* place = nullptr;           // while its process is not written down
    std::uint64_t label = 0;                      // that they carry (os/process/process_label.h)
    std::uint64_t mark = 0;                       // of all its processes (os/process/process_table.h); 0: not known

private:
    struct Unread {
        os::Descriptor ours;
        LineCutter& cutter;
    };
    void write(const std::string& entries);

    os::RealLoop& loop_;
    os::Files& files_;
    const std::string log_path_;
    const LogLimits& limits_;
    const bool reopened_;
    std::optional<LogFile> log_;
    LineCutter output_{"stdout"};
    LineCutter errors_{"stderr"};
    std::vector<Unread> unread_;
    std::vector<std::unique_ptr<os::OutputReader>> readers_;
};

// A process that has just been started, and our ends of its pipes.
struct BegunRun {
    os::LinuxProcesses::Launched launched{};
    os::Descriptor output{};
    os::Descriptor errors{};
    os::Descriptor held{};  // of its input or its terminal, if it has one
    bool terminal = false;
    std::uint64_t label = 0;  // that its processes carry
    Instant at{};
};
// Starts it; on any thread. Fails with a container runtime's sentence. Uses the request's parts and leaves them there.
// `namespaces` are entered first, and `number_at` may be null (os/process/process.h).
Result<BegunRun> begin_run(const os::RealLoop& loop, RunRequest& request, std::vector<int> namespaces,
                           std::atomic<int>* number_at);

}  // namespace muster::node
