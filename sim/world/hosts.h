// The processes around the server: one with the controllers and the scheduler, or several that fight for a lease, and
// one for each machine's agent. In an embedded cluster they are parts of the server's process and die with it; on a
// cluster each dies alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "assembly/controller_set.h"
#include "client/leader_election.h"
#include "client/metrics.h"
#include "node/agent.h"
#include "sim/world/connection.h"
#include "sim/world/machine.h"
#include "sim/world/process_loop.h"
#include "sim/world/settings.h"

namespace muster::sim {

// How long a lease lasts in this world.
client::LeaseTimes lease_times(const Settings& settings);

// One of several that fight for the lease.
struct Instance {
    int number = 0;
    int life = 0;            // how often it has been started
    int drift_permille = 0;  // how much faster its clock runs
};

class ControllersHost {
public:
    // Without an instance it is the only one, and its controllers run at once; else they run while it leads.
    ControllersHost(World& world, Duration skew, std::optional<Instance> instance);
    ~ControllersHost();

    ProcessLoop& loop() { return loop_; }
    // Whether the Job controller is to run, as the world says. The others run on.
    void switch_job_controller();
    // Ends in good order, of one that fights for the lease: it is given back before `done` is called.
    void stop(std::function<void()> done);

private:
    std::unique_ptr<client::Client> make_client(std::string_view user);
    void run_all();
    std::unique_ptr<ControllerSet> run(const std::set<std::string>& names);
    void fight_for_lease();
    std::string place() const { return instance_ ? "@" + std::to_string(instance_->number) : std::string(); }

    World& world_;
    const std::optional<Instance> instance_;
    ProcessLoop loop_;
    client::Metrics metrics_;
    std::unique_ptr<Connection> election_client_;
    std::unique_ptr<client::LeaderElection> election_;
    // As a process beside a cluster has them: one limit for all of its requests, and perhaps one mirror of a kind.
    std::shared_ptr<RemoteParts> parts_;
    std::unique_ptr<Connection> reader_;
    std::unique_ptr<client::SharedMirrors> mirrors_;
    std::unique_ptr<ControllerSet> controllers_;
    std::unique_ptr<ControllerSet> job_controller_;
    os::TaskScope tasks_;
};

class NodeHost {
public:
    NodeHost(World& world, Machine& machine, Duration skew);

    MachineRuns& runs() { return runs_; }

private:
    ProcessLoop loop_;
    client::Metrics metrics_;
    Connection client_;
    MachineRuns runs_;
    node::Agent agent_;
};

}  // namespace muster::sim
