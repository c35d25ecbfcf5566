// The whole simulated world of one seed: one loop in virtual time, a disk, a network, machines with processes, the
// server, the controllers, the scheduler and an agent for each machine. Processes can die at any moment and come back;
// the disk, the machines' processes and what is on the network stay.
//
//     safety: workloads drive, faults hurt  →  heal  →  liveness: all must come to its end  →  rest: nothing moves
//
// Whatever is destroyed is destroyed between two steps of the loop, never from within.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/testing/virtual_loop.h"
#include "sim/world/api_front.h"
#include "sim/world/connection.h"
#include "sim/world/history.h"
#include "sim/world/machine.h"
#include "sim/world/network.h"
#include "sim/world/parts.h"
#include "sim/world/scenario.h"
#include "sim/world/server.h"
#include "sim/world/trace.h"

namespace muster::sim {

class ControllersHost;
class NodeHost;
class UpstreamJobs;

struct Failure {
    std::string checker;
    std::string subject;
    std::string reason;
};

struct RunResult {
    std::optional<Failure> failure{};
    std::uint64_t hash = 0;
    std::uint64_t steps = 0;
    Duration virtual_time{};
    std::uint64_t revisions = 0;
    int crashes = 0;
    std::vector<std::string> story{};  // of a failure, when the trace was on
};

class World {
public:
    World(std::uint64_t seed, Scenario drawn, Trace::Want want);
    ~World();

    RunResult run();
    // Instead of a run: the first failure in a history that was recorded (History::record), and at its end.
    std::optional<Failure> judge_at_rest();

    os::VirtualLoop loop;
    Trace trace;
    Network network;
    ApiFront api;
    Disk disk;
    History history;

    // Null while it is down.
    Server* server() { return server_.get(); }
    std::vector<std::unique_ptr<Machine>>& machines() { return machines_; }
    MachineRuns* runtime_of(std::size_t machine);
    os::TaskScope& network_tasks() { return *network_tasks_; }
    os::TaskScope& tasks_of(const Line& line) { return line.outside ? *network_tasks_ : *inside_tasks_; }
    os::TaskScope& user_tasks() { return *user_tasks_; }
    bool keeps_events() const { return keeps_events_; }
    bool is_embedded() const { return embedded_; }
    bool healed() const { return healed_; }
    // Whether a request may arrive twice, or after its sender has given up or died. No controller can foresee its
    // effect.
    bool requests_may_be_late() const;
    // Whether a request may take effect when its sender knows nothing of it any more: it has died or been replaced, or
    // the request came a second time.
    bool senders_may_be_gone() const;
    // Whether a pod may be created twice: two Job controllers act, or one forgets what it has asked for.
    bool creations_may_repeat() const { return senders_may_be_gone(); }
    // What the clients of one process share.
    std::shared_ptr<RemoteParts> make_remote_parts(os::Loop& process) const;
    Prng& random() { return random_; }
    const Settings& settings() const { return scenario_.world; }
    const Scenario& scenario() const { return scenario_; }
    void note(std::string_view subject, std::string_view what) {
        trace.note(loop.uptime(), subject, [&] { return std::string(what); });
    }

    // A part does what it should not.
    void fail(std::string_view checker, std::string_view subject, std::string reason);
    // What happens that only the parts can tell, for the checkers.
    void acknowledged(store::Revision revision);
    void watcher_listed(int watcher, const api::KindInfo& kind, const std::vector<Seen>& objects,
                        store::Revision revision);
    void watcher_saw(int watcher, const Seen& seen);
    void user_removes(std::string_view name);
    void clock_jumped(Duration jump);
    void instance_granted(int instance, Duration sent_at);
    void instance_leads(int instance, bool leads);
    void instance_writes(int instance, const std::string& what);

    // The processes with the controllers: one, or as many as fight for the lease. Null while it is down.
    std::size_t instances() const { return controllers_.size(); }
    ControllersHost* instance(std::size_t number) { return controllers_[number].get(); }

    // Runs it between two steps, after so many more of them.
    void at_boundary(std::function<void()> action, std::uint64_t steps_later = 0);
    // To be called between two steps. The server dies, with all others when they are one process, and comes back later.
    void crash_server(Duration back_after);
    // One of them, drawn.
    void crash_controllers(Duration back_after);
    void crash_instance(std::size_t instance, Duration back_after);
    // It ends in good order instead.
    void stop_instance(std::size_t instance, Duration back_after);
    void crash_agent(std::size_t machine, Duration back_after);
    void reboot_machine(std::size_t machine, Duration back_after);

    // Which Job controllers run: ours, and a model of upstream's. To be called between two steps, as the next two.
    void set_job_controllers(bool ours, bool upstream);
    bool runs_our_jobs() const { return our_jobs_; }
    // The server restarts, and what is on its disk then is kept as a backup.
    void back_up(Duration back_after);
    // Whether every client that watches knows a version that was given after the backup.
    bool all_know_versions_since_backup() const;
    // The server restarts with the backup's data. Controllers are restarted, and agents when `agents_too`.
    void restore(Duration back_after, bool agents_too);

    int sync_error_permille = 0;
    int bit_flip_percent = 0;  // of the times that the server starts
    int log_loss_percent = 0;  // likewise

private:
    bool step_is_last(const std::function<bool()>& done);
    bool run_until(const std::function<bool()>& done, Duration limit);
    void start_server();
    void start_controllers();
    void start_instance(std::size_t instance);
    void start_agent(std::size_t machine);
    void stop_server();
    void check_bit_flip(const ServerOptions& options);
    void lose_log(ServerOptions& options);
    // Changes the disk as a backup, a restore and others who use up revisions do.
    void prepare_disk();
    void restart_controllers(Duration back_after);
    void restart_agents(Duration back_after);
    void later(Duration delay, std::function<void()> action);
    void heal();
    bool is_settled();
    std::string why_not_settled();
    std::uint64_t hash() const;
    ServerOptions server_options();
    Duration draw_skew();

    const std::uint64_t seed_;
    const Scenario scenario_;
    Prng random_;
    const bool embedded_;
    const bool keeps_events_;
    bool healed_ = false;
    std::optional<Failure> failure_;
    std::uint64_t steps_ = 0;
    std::uint64_t run_hash_ = 0;
    int boots_ = 0;
    int crashes_ = 0;
    struct Boundary {
        std::uint64_t at_step;
        std::function<void()> action;
    };
    std::vector<Boundary> boundaries_;
    std::vector<std::unique_ptr<Checker>> checkers_;
    std::vector<std::unique_ptr<Workload>> workloads_;
    std::vector<std::unique_ptr<Fault>> faults_;
    std::vector<std::unique_ptr<Machine>> machines_;
    std::unique_ptr<os::TaskScope> network_tasks_;
    std::unique_ptr<os::TaskScope> user_tasks_;
    std::unique_ptr<os::TaskScope> inside_tasks_;
    std::unique_ptr<Server> server_;
    std::vector<std::unique_ptr<ControllersHost>> controllers_;
    std::vector<bool> restarting_controllers_;
    std::vector<int> lives_;  // of each of those
    bool our_jobs_ = true;
    std::unique_ptr<UpstreamJobs> upstream_jobs_;
    struct Backup {
        Disk disk{};
        store::Revision revision = 0;
        bool wanted = false;  // by the next start
        bool taken = false;
        bool restores = false;  // at the next start
    };
    Backup backup_;
    std::vector<std::unique_ptr<NodeHost>> agents_;
    std::vector<bool> restarting_agents_;
};

}  // namespace muster::sim
