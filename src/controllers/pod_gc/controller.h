// Carries out decide_pod_gc's plan periodically. Pods that have not ended are first marked Failed, so that their
// controllers count them, and then deleted without a grace period. A node counts as gone only after a quarantine and a
// live read.
// It has no keys to sync (controllers/reconciler.h): which ended pods are too many, and which nodes are gone, is
// decided about all pods together, once a period.
#pragma once

#include <map>
#include <vector>

#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "controllers/pod_gc/decide.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct PodGcOptions {
    std::int64_t terminated_max = 12500;  // 0 or less: all stay
    Duration period = 20s;
    Duration quarantine = 40s;
    std::size_t at_once_max = 512;
    std::size_t ended_at_once_max = 2000;  // ended pods of one round; if there are more, the next follows at once
};

class PodGcController {
public:
    // All must outlive the controller; destroying it stops it.
    PodGcController(os::Loop& loop, client::Client& client, client::Metrics& metrics, PodGcOptions options = {});

    void start();

private:
    os::Task<void> run();
    // Gives whether there is more to clear away at once.
    os::Task<bool> collect();
    os::Task<std::vector<Text>> confirm_missing(std::vector<Text> nodes);
    // Gives whether the pod is gone or on its way.
    os::Task<bool> remove(PodRemoval removal);

    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    PodGcOptions options_;
    client::Mirror<api::core::Pod> pods_;
    client::Mirror<api::core::Node> nodes_;
    PodCensus census_;
    std::map<Text, Instant> missing_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers
