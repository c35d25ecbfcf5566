// A command inside a container with its input and output, or a terminal, in a client's hands: `kubectl exec`. The
// command is a child of the server's and does not outlive the session: when the client goes, or the container's run
// ends, it is killed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "node/runtime/run_board.h"
#include "os/loop/real_loop.h"
#include "os/loop/session.h"
#include "os/process/process.h"

namespace muster::node {

struct InsideRequest {
    RunKey key{};
    std::vector<std::string> command{};
    bool input = false;
    bool output = false;
    bool errors = false;  // not with a terminal, which has one output
    bool terminal = false;
};

// All must outlive the session. kInternal when the container does not run, kIo when the
// command cannot be started, with a kubelet's sentences.
Result<std::unique_ptr<os::Session>> start_inside_session(os::RealLoop& loop, os::Processes& processes, RunBoard& board,
                                                          const InsideRequest& request);

}  // namespace muster::node
