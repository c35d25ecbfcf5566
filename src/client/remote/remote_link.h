// The way to one API server that all clients of a process share: one network, one worker for what blocks, one
// transport. The limit of requests, the rate and the turns of flows then hold for the process, and connections and
// credentials are the same for all.
#pragma once

#include <memory>

#include "client/remote/transport.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"

namespace muster::client {

class RemoteLink {
public:
    // The loop must outlive it, and it must outlive the Tasks of its transport. Nothing is sent yet; kBadRequest when
    // the access cannot be used.
    static Result<std::shared_ptr<RemoteLink>> make(os::RealLoop& loop, const ServerAccess& access,
                                                    TransportSettings settings = {});

    os::RealLoop& loop() const { return loop_; }
    Transport& transport() { return *transport_; }

private:
    explicit RemoteLink(os::RealLoop& loop) : loop_(loop), network_(loop), worker_("access") {}

    os::RealLoop& loop_;
    os::LinuxNetwork network_;
    os::ThreadWorker worker_;
    std::unique_ptr<Transport> transport_;
};

}  // namespace muster::client
