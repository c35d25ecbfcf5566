// The processes around the server: one with the controllers and the scheduler, one for each machine's agent. In an
// embedded cluster they are parts of the server's process and die with it; on a cluster each dies alone.
#pragma once

#include <memory>
#include <vector>

#include "client/metrics.h"
#include "node/agent.h"
#include "sim/world/connection.h"
#include "sim/world/machine.h"
#include "sim/world/process_loop.h"

namespace muster::sim {

class ControllersHost {
public:
    ControllersHost(World& world, Duration skew);
    ~ControllersHost();

private:
    class Running;
    template <class C>
    class RunningOf;
    template <class C, class... Options>
    void run(const char* user, Options&&... options);

    World& world_;
    ProcessLoop loop_;
    client::Metrics metrics_;
    std::vector<std::unique_ptr<Running>> running_;
};

class NodeHost {
public:
    NodeHost(World& world, Machine& machine, Duration skew);

    MachineRuntime& runtime() { return runtime_; }

private:
    ProcessLoop loop_;
    client::Metrics metrics_;
    Connection client_;
    MachineRuntime runtime_;
    node::Agent agent_;
};

}  // namespace muster::sim
