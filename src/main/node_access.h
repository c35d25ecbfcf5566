// The node of processes, as the server asks it for logs and sessions: joins what `server` wants to what `node` has.
#pragma once

#include <string>

#include "node/inside/attach_session.h"
#include "node/logs/log_follower.h"
#include "node/runtime/run_board.h"
#include "os/files/directory_watch.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"
#include "os/process/process.h"
#include "server/rest/node_access.h"

namespace muster {

class ProcessNodeAccess final : public server::NodeAccess {
public:
    // All must outlive it, and it what it gives.
    ProcessNodeAccess(os::RealLoop& loop, os::Processes& processes, node::ProcessRuntime& runtime,
                      node::RunBoard& board, std::string directory);

    Result<std::unique_ptr<server::LogSource>> open_log(const api::core::Pod& pod,
                                                        const api::core::PodLogOptions& options) override;
    os::Network& network() override { return network_; }
    Result<> check_session(const api::core::Pod& pod, const server::SessionRequest& request) override;
    Result<std::unique_ptr<os::Session>> open_session(const api::core::Pod& pod,
                                                      const server::SessionRequest& request) override;

private:
    Result<std::unique_ptr<os::Session>> make_session(const api::core::Pod& pod, node::RunKey key,
                                                      const server::SessionRequest& request);
    Result<node::RunKey> find_run(const api::core::Pod& pod, const Text& container) const;

    os::RealLoop& loop_;
    os::LinuxNetwork network_;
    os::Processes& processes_;
    node::RunBoard& board_;
    const std::string directory_;
    os::DirectoryWatches directories_;
    os::ThreadWorker reader_{"logs"};
    node::Attachments attachments_;
};

}  // namespace muster
