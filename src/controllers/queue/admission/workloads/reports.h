// What users are told about Workloads: Events, and the metrics that count what has happened to them. A queue that is
// gone is not counted in, as nothing would remove its numbers again.
#pragma once

#include "client/recorder.h"
#include "controllers/queue/admission/queues/admission_metrics.h"
#include "controllers/queue/admission/queues/environment.h"
#include "controllers/queue/admission/workloads/drafts.h"
#include "controllers/queue/admission/workloads/place.h"
#include "os/loop/loop.h"

namespace muster::controllers::queue {

class WorkloadReports {
public:
    using Workload = api::kueue::Workload;

    // All must outlive it.
    WorkloadReports(os::Loop& loop, client::Client& client, AdmissionMetrics& metrics, const Environment& environment,
                    const Engine& engine);

    // A write has succeeded.
    void stored(const Workload& workload, const Told& told);
    // A Workload was settled: counts quota that was given back, pods that are ready, and its end.
    void settled(const Workload& workload, const Place& before, const Place& now);
    // It has preempted another Workload.
    void preempts(const Workload& preemptor, const client::ObjectName& victim, const Text& victim_uid,
                  const Text& victim_queue);

private:
    // The name, or none when there is no such queue.
    Text known_queue(const Text& cluster_queue) const;
    // Where a Workload of that ClusterQueue is counted: in queues that exist.
    Counted counted_in(const Text& cluster_queue, const Workload& workload) const;
    void count_eviction(const Workload& workload, const Counted& in, const Text& reason);
    void note(const Workload& workload, Text reason, std::string message, const char* type);

    os::Loop& loop_;
    AdmissionMetrics& metrics_;
    const Environment& environment_;
    const Engine& engine_;
    client::Recorder recorder_;
};

}  // namespace muster::controllers::queue
