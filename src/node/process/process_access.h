// What clients reach of pods whose containers are processes: their logs in the node's directory, commands inside their
// processes, and their streams in the keeper.
#pragma once

#include <string>

#include "client/pods/pod_access.h"
#include "node/inside/attach_session.h"
#include "node/logs/log_follower.h"
#include "node/runtime/run_board.h"
#include "os/files/directory_watch.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"
#include "os/process/process.h"

namespace muster::node {

class ProcessAccess final : public client::PodAccess {
public:
    // All must outlive it, and it what it gives.
    ProcessAccess(os::RealLoop& loop, os::Processes& processes, KeeperClient& keeper, RunBoard& board,
                  std::string directory);

    Result<std::unique_ptr<client::LogStream>> open_log(const api::core::Pod& pod,
                                                        const api::core::PodLogOptions& options) override;
    os::Network& network() override { return network_; }
    Result<> check_session(const api::core::Pod& pod, const client::SessionRequest& request) override;
    Result<std::unique_ptr<os::Session>> open_session(const api::core::Pod& pod,
                                                      const client::SessionRequest& request) override;

private:
    Result<std::unique_ptr<os::Session>> make_session(const api::core::Pod& pod, RunKey key,
                                                      const client::SessionRequest& request);
    Result<RunKey> find_run(const api::core::Pod& pod, const Text& container) const;

    os::RealLoop& loop_;
    os::LinuxNetwork network_;
    os::Processes& processes_;
    RunBoard& board_;
    const std::string directory_;
    os::DirectoryWatches directories_;
    os::ThreadWorker reader_{"logs"};
    Attachments attachments_;
};

}  // namespace muster::node
