// What probes and hooks do, for real: commands inside the container's process (inside.h), requests and connections over
// the machine's network.
#pragma once

#include <memory>

#include "node/runtime/actions.h"
#include "node/runtime/run_board.h"
#include "os/loop/real_loop.h"
#include "os/network/network.h"
#include "os/process/process.h"

namespace muster::node {

class ProcessActions final : public Actions {
public:
    // All must outlive it.
    ProcessActions(os::RealLoop& loop, os::Processes& processes, RunBoard& board);
    ~ProcessActions() override;

    os::Task<ActionResult> act(Action action, ActionTarget target, Duration timeout) override;

private:
    os::Task<ActionResult> run(Action action, ActionTarget target, Duration timeout);
    os::Task<ActionResult> get(Action action, ActionTarget target);
    os::Task<ActionResult> connect(Action action, ActionTarget target);
    os::Task<ActionResult> sleep(Action action);
    os::Worker& resolver();

    os::RealLoop& loop_;
    os::Processes& processes_;
    RunBoard& board_;
    std::unique_ptr<os::Network> network_;
    std::unique_ptr<os::Worker> resolver_;  // looks names up; there from the first of them on
};

}  // namespace muster::node
