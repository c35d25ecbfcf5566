#include "main/controllers.h"

#include <algorithm>
#include <iterator>

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

constexpr std::string_view kNames[] = {"cron-job",
                                       "garbage",
                                       "job",
                                       "namespace",
                                       "pod-gc",
                                       kQueueController,
                                       "resource-quota",
                                       "scheduler",
                                       kServiceAccountController,
                                       "ttl"};

// In-process requests cost little and there is no remote server to protect, so many pods are created at once. The UIDs
// in one Job status stay below 20 KB, as KEP-2307 requires.
constexpr std::size_t kPodsAtOnceMax = 1000;

Error unknown_controller(std::string_view name) {
    std::string message = "there is no controller \"" + std::string(name) + "\"; there are";
    for (const std::string_view& known : kNames) message.append(&known == kNames ? " " : ", ").append(known);
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
            names.insert(std::begin(kNames), std::end(kNames));
            continue;
        }
        const bool without = word.starts_with('-');
        if (without) word.remove_prefix(1);
        if (std::find(std::begin(kNames), std::end(kNames), word) == std::end(kNames)) return unknown_controller(word);
        if (without)
            names.erase(std::string(word));
        else
            names.emplace(word);
    }
    return names;
}

class ControllerSet::Running {
public:
    virtual ~Running() = default;
};

// A controller and the client that it writes with.
template <class C>
class ControllerSet::RunningOf final : public Running {
public:
    template <class... Options>
    RunningOf(ControllerSet& set, const char* user, Options&&... options)
        : client_(set.objects_, server::controller_user(user), &set.mirrors_),
          controller_(set.loop_, client_, set.metrics_, std::forward<Options>(options)...) {
        controller_.start();
    }

private:
    server::LocalClient client_;
    C controller_;
};

ControllerSet::ControllerSet(os::Loop& loop, server::Objects& objects, const os::TimeZones& time_zones,
                             api::FeatureGates gates, api::kueue::QueueConfiguration queueing, std::string authority)
    : loop_(loop),
      objects_(objects),
      time_zones_(time_zones),
      gates_(gates),
      queueing_(std::move(queueing)),
      authority_(std::move(authority)),
      reader_(objects, server::User()),
      mirrors_(loop, reader_) {}

ControllerSet::~ControllerSet() = default;

void ControllerSet::start(const std::set<std::string>& names) {
    for (const std::string& name : names) start_one(name);
}

template <class C, class... Options>
void ControllerSet::run(const char* user, Options&&... options) {
    running_.push_back(std::make_unique<RunningOf<C>>(*this, user, std::forward<Options>(options)...));
}

void ControllerSet::start_one(std::string_view name) {
    if (name == "cron-job") {
        controllers::CronJobOptions options;
        options.read_zone = [this](std::string_view zone) { return time_zones_.read(zone); };
        run<controllers::CronJobController>("cronjob-controller", options);
    } else if (name == "garbage") {
        run<controllers::GarbageController>("generic-garbage-collector");
    } else if (name == "job") {
        controllers::JobControllerOptions options;
        options.gates.indexed_job = gates_.indexed_job;
        options.gates.tracking_with_finalizers = gates_.job_tracking_with_finalizers;
        options.limits.create_delete_max = kPodsAtOnceMax;
        run<controllers::JobController>("job-controller", options);
    } else if (name == "namespace") {
        run<controllers::NamespaceController>("namespace-controller");
    } else if (name == "pod-gc") {
        run<controllers::PodGcController>("pod-garbage-collector");
    } else if (name == kQueueController) {
        controllers::QueueOptions options;
        options.configuration = queueing_;
        run<controllers::QueueControllers>("queue-controller", options);
    } else if (name == "resource-quota") {
        run<controllers::ResourceQuotaController>("resourcequota-controller");
    } else if (name == "scheduler") {
        run<scheduler::Scheduler>("kube-scheduler");
    } else if (name == kServiceAccountController) {
        controllers::ServiceAccountOptions options;
        options.authority = authority_;
        run<controllers::ServiceAccountController>("service-account-controller", options);
    } else if (name == "ttl") {
        controllers::TtlOptions options;
        options.jobs = gates_.ttl_after_finished;
        options.pods = gates_.pod_ttl_after_finished;
        run<controllers::TtlController>("ttl-after-finished-controller", options);
    }
}

}  // namespace muster
