// Runs containers as processes, through the keeper (keeper.h) that outlives us: starts one when there is none, and
// finds the one there is. Lost touch is found again by itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "node/runtime.h"
#include "os/line_socket.h"
#include "os/process.h"
#include "os/real_loop.h"

namespace muster::node {

class ProcessRuntime final : public Runtime {
public:
    // `keeper` is the command line that keeps the directory, its program a path. All must outlive the runtime.
    ProcessRuntime(os::RealLoop& loop, os::Processes& processes, std::string directory,
                   std::vector<std::string> keeper);
    ~ProcessRuntime() override;

    void listen(Listener listener) override;
    void start(RunRequest request) override;
    void signal(const RunKey& key, int number) override;
    void forget(const Text& pod_uid) override;

private:
    os::Task<void> stay_in_touch();
    void start_keeper();
    void on_lines(const std::vector<std::string>& lines);
    void send(std::string line);
    os::Task<void> send_waiting();

    os::RealLoop& loop_;
    os::Processes& processes_;
    const std::string directory_;
    const std::vector<std::string> keeper_;
    Listener listener_;
    std::unique_ptr<os::LineSocket> socket_;
    std::string waiting_;  // what was said in this turn of the loop
    os::Event closed_;
    os::TaskScope tasks_;
};

}  // namespace muster::node
