#include "controllers/queue/pods/pod_metrics.h"

#include "api/kinds/kueue/kueue_names.h"

namespace muster::controllers::podqueue {

namespace {

const client::MetricInfo kGated{"kueue_pods_gated_total", "Pods that got the scheduling gate of their queue."};
const client::MetricInfo kUngated{"kueue_pods_ungated_total",
                                  "Pods whose scheduling gate was removed because they were admitted."};
const client::MetricInfo kRejected{
    "kueue_pods_rejected_total",
    "Pods that were deleted because their group had more than it declared, or none of their shape."};

}  // namespace

void declare_pod_metrics(client::Metrics& metrics) {
    for (const client::MetricInfo* info : {&kGated, &kUngated, &kRejected}) metrics.counter(*info);
}

void count_gated(client::Metrics& metrics) { metrics.count(kGated, {}); }
void count_ungated(client::Metrics& metrics) { metrics.count(kUngated, {}); }
void count_rejected(client::Metrics& metrics) { metrics.count(kRejected, {}); }

void observe_gate_removal(client::Metrics& metrics, const std::string& cluster_queue, bool is_group, double seconds) {
    static const client::MetricInfo info{"kueue_pod_scheduling_gate_removal_seconds",
                                         "Seconds from a pod's admission until its scheduling gate was removed.",
                                         client::exponential_buckets(0.001, 2, 18)};
    metrics.observe(info,
                    {{"name", api::kueue::kAdmissionGate},
                     {"cluster_queue", cluster_queue},
                     {"is_group", is_group ? "true" : "false"}},
                    seconds);
}

}  // namespace muster::controllers::podqueue
