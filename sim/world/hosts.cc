#include "sim/world/hosts.h"

#include "api/kinds/batch.h"
#include "api/kinds/kueue/workload.h"
#include "controllers/cron_job/controller.h"
#include "controllers/garbage/controller.h"
#include "controllers/job/controller.h"
#include "controllers/pod_gc/controller.h"
#include "controllers/queue/queue.h"
#include "controllers/ttl/controller.h"
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
    options.pretend = true;
    return options;
}

}  // namespace

class ControllersHost::Running {
public:
    virtual ~Running() = default;
};

template <class C>
class ControllersHost::RunningOf final : public Running {
public:
    template <class... Options>
    RunningOf(ControllersHost& host, const char* user, Options&&... options)
        : client_(host.world_, host.loop_, user, !host.world_.is_embedded()),
          controller_(host.loop_, client_, host.metrics_, std::forward<Options>(options)...) {
        controller_.start();
    }

private:
    Connection client_;
    C controller_;
};

template <class C, class... Options>
void ControllersHost::run(const char* user, Options&&... options) {
    running_.push_back(std::make_unique<RunningOf<C>>(*this, user, std::forward<Options>(options)...));
}

ControllersHost::ControllersHost(World& world, Duration skew) : world_(world), loop_(world.loop, skew) {
    const Settings& settings = world.settings();
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
}

ControllersHost::~ControllersHost() = default;

NodeHost::NodeHost(World& world, Machine& machine, Duration skew)
    : loop_(world.loop, skew),
      client_(world, loop_, "node-" + machine.name().str(), !world.is_embedded()),
      runtime_(loop_, machine),
      agent_(loop_, client_, metrics_, runtime_, agent_options(world, machine)) {
    agent_.start();
}

}  // namespace muster::sim
