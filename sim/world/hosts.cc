#include "sim/world/hosts.h"

#include "client/led_client.h"
#include "node/simulated/simulated_pods.h"
#include "sim/world/queueing.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

node::AgentOptions agent_options(const World& world, const Machine& machine) {
    node::AgentOptions options;
    node::NodeDescription node;
    node.name = machine.name();
    node.host_ip = "10.0.0.1";
    node.cpu = api::Quantity::from_int(world.settings().number("cpus", 4));
    node.memory = api::Quantity::parse("16Gi").value();
    node.pods_max = world.settings().number("pods_max", 20);
    node.runtime = "muster-sim://1";
    options.nodes.push_back(std::move(node));
    return options;
}

// The shipped ones, unless the scenario has others.
ControllerSetOptions controller_options(const Settings& settings) {
    ControllerSetOptions options;
    options.queueing = queue_configuration(settings);
    options.authority = "sim authority";
    const auto limit = [&settings](std::string_view key, std::size_t& value) {
        value = static_cast<std::size_t>(settings.number(key, static_cast<std::int64_t>(value)));
    };
    limit("uncounted_max", options.job_limits.uncounted_max);
    limit("create_max", options.job_limits.create_delete_max);
    options.job_pace.period = settings.span("pace", options.job_pace.period);
    limit("pace_ends", options.job_pace.ends_max);
    options.job_pace.bytes_per_second = settings.number("pace_bytes", options.job_pace.bytes_per_second);
    return options;
}

// All that the scenario has work for, but for the Job controller, which can be switched off alone.
std::set<std::string> controller_names(const Settings& settings) {
    std::string without;
    const auto leave_out = [&](std::string_view key, const char* names) {
        if (settings.number(key, 0) == 0) without += names;
    };
    leave_out("cron", ",-cron-job");
    leave_out("queues", ",-queue");
    leave_out("resource_quotas", ",-resource-quota");
    leave_out("namespaces", ",-namespace,-service-account");
    return parse_controllers("*,-job" + without).value();
}

}  // namespace

client::LeaseTimes lease_times(const Settings& settings) {
    client::LeaseTimes times;
    times.lease = std::chrono::seconds(settings.number("lease_s", 15));
    times.renew = times.lease * 2 / 3;
    times.retry = times.lease * 2 / 15;
    return times;
}

ControllersHost::ControllersHost(World& world, Duration skew, std::optional<Instance> instance)
    : world_(world),
      instance_(instance),
      loop_(world.loop, skew, instance ? instance->drift_permille : 0),
      tasks_(loop_) {
    if (!world.is_embedded()) parts_ = world.make_remote_parts(loop_);
    if (world.settings().number("shared_mirrors", 0) != 0) {
        reader_ = std::make_unique<Connection>(world, loop_, "reader", !world.is_embedded(), place(), parts_);
        mirrors_ = std::make_unique<client::SharedMirrors>(loop_, *reader_);
    }
    if (instance_)
        fight_for_lease();
    else
        run_all();
}

void ControllersHost::fight_for_lease() {
    const int number = instance_->number;
    election_client_ = std::make_unique<Connection>(world_, loop_, "elector", true, place());
    election_client_->on_written = [this, number](const api::KindInfo& kind, const client::AnyObject& stored,
                                                  Duration sent_at) {
        if (&kind != &api::kind_info<api::coordination::Lease>()) return;
        if (!client::holder_of(*static_cast<const api::coordination::Lease*>(stored.get())).empty())
            world_.instance_granted(number, sent_at);
    };
    client::LeaderElectionOptions options;
    options.lease = {"kube-system", "controllers"};
    options.identity = "c" + std::to_string(number) + '_' + std::to_string(instance_->life);
    options.component = "controllers";
    options.times = lease_times(world_.settings());
    options.seed = world_.random().next();
    client::LeaderCallbacks callbacks;
    callbacks.on_started = [this, number] {
        world_.instance_leads(number, true);
        run_all();
    };
    callbacks.on_stopped = [this, number] {
        controllers_.reset();
        job_controller_.reset();
        world_.instance_leads(number, false);
    };
    election_ = std::make_unique<client::LeaderElection>(loop_, *election_client_, metrics_, std::move(options),
                                                         std::move(callbacks));
    election_->start();
}

void ControllersHost::stop(std::function<void()> done) {
    tasks_.spawn([](client::LeaderElection* election, std::function<void()> then) -> os::Task<void> {
        co_await election->stop();
        then();
    }(election_.get(), std::move(done)));
}

std::unique_ptr<client::Client> ControllersHost::make_client(std::string_view user) {
    auto connection =
        std::make_unique<Connection>(world_, loop_, std::string(user), !world_.is_embedded(), place(), parts_);
    connection->share(mirrors_.get());
    if (!instance_) return connection;
    connection->on_write = [&world = world_, number = instance_->number](const std::string& what) {
        world.instance_writes(number, what);
    };
    return std::make_unique<client::LedClient>(std::move(connection), *election_);
}

void ControllersHost::run_all() {
    controllers_ = run(controller_names(world_.settings()));
    switch_job_controller();
}

void ControllersHost::switch_job_controller() {
    if (!world_.runs_our_jobs()) return job_controller_.reset();
    if (controllers_ && !job_controller_) job_controller_ = run({"job"});
}

std::unique_ptr<ControllerSet> ControllersHost::run(const std::set<std::string>& names) {
    const MakeClient make = [this](std::string_view user) { return make_client(user); };
    auto set = std::make_unique<ControllerSet>(loop_, metrics_, make, controller_options(world_.settings()));
    set->start(names);
    return set;
}

ControllersHost::~ControllersHost() = default;

NodeHost::NodeHost(World& world, Machine& machine, Duration skew)
    : loop_(world.loop, skew),
      client_(world, loop_, "node-" + machine.name().str(), !world.is_embedded()),
      runs_(loop_, machine),
      agent_(
          loop_, client_, metrics_,
          [this](const node::PodHost& host) { return std::make_unique<node::SimulatedPods>(host, runs_); },
          agent_options(world, machine)) {
    agent_.start();
}

}  // namespace muster::sim
