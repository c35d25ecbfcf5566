// What queued pods and Jobs refer to by name: flavors, which say where they may run, and the classes of their
// workloads' and their pods' priorities. All as of a moment ago.
#pragma once

#include "api/kinds/kueue/resource_flavor.h"
#include "api/kinds/kueue/workload_priority_class.h"
#include "api/kinds/scheduling.h"
#include "client/client.h"
#include "client/mirror.h"
#include "controllers/queue/workload/injection.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

class Lookups {
public:
    Lookups(os::Loop& loop, client::Client& client);
    Lookups(const Lookups&) = delete;
    Lookups& operator=(const Lookups&) = delete;

    void start();
    os::Task<void> wait_synced();

    const FindFlavor& find_flavor() const { return find_flavor_; }
    const FindPriority& find_priority() const { return find_priority_; }
    const FindPodPriority& find_pod_priority() const { return find_pod_priority_; }

private:
    std::optional<PodPriority> pod_priority(const Text& name) const;

    client::Mirror<api::kueue::ResourceFlavor> flavors_;
    client::Mirror<api::kueue::WorkloadPriorityClass> classes_;
    client::Mirror<api::scheduling::PriorityClass> pod_classes_;
    FindFlavor find_flavor_;
    FindPriority find_priority_;
    FindPodPriority find_pod_priority_;
};

}  // namespace muster::controllers
