#include "assembly/controller_set.h"

#include <algorithm>
#include <iterator>

#include "api/kinds/batch_names.h"
#include "base/check.h"
#include "controllers/cron_job/controller.h"
#include "controllers/garbage/controller.h"
#include "controllers/job/controller.h"
#include "controllers/namespace/controller.h"
#include "controllers/pod_gc/controller.h"
#include "controllers/queue/queue.h"
#include "controllers/resource_quota/controller.h"
#include "controllers/service_account/controller.h"
#include "controllers/ttl/controller.h"
#include "scheduler/scheduler.h"

namespace muster {
namespace {

using Options = ControllerSetOptions;
using Running = ControllerSet::Running;
using Seat = ControllerSet::Seat;

template <class C>
class RunningOf final : public Running {
public:
    template <class... Settings>
    explicit RunningOf(Seat seat, Settings&&... settings)
        : client_(std::move(seat.client)),
          controller_(seat.loop, *client_, seat.metrics, std::forward<Settings>(settings)...) {
        controller_.start();
    }

private:
    const std::unique_ptr<client::Client> client_;
    C controller_;
};

using Started = std::unique_ptr<Running>;

template <class C, class... Settings>
Started run(Seat seat, Settings&&... settings) {
    return std::make_unique<RunningOf<C>>(std::move(seat), std::forward<Settings>(settings)...);
}

Started run_cron_job(Seat seat, const Options& options) {
    controllers::CronJobOptions cron;
    cron.read_zone = options.read_zone;
    return run<controllers::CronJobController>(std::move(seat), std::move(cron));
}

Started run_garbage(Seat seat, const Options& options) {
    controllers::GarbageOptions garbage;
    garbage.kinds = options.owning_kinds;
    return run<controllers::GarbageController>(std::move(seat), std::move(garbage));
}

Started run_job(Seat seat, const Options& options) {
    controllers::JobControllerOptions job;
    job.gates.indexed_job = options.gates.indexed_job;
    job.gates.tracking_with_finalizers = options.gates.job_tracking_with_finalizers;
    job.gates.ownership = options.ownership;
    job.limits = options.job_limits;
    job.pace = options.job_pace;
    return run<controllers::JobController>(std::move(seat), job);
}

Started run_namespace(Seat seat, const Options& options) {
    controllers::NamespaceOptions namespaces;
    namespaces.kinds = options.namespaced_kinds;
    return run<controllers::NamespaceController>(std::move(seat), std::move(namespaces));
}

Started run_pod_gc(Seat seat, const Options&) { return run<controllers::PodGcController>(std::move(seat)); }

Started run_queue(Seat seat, const Options& options) {
    controllers::QueueOptions queue;
    queue.configuration = options.queueing;
    queue.job_manager = options.ownership.managed_by;
    if (!options.ownership.manual_selectors) queue.job_pod_labels = api::batch::kControllerUidLabel;
    return run<controllers::QueueControllers>(std::move(seat), std::move(queue));
}

Started run_resource_quota(Seat seat, const Options&) {
    return run<controllers::ResourceQuotaController>(std::move(seat));
}

Started run_scheduler(Seat seat, const Options&) { return run<scheduler::Scheduler>(std::move(seat)); }

Started run_service_account(Seat seat, const Options& options) {
    controllers::ServiceAccountOptions accounts;
    accounts.authority = options.authority;
    return run<controllers::ServiceAccountController>(std::move(seat), std::move(accounts));
}

Started run_ttl(Seat seat, const Options& options) {
    controllers::TtlOptions ttl;
    ttl.jobs = options.gates.ttl_after_finished;
    ttl.pods = options.gates.pod_ttl_after_finished && options.ttl_of_pods;
    return run<controllers::TtlController>(std::move(seat), ttl);
}

Started run_pod_ttl(Seat seat, const Options& options) {
    controllers::TtlOptions ttl;
    ttl.jobs = false;
    ttl.pod_labels = options.ttl_pod_labels;
    ttl.pods = options.gates.pod_ttl_after_finished;
    return run<controllers::TtlController>(std::move(seat), ttl);
}

// All there are, in the order of their names.
constexpr struct Member {
    std::string_view name;
    const char* user;  // as RBAC and the audit log know it
    Started (*run)(Seat seat, const Options& options);
} kMembers[] = {
    {"cron-job", "cronjob-controller", &run_cron_job},
    {"garbage", "generic-garbage-collector", &run_garbage},
    {"job", "job-controller", &run_job},
    {"namespace", "namespace-controller", &run_namespace},
    {"pod-gc", "pod-garbage-collector", &run_pod_gc},
    {kPodTtlController, "pod-ttl-controller", &run_pod_ttl},
    {kQueueController, "queue-controller", &run_queue},
    {"resource-quota", "resourcequota-controller", &run_resource_quota},
    {"scheduler", "kube-scheduler", &run_scheduler},
    {kServiceAccountController, "service-account-controller", &run_service_account},
    {"ttl", "ttl-after-finished-controller", &run_ttl},
};

const Member* find_member(std::string_view name) {
    const auto* found = std::find_if(std::begin(kMembers), std::end(kMembers),
                                     [name](const Member& member) { return member.name == name; });
    return found == std::end(kMembers) ? nullptr : found;
}

Error unknown_controller(std::string_view name) {
    std::string message = "there is no controller \"" + std::string(name) + "\"; there are";
    for (const Member& member : kMembers) message.append(&member == kMembers ? " " : ", ").append(member.name);
    return {Code::kBadRequest, message + ", and * for all"};
}

}  // namespace

Result<std::set<std::string>> parse_controllers(std::string_view text) {
    std::set<std::string> names;
    if (text == "none") return names;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        std::string_view word = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (word == "*") {
            for (const Member& member : kMembers) names.emplace(member.name);
            continue;
        }
        const bool without = word.starts_with('-');
        if (without) word.remove_prefix(1);
        if (!find_member(word)) return unknown_controller(word);
        if (without)
            names.erase(std::string(word));
        else
            names.emplace(word);
    }
    return names;
}

ControllerSet::ControllerSet(os::Loop& loop, client::Metrics& metrics, MakeClient make_client,
                             ControllerSetOptions options)
    : loop_(loop), metrics_(metrics), make_client_(std::move(make_client)), options_(std::move(options)) {}

ControllerSet::~ControllerSet() = default;

void ControllerSet::start(const std::set<std::string>& names) {
    Options options = options_;
    if (names.contains(kPodTtlController)) options.ttl_of_pods = false;
    for (const std::string& name : names) {
        const Member* member = find_member(name);
        CHECK(member, "no such controller: " + name);
        running_.push_back(member->run({loop_, metrics_, make_client_(member->user)}, options));
    }
}

}  // namespace muster
