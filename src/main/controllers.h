// The controllers that run inside `muster up`, the scheduler among them: which, each with a client of its own name.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/configuration/kueue_configuration.h"
#include "api/feature_gates.h"
#include "base/result.h"
#include "client/metrics.h"
#include "client/mirror_source.h"
#include "os/loop/loop.h"
#include "os/machine/time_zones.h"
#include "server/local_client.h"
#include "server/objects/objects.h"

namespace muster {

// "*", "none", "job,ttl", "*,-ttl". Fails with kBadRequest and a sentence that names the controllers there are.
Result<std::set<std::string>> parse_controllers(std::string_view text);

// The one that makes service accounts: where it runs, pods must have one.
inline constexpr const char* kServiceAccountController = "service-account";
// Those of queueing: where they run, pods and Jobs with a queue wait.
inline constexpr const char* kQueueController = "queue";

class ControllerSet {
public:
    // All must outlive it; destroying it stops the controllers.
    // `authority` (PEM) is what signed the server's certificate: programs in pods trust it.
    ControllerSet(os::Loop& loop, server::Objects& objects, const os::TimeZones& time_zones, api::FeatureGates gates,
                  api::kueue::QueueConfiguration queueing, std::string authority);
    ~ControllerSet();

    void start(const std::set<std::string>& names);
    // What they count; others in the process may count there, too.
    client::Metrics& metrics() { return metrics_; }
    // What they know; others in the process look at the same.
    client::SharedMirrors& mirrors() { return mirrors_; }

private:
    class Running;
    template <class C>
    class RunningOf;

    template <class C, class... Options>
    void run(const char* user, Options&&... options);
    void start_one(std::string_view name);

    os::Loop& loop_;
    server::Objects& objects_;
    const os::TimeZones& time_zones_;
    api::FeatureGates gates_;
    api::kueue::QueueConfiguration queueing_;
    const std::string authority_;
    client::Metrics metrics_;
    server::LocalClient reader_;
    client::SharedMirrors mirrors_;
    std::vector<std::unique_ptr<Running>> running_;
};

}  // namespace muster
