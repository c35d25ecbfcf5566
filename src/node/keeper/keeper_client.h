// Runs containers as processes, through the keeper (keeper.h) that outlives us: starts one when there is none, and
// finds the one there is. Lost touch is found again by itself.
//
// The keeper that is there may be of another version (protocol.h). It continues with its containers and gets the starts
// that it carries out as they are meant. Other starts are held back until no container of that keeper runs: then the
// server disconnects, the keeper ends because it has nothing to do, and a keeper of our version takes its place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "node/keeper/protocol.h"
#include "node/keeper/wire.h"
#include "node/logs/log_file.h"
#include "node/runtime/run_map.h"
#include "node/runtime/runs.h"
#include "os/loop/real_loop.h"
#include "os/network/line_socket.h"
#include "os/process/process.h"

namespace muster::node {

// Starts the keeper of a directory, by its command line, and leaves it alone. One that finds the directory kept ends.
void start_keeper(os::Processes& processes, const std::string& directory, const std::vector<std::string>& keeper);

class KeeperClient final : public Runs {
public:
    // `keeper` is the command line that keeps the directory, its program a path. All must outlive the runtime.
    KeeperClient(os::RealLoop& loop, os::Processes& processes, std::string directory, std::vector<std::string> keeper,
                 LogLimits logs = {});
    ~KeeperClient() override;

    // Says that start_keeper was called a moment ago: another is started only when that one does not come.
    void expect_keeper() { keeper_comes_ = true; }

    void listen(RunListener listener) override;
    void start(RunRequest request) override;
    void signal(const RunKey& key, int number) override;
    void enter(std::uint64_t label) override { send(format_message(EnteredRun{label})); }
    void forget(const Text& pod_uid) override;

    // What is said about the input and the terminals of runs; nothing arrives while out of touch.
    void send_stream(const StreamMessage& message) { send(format_message(message)); }
    void listen_streams(std::function<void(const StreamMessage& message)> told) { on_stream_ = std::move(told); }

private:
    os::Task<void> stay_in_touch();
    void on_lines(const std::vector<std::string>& lines);
    void on_record(const RunRecord& record);
    void on_message(const Message& message);
    // Once for each connection.
    void tell_unclear(const std::string& text);
    void hold_back(const RunKey& key);
    void leave_when_idle();
    os::Task<void> tell_not_started(RunKey key);
    void send(std::string line);
    os::Task<void> send_waiting();

    os::RealLoop& loop_;
    os::Processes& processes_;
    const std::string directory_;
    const std::vector<std::string> keeper_;
    const LogLimits logs_;
    bool keeper_comes_ = false;
    RunListener listener_;
    std::function<void(const StreamMessage& message)> on_stream_;
    std::unique_ptr<os::LineSocket> socket_;
    KeeperTerms terms_;
    bool told_unclear_ = false;
    Instant complete_since_{};  // the keeper's record
    RunSet given_;              // runs of a keeper that gets not every start, as far as their end is not known
    RunSet held_;               // starts that the keeper would not understand: asked for again when another connects
    bool leaves_ = false;
    std::string waiting_;  // what was said in this turn of the loop
    os::Event closed_;
    os::TaskScope tasks_;
};

}  // namespace muster::node
