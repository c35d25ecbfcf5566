// Keeps the priority of Workloads at the value of their WorkloadPriorityClass: a class whose value is changed, or which
// is made again with another, moves those that wait in their queues, and those that run among the ones that may be
// preempted. Workloads that have finished keep what they had.
#pragma once

#include "api/kinds/kueue/workload.h"
#include "api/kinds/kueue/workload_priority_class.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "controllers/reconciler.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

class WorkloadPriorities {
public:
    // All must outlive it; destroying it stops it.
    WorkloadPriorities(os::Loop& loop, client::Client& client, client::Metrics& metrics);
    void start();

private:
    using Workload = api::kueue::Workload;
    using Class = api::kueue::WorkloadPriorityClass;

    os::Task<Worked> sync(client::ObjectName name);

    client::Client& client_;
    client::Mirror<Workload> workloads_;
    client::Mirror<Class> classes_;
    client::Mirror<Workload>::IndexId workloads_by_class_;
    Reconciler<client::ObjectName> reconciler_;
};

}  // namespace muster::controllers
