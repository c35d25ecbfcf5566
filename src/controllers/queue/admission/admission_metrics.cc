#include "controllers/queue/admission/admission_metrics.h"

#include "controllers/queue/admission/requests.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;
using client::exponential_buckets;
using client::MetricInfo;
using client::MetricLabels;

const MetricInfo kAttempts{"kueue_admission_attempts_total",
                           "Decisions about admission, by whether they admitted any."};
const MetricInfo kPendingWorkloads{"kueue_pending_workloads",
                                   "Workloads that wait: active for quota, inadmissible for something else."};
const MetricInfo kReservedTotal{"kueue_quota_reserved_workloads_total", "Workloads that got quota."};
const MetricInfo kAdmittedTotal{"kueue_admitted_workloads_total", "Workloads that were admitted."};
const MetricInfo kEvictedTotal{"kueue_evicted_workloads_total", "Workloads that were evicted, by reason."};
const MetricInfo kPreemptedTotal{"kueue_preempted_workloads_total",
                                 "Workloads that were preempted, by the queue that they made room for."};
const MetricInfo kFinishedTotal{"kueue_finished_workloads_total", "Workloads that finished."};
const MetricInfo kReservingActive{"kueue_reserving_active_workloads", "Workloads that hold quota."};
const MetricInfo kAdmittedActive{"kueue_admitted_active_workloads", "Workloads that are admitted and not finished."};
const MetricInfo kQueueStatus{"kueue_cluster_queue_status", "1 for the status that the queue has."};
const MetricInfo kResourceUsage{"kueue_cluster_queue_resource_usage", "Quota that admitted workloads use."};
const MetricInfo kResourceReservation{"kueue_cluster_queue_resource_reservation", "Quota that workloads hold."};
const MetricInfo kNominalQuota{"kueue_cluster_queue_nominal_quota", "Nominal quota of the queue."};
const MetricInfo kBorrowingLimit{"kueue_cluster_queue_borrowing_limit", "How much the queue may borrow."};
const MetricInfo kLendingLimit{"kueue_cluster_queue_lending_limit", "How much the queue lends."};
const MetricInfo kWeightedShare{"kueue_cluster_queue_weighted_share", "Share of what is borrowed, by weight."};

const MetricInfo& attempt_seconds() {
    static const MetricInfo info{"kueue_admission_attempt_duration_seconds", "Seconds that a decision took.",
                                 exponential_buckets(0.0005, 2, 15)};
    return info;
}
const MetricInfo& reserved_seconds() {
    static const MetricInfo info{"kueue_quota_reserved_wait_time_seconds",
                                 "Seconds from creation, or return to the queue, to quota.",
                                 exponential_buckets(1, 2, 14)};
    return info;
}
const MetricInfo& admitted_seconds() {
    static const MetricInfo info{"kueue_admission_wait_time_seconds",
                                 "Seconds from creation, or return to the queue, to admission.",
                                 exponential_buckets(1, 2, 14)};
    return info;
}
const MetricInfo& checks_seconds() {
    static const MetricInfo info{"kueue_admission_checks_wait_time_seconds", "Seconds from quota to admission.",
                                 exponential_buckets(1, 2, 14)};
    return info;
}

MetricLabels queue_labels(const Text& queue) { return {{"cluster_queue", queue.str()}}; }

}  // namespace

void AdmissionMetrics::attempted(bool success, double seconds) {
    const MetricLabels labels{{"result", success ? "success" : "inadmissible"}};
    metrics_.count(kAttempts, labels);
    metrics_.observe(attempt_seconds(), labels, seconds);
}

void AdmissionMetrics::reserved(const Text& queue, double waited) {
    metrics_.count(kReservedTotal, queue_labels(queue));
    metrics_.observe(reserved_seconds(), queue_labels(queue), waited);
}

void AdmissionMetrics::admitted(const Text& queue, double waited, double waited_for_checks) {
    metrics_.count(kAdmittedTotal, queue_labels(queue));
    metrics_.observe(admitted_seconds(), queue_labels(queue), waited);
    metrics_.observe(checks_seconds(), queue_labels(queue), waited_for_checks);
}

void AdmissionMetrics::evicted(const Text& queue, std::string_view reason) {
    metrics_.count(kEvictedTotal, {{"cluster_queue", queue.str()}, {"reason", std::string(reason)}});
}

void AdmissionMetrics::preempted(const Text& preempting_queue, std::string_view reason) {
    metrics_.count(kPreemptedTotal,
                   {{"preempting_cluster_queue", preempting_queue.str()}, {"reason", std::string(reason)}});
}

void AdmissionMetrics::finished(const Text& queue) { metrics_.count(kFinishedTotal, queue_labels(queue)); }

void AdmissionMetrics::stands(const kueue::ClusterQueue& queue, bool active, const QueueCounts& counts,
                              const Share& share, Names& names) {
    const std::string name = queue.metadata.name.str();
    metrics_.set(kPendingWorkloads, {{"cluster_queue", name}, {"status", "active"}}, counts.pending);
    metrics_.set(kPendingWorkloads, {{"cluster_queue", name}, {"status", "inadmissible"}}, counts.inadmissible);
    metrics_.set(kReservingActive, {{"cluster_queue", name}}, counts.reserving);
    metrics_.set(kAdmittedActive, {{"cluster_queue", name}}, counts.admitted);
    metrics_.set(kQueueStatus, {{"cluster_queue", name}, {"status", "active"}}, active ? 1 : 0);
    metrics_.set(kQueueStatus, {{"cluster_queue", name}, {"status", "pending"}}, active ? 0 : 1);
    metrics_.set(kWeightedShare, {{"cluster_queue", name}, {"cohort", queue.spec.cohort_name.str()}}, share.value());
    for (const kueue::ResourceGroup& group : queue.spec.resource_groups) {
        for (const kueue::FlavorQuotas& flavor : group.flavors) {
            for (const kueue::ResourceQuota& quota : flavor.resources) {
                const MetricLabels labels{{"cohort", queue.spec.cohort_name.str()},
                                          {"cluster_queue", name},
                                          {"flavor", flavor.name.str()},
                                          {"resource", quota.name.str()}};
                const double unit = quota.name == "cpu" ? 1000 : 1;
                const Slot slot = names.slot(names.flavor(flavor.name), names.resource(quota.name));
                metrics_.set(kResourceUsage, labels, static_cast<double>(QueueCounts::find(counts.used, slot)) / unit);
                metrics_.set(kResourceReservation, labels,
                             static_cast<double>(QueueCounts::find(counts.reserved, slot)) / unit);
                metrics_.set(kNominalQuota, labels, quota.nominal_quota.approximate());
                if (quota.borrowing_limit) metrics_.set(kBorrowingLimit, labels, quota.borrowing_limit->approximate());
                if (quota.lending_limit) metrics_.set(kLendingLimit, labels, quota.lending_limit->approximate());
            }
        }
    }
}

}  // namespace muster::controllers::queue
