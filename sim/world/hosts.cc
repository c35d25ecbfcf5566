#include "sim/world/hosts.h"

#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/event.h"
#include "api/kinds/core/service_account.h"
#include "api/kinds/kueue/workload.h"
#include "client/led_client.h"
#include "controllers/cron_job/controller.h"
#include "controllers/garbage/controller.h"
#include "controllers/job/controller.h"
#include "controllers/namespace/controller.h"
#include "controllers/pod_gc/controller.h"
#include "controllers/resource_quota/controller.h"
#include "controllers/service_account/controller.h"
#include "controllers/ttl/controller.h"
#include "node/simulated/simulated_pods.h"
#include "scheduler/scheduler.h"
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

}  // namespace

client::LeaseTimes lease_times(const Settings& settings) {
    client::LeaseTimes times;
    times.lease = std::chrono::seconds(settings.number("lease_s", 15));
    times.renew = times.lease * 2 / 3;
    times.retry = times.lease * 2 / 15;
    return times;
}

class ControllersHost::Running {
public:
    virtual ~Running() = default;
};

template <class C>
class ControllersHost::RunningOf final : public Running {
public:
    template <class... Options>
    RunningOf(ControllersHost& host, const char* user, Options&&... options)
        : connection_(host.world_, host.loop_, user, !host.world_.is_embedded(), host.place()),
          led_(host.election_ ? std::make_unique<client::LedClient>(connection_, *host.election_) : nullptr),
          controller_(host.loop_, led_ ? static_cast<client::Client&>(*led_) : connection_, host.metrics_,
                      std::forward<Options>(options)...) {
        if (host.instance_)
            connection_.on_write = [&world = host.world_, number = host.instance_->number](const std::string& what) {
                world.instance_writes(number, what);
            };
        controller_.start();
    }

private:
    Connection connection_;
    std::unique_ptr<client::LedClient> led_;
    C controller_;
};

template <class C, class... Options>
void ControllersHost::run(const char* user, Options&&... options) {
    running_.push_back(std::make_unique<RunningOf<C>>(*this, user, std::forward<Options>(options)...));
}

ControllersHost::ControllersHost(World& world, Duration skew, std::optional<Instance> instance)
    : world_(world),
      instance_(instance),
      loop_(world.loop, skew, instance ? instance->drift_permille : 0),
      tasks_(loop_) {
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
        running_.clear();
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

void ControllersHost::run_all() {
    const Settings& settings = world_.settings();
    controllers::JobControllerOptions job;
    job.limits.uncounted_max = static_cast<std::size_t>(settings.number("uncounted_max", 500));
    job.limits.create_delete_max = static_cast<std::size_t>(settings.number("create_max", 500));
    job.batch_period = settings.span("batch", Duration());
    run<controllers::JobController>("job-controller", job);
    run<scheduler::Scheduler>("kube-scheduler");
    controllers::GarbageOptions garbage;
    garbage.kinds = {&api::kind_info<api::batch::Job>(), &api::kind_info<api::core::Pod>(),
                     &api::kind_info<api::batch::CronJob>()};
    const bool queues = settings.number("queues", 0) != 0;
    if (queues) garbage.kinds.push_back(&api::kind_info<api::kueue::Workload>());
    run<controllers::GarbageController>("generic-garbage-collector", std::move(garbage));
    run<controllers::TtlController>("ttl-after-finished-controller");
    run<controllers::PodGcController>("pod-garbage-collector");
    if (settings.number("cron", 0) != 0) run<controllers::CronJobController>("cronjob-controller");
    if (queues) run<controllers::QueueControllers>("queue-controller", queue_options(settings));
    if (settings.number("resource_quotas", 0) != 0)
        run<controllers::ResourceQuotaController>("resourcequota-controller");
    if (settings.number("namespaces", 0) == 0) return;
    controllers::NamespaceOptions namespaces;
    namespaces.kinds = {&api::kind_info<api::core::Pod>(),       &api::kind_info<api::core::ServiceAccount>(),
                        &api::kind_info<api::core::ConfigMap>(), &api::kind_info<api::batch::Job>(),
                        &api::kind_info<api::batch::CronJob>(),  &api::kind_info<api::core::Event>()};
    run<controllers::NamespaceController>("namespace-controller", std::move(namespaces));
    controllers::ServiceAccountOptions accounts;
    accounts.authority = "sim authority";
    run<controllers::ServiceAccountController>("service-account-controller", std::move(accounts));
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
