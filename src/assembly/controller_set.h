// The controllers of one process, the scheduler among them: which there are, and each with a client of its own name.
// `muster up`, a process beside a cluster and the simulator make the same set and differ only in the factory of its
// clients and in its options. The shipped limits are the defaults of the options.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/configuration/kueue_configuration.h"
#include "api/feature_gates.h"
#include "base/result.h"
#include "client/client.h"
#include "client/metrics.h"
#include "controllers/cron_job/zone_table.h"
#include "controllers/job/pace.h"
#include "os/loop/loop.h"

namespace muster {

// "*", "none", "job,ttl", "*,-ttl". Fails with kBadRequest and a sentence that names the controllers there are.
Result<std::set<std::string>> parse_controllers(std::string_view text);

// The one that makes service accounts: where it runs, pods must have one.
inline constexpr const char* kServiceAccountController = "service-account";
// The TTL of finished pods alone. Where it does not run, "ttl" serves pods as well as Jobs, unless `ttl_of_pods` is
// off.
inline constexpr const char* kPodTtlController = "pod-ttl";
// Those of queueing: where they run, pods and Jobs with a queue wait.
inline constexpr const char* kQueueController = "queue";

// In-process requests cost little and there is no remote server to protect, so many pods are created at once. The UIDs
// in one Job status stay below 20 KB, as KEP-2307 requires.
inline constexpr controllers::jobs::Limits kShippedJobLimits{.uncounted_max = 500, .create_delete_max = 1000};

struct ControllerSetOptions {
    api::FeatureGates gates{};
    api::kueue::QueueConfiguration queueing{};
    controllers::ReadZone read_zone{};  // of CronJobs; without it there is UTC alone
    std::string authority{};            // PEM: what signed the server's certificate; programs in pods trust it
    controllers::jobs::Limits job_limits = kShippedJobLimits;
    controllers::jobs::Ownership ownership{};  // which Jobs are the Job controller's
    controllers::jobs::Pace job_pace{};        // of Jobs' statuses: kClusterPace beside a cluster, none in the process
    // The TTL of pods is for pods that have one of these labels; none: for all.
    std::vector<std::string> ttl_pod_labels{};
    bool ttl_of_pods = true;  // by the controller "ttl"; off beside a cluster, where it is for Jobs
    // What the garbage collector watches, and what a namespace is emptied of; none: all kinds of the client for which
    // that is sensible.
    std::vector<const api::KindInfo*> owning_kinds{};
    std::vector<const api::KindInfo*> namespaced_kinds{};
};

// Gives the client of the controller with that user name: "job-controller".
using MakeClient = std::function<std::unique_ptr<client::Client>(std::string_view user)>;

class ControllerSet {
public:
    // The loop, the metrics and what the factory refers to must outlive it; destroying it stops the controllers.
    ControllerSet(os::Loop& loop, client::Metrics& metrics, MakeClient make_client, ControllerSetOptions options = {});
    ~ControllerSet();

    // Names as parse_controllers gives them.
    void start(const std::set<std::string>& names);

    // A controller and the client that it writes with.
    class Running {
    public:
        virtual ~Running() = default;
    };
    // What a controller is made of.
    struct Seat {
        os::Loop& loop;
        client::Metrics& metrics;
        std::unique_ptr<client::Client> client;
    };

private:
    os::Loop& loop_;
    client::Metrics& metrics_;
    const MakeClient make_client_;
    const ControllerSetOptions options_;
    std::vector<std::unique_ptr<Running>> running_;
};

}  // namespace muster
