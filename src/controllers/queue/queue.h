// All controllers of queueing, owned together and started together under one name: what is in use stays (objects/), who
// is admitted (admission/), plain pods and their groups (pods/), Jobs (jobs/), Workloads without owners
// (orphans/), what their classes are worth (priorities/). They meet through Workloads only; the order of members is the
// order of start.
#pragma once

#include <memory>
#include <string>

#include "api/configuration/kueue_configuration.h"
#include "client/client.h"
#include "client/metrics.h"
#include "os/loop/loop.h"

namespace muster::controllers {

struct QueueOptions {
    api::kueue::QueueConfiguration configuration{};
    Text job_manager{};            // a spec.managedBy of Jobs whose controller reports their start
    std::string job_pod_labels{};  // that all pods of Jobs have; empty: they may have any
};

class QueueControllers {
public:
    // All must outlive it; destroying it stops them.
    QueueControllers(os::Loop& loop, client::Client& client, client::Metrics& metrics, QueueOptions options = {});
    ~QueueControllers();
    void start();

private:
    struct Members;
    std::unique_ptr<Members> members_;
};

}  // namespace muster::controllers
