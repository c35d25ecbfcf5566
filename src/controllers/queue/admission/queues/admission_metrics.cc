#include "controllers/queue/admission/queues/admission_metrics.h"

#include "controllers/queue/admission/engine/requests.h"

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
const MetricInfo kEvictedOnceTotal{"kueue_evicted_workloads_once_total",
                                   "Workloads that were evicted for a reason for the first time."};
const MetricInfo kQueueInfo{"kueue_cluster_queue_info", "1, with the cohorts that the queue stands in."};
const MetricInfo kCohortInfo{"kueue_cohort_info", "1, with the cohorts above the cohort."};
const MetricInfo kResourcePending{"kueue_cluster_queue_resource_pending", "What the workloads that wait ask for."};
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
const MetricInfo kLocalPending{
    "kueue_local_queue_pending_workloads",
    "Workloads of a LocalQueue that wait: active for quota, inadmissible for something else."};
const MetricInfo kLocalReservedTotal{"kueue_local_queue_quota_reserved_workloads_total",
                                     "Workloads of a LocalQueue that got quota."};
const MetricInfo kLocalAdmittedTotal{"kueue_local_queue_admitted_workloads_total",
                                     "Workloads of a LocalQueue that were admitted."};
const MetricInfo kLocalEvictedTotal{"kueue_local_queue_evicted_workloads_total",
                                    "Workloads of a LocalQueue that were evicted, by reason."};
const MetricInfo kLocalFinishedTotal{"kueue_local_queue_finished_workloads_total",
                                     "Workloads of a LocalQueue that finished."};
const MetricInfo kLocalReserving{"kueue_local_queue_reserving_active_workloads",
                                 "Workloads of a LocalQueue that hold quota."};
const MetricInfo kLocalAdmitted{"kueue_local_queue_admitted_active_workloads",
                                "Workloads of a LocalQueue that are admitted and not finished."};
const MetricInfo kLocalStatus{"kueue_local_queue_status", "1 for whether the LocalQueue is active."};
const MetricInfo kLocalUsage{"kueue_local_queue_resource_usage", "Quota that admitted workloads of a LocalQueue use."};
const MetricInfo kLocalReservation{"kueue_local_queue_resource_reservation",
                                   "Quota that workloads of a LocalQueue hold."};
const MetricInfo kCohortShare{"kueue_cohort_weighted_share", "Share of what is borrowed, by weight."};
const MetricInfo kCohortQuota{"kueue_cohort_subtree_quota",
                              "Quota of the cohort and of all below it, as far as they lend it."};
const MetricInfo kCohortReservations{"kueue_cohort_subtree_resource_reservations",
                                     "Quota that workloads of all queues below the cohort hold."};
const MetricInfo kCohortAdmitted{"kueue_cohort_subtree_admitted_active_workloads",
                                 "Workloads of all queues below the cohort that are admitted and not finished."};
const MetricInfo kCohortAdmittedTotal{"kueue_cohort_subtree_admitted_workloads_total",
                                      "Workloads of all queues below the cohort that were admitted."};
const MetricInfo kWeightedShare{"kueue_cluster_queue_weighted_share", "Share of what is borrowed, by weight."};

const MetricInfo& attempt_seconds() {
    static const MetricInfo info{"kueue_admission_attempt_duration_seconds", "Seconds that a decision took.",
                                 exponential_buckets(0.0005, 2, 15)};
    return info;
}
MetricInfo wait_time(const char* name, const char* help) { return {name, help, exponential_buckets(1, 2, 14)}; }

const MetricInfo& reserved_seconds() {
    static const MetricInfo info =
        wait_time("kueue_quota_reserved_wait_time_seconds", "Seconds from creation, or return to the queue, to quota.");
    return info;
}
const MetricInfo& admitted_seconds() {
    static const MetricInfo info =
        wait_time("kueue_admission_wait_time_seconds", "Seconds from creation, or return to the queue, to admission.");
    return info;
}
const MetricInfo& checks_seconds() {
    static const MetricInfo info =
        wait_time("kueue_admission_checks_wait_time_seconds", "Seconds from quota to admission.");
    return info;
}
const MetricInfo& ready_seconds() {
    static const MetricInfo info = wait_time(
        "kueue_ready_wait_time_seconds", "Seconds from creation, or return to the queue, until all pods are ready.");
    return info;
}
const MetricInfo& admitted_until_ready_seconds() {
    static const MetricInfo info =
        wait_time("kueue_admitted_until_ready_wait_time_seconds", "Seconds from admission until all pods are ready.");
    return info;
}
const MetricInfo& local_ready_seconds() {
    static const MetricInfo info =
        wait_time("kueue_local_queue_ready_wait_time_seconds",
                  "Seconds from creation, or return to the queue, until all pods are ready.");
    return info;
}
const MetricInfo& local_admitted_until_ready_seconds() {
    static const MetricInfo info = wait_time("kueue_local_queue_admitted_until_ready_wait_time_seconds",
                                             "Seconds from admission until all pods are ready.");
    return info;
}
const MetricInfo& eviction_seconds() {
    static const MetricInfo info =
        wait_time("kueue_workload_eviction_latency_seconds", "Seconds from eviction until quota was given back.");
    return info;
}
const MetricInfo& local_reserved_seconds() {
    static const MetricInfo info = wait_time("kueue_local_queue_quota_reserved_wait_time_seconds",
                                             "Seconds from creation, or return to the queue, to quota.");
    return info;
}
const MetricInfo& local_admitted_seconds() {
    static const MetricInfo info = wait_time("kueue_local_queue_admission_wait_time_seconds",
                                             "Seconds from creation, or return to the queue, to admission.");
    return info;
}
const MetricInfo& local_checks_seconds() {
    static const MetricInfo info =
        wait_time("kueue_local_queue_admission_checks_wait_time_seconds", "Seconds from quota to admission.");
    return info;
}

// Of a queue without a name there are none.
MetricLabels labels_of(const Text& cluster_queue) {
    if (cluster_queue.empty()) return {};
    return {{"cluster_queue", cluster_queue.str()}};
}
MetricLabels labels_of(const client::ObjectName& local_queue) {
    if (local_queue.name.empty()) return {};
    return {{"name", local_queue.name.str()}, {"namespace", local_queue.namespace_.str()}};
}
MetricLabels with_label(MetricLabels labels, const char* key, std::string_view value) {
    if (!labels.empty()) labels.emplace(key, value);
    return labels;
}
template <class Queue>
MetricLabels by_class(const Counted& in, const Queue& queue) {
    return with_label(labels_of(queue), "priority_class", in.priority_class);
}
MetricLabels with_slot(MetricLabels labels, Slot slot, const Names& names) {
    labels.emplace("flavor", names.flavor_name(names.flavor_of(slot)).str());
    labels.emplace("resource", names.resource_name(names.resource_of(slot)).str());
    return labels;
}
// From the nearest to the root.
MetricLabels with_cohorts(MetricLabels labels, const std::vector<Text>& cohorts) {
    labels.emplace("parent_cohort", cohorts.empty() ? std::string() : cohorts.front().str());
    labels.emplace("root_cohort", cohorts.empty() ? std::string() : cohorts.back().str());
    return labels;
}
double in_units(Amount amount, Slot slot, const Names& names) {
    return static_cast<double>(amount) / (names.resource_name(names.resource_of(slot)) == "cpu" ? 1000 : 1);
}

}  // namespace

AdmissionMetrics::~AdmissionMetrics() {
    for (Shown* shown : {&cluster_queues_, &local_queues_, &cohorts_})
        while (!shown->empty()) show(*shown, client::ObjectName(shown->begin()->first), {});
}

void AdmissionMetrics::show(Shown& of, const client::ObjectName& whose, const Gauges& gauges) {
    std::vector<Gauge>& shown = of[whose];
    for (const Gauge& before : shown)
        if (!gauges.contains(before)) metrics_.remove(*before.first, before.second);
    shown.clear();
    for (const auto& [gauge, value] : gauges) {
        metrics_.set(*gauge.first, gauge.second, value);
        shown.push_back(gauge);
    }
    if (shown.empty()) of.erase(whose);
}

void AdmissionMetrics::attempted(bool success, double seconds) {
    const MetricLabels labels{{"result", success ? "success" : "inadmissible"}};
    metrics_.count(kAttempts, labels);
    metrics_.observe(attempt_seconds(), labels, seconds);
}

void AdmissionMetrics::count(const MetricInfo& info, const MetricLabels& labels) {
    if (!labels.empty()) metrics_.count(info, labels);
}
void AdmissionMetrics::observe(const MetricInfo& info, const MetricLabels& labels, double value) {
    if (!labels.empty()) metrics_.observe(info, labels, value);
}

void AdmissionMetrics::reserved(const Counted& in, double waited) {
    count(kReservedTotal, by_class(in, in.cluster_queue));
    observe(reserved_seconds(), by_class(in, in.cluster_queue), waited);
    count(kLocalReservedTotal, by_class(in, in.local_queue));
    observe(local_reserved_seconds(), by_class(in, in.local_queue), waited);
}

void AdmissionMetrics::admitted(const Counted& in, double waited, double waited_for_checks) {
    count(kAdmittedTotal, by_class(in, in.cluster_queue));
    observe(admitted_seconds(), by_class(in, in.cluster_queue), waited);
    observe(checks_seconds(), by_class(in, in.cluster_queue), waited_for_checks);
    count(kLocalAdmittedTotal, by_class(in, in.local_queue));
    observe(local_admitted_seconds(), by_class(in, in.local_queue), waited);
    observe(local_checks_seconds(), by_class(in, in.local_queue), waited_for_checks);
    for (const Text& cohort : in.cohorts)
        count(kCohortAdmittedTotal, {{"cohort", cohort.str()}, {"priority_class", in.priority_class.str()}});
}

void AdmissionMetrics::evicted(const Counted& in, const Text& reason, const Text& cause, bool first) {
    const auto because = [&](MetricLabels labels) {
        return with_label(with_label(std::move(labels), "reason", reason), "underlying_cause", cause);
    };
    count(kEvictedTotal, because(by_class(in, in.cluster_queue)));
    count(kLocalEvictedTotal, because(by_class(in, in.local_queue)));
    if (first) count(kEvictedOnceTotal, because(by_class(in, in.cluster_queue)));
}

void AdmissionMetrics::gave_back(const Text& cluster_queue, const Text& reason, double seconds) {
    observe(eviction_seconds(), with_label(labels_of(cluster_queue), "reason", reason), seconds);
}

void AdmissionMetrics::ready(const Counted& in, double waited, double since_admission) {
    observe(ready_seconds(), by_class(in, in.cluster_queue), waited);
    observe(admitted_until_ready_seconds(), by_class(in, in.cluster_queue), since_admission);
    observe(local_ready_seconds(), by_class(in, in.local_queue), waited);
    observe(local_admitted_until_ready_seconds(), by_class(in, in.local_queue), since_admission);
}

void AdmissionMetrics::preempted(const Text& preempting_queue, std::string_view reason) {
    if (preempting_queue.empty()) return;
    count(kPreemptedTotal, {{"preempting_cluster_queue", preempting_queue.str()}, {"reason", std::string(reason)}});
}

void AdmissionMetrics::finished(const Counted& in) {
    count(kFinishedTotal, by_class(in, in.cluster_queue));
    count(kLocalFinishedTotal, by_class(in, in.local_queue));
}

void AdmissionMetrics::stands(const kueue::ClusterQueue& queue, bool active, const QueueCounts& counts,
                              const Share& share, const std::vector<Text>& cohorts, Names& names) {
    Gauges gauges;
    const auto set = [&](const MetricInfo& info, MetricLabels labels, double value) {
        gauges[{&info, std::move(labels)}] = value;
    };
    const MetricLabels own = labels_of(queue.metadata.name);
    set(kPendingWorkloads, with_label(own, "status", "active"), counts.pending);
    set(kPendingWorkloads, with_label(own, "status", "inadmissible"), counts.inadmissible);
    set(kReservingActive, own, counts.reserving);
    set(kAdmittedActive, own, counts.admitted);
    set(kQueueInfo, with_cohorts(own, cohorts), 1);
    for (const auto& [resource, amount] : counts.asked)
        set(kResourcePending, with_label(own, "resource", resource),
            static_cast<double>(amount) / (resource == "cpu" ? 1000 : 1));
    set(kQueueStatus, with_label(own, "status", "active"), active ? 1 : 0);
    set(kQueueStatus, with_label(own, "status", "pending"), active ? 0 : 1);
    const MetricLabels in_cohort = with_label(own, "cohort", queue.spec.cohort_name);
    set(kWeightedShare, in_cohort, share.value());
    for (const kueue::ResourceGroup& group : queue.spec.resource_groups) {
        for (const kueue::FlavorQuotas& flavor : group.flavors) {
            for (const kueue::ResourceQuota& quota : flavor.resources) {
                const Slot slot = names.slot(names.flavor(flavor.name), names.resource(quota.name));
                const MetricLabels labels = with_slot(in_cohort, slot, names);
                set(kResourceUsage, labels, in_units(QueueCounts::find(counts.used, slot), slot, names));
                set(kResourceReservation, labels, in_units(QueueCounts::find(counts.reserved, slot), slot, names));
                set(kNominalQuota, labels, quota.nominal_quota.approximate());
                if (quota.borrowing_limit) set(kBorrowingLimit, labels, quota.borrowing_limit->approximate());
                if (quota.lending_limit) set(kLendingLimit, labels, quota.lending_limit->approximate());
            }
        }
    }
    show(cluster_queues_, {Text(), queue.metadata.name}, gauges);
}

void AdmissionMetrics::stands(const kueue::LocalQueue& queue, bool active, const QueueCounts& counts,
                              const Names& names) {
    Gauges gauges;
    const auto set = [&](const MetricInfo& info, MetricLabels labels, double value) {
        gauges[{&info, std::move(labels)}] = value;
    };
    const client::ObjectName name = client::name_of(queue);
    const MetricLabels own = labels_of(name);
    set(kLocalPending, with_label(own, "status", "active"), counts.pending);
    set(kLocalPending, with_label(own, "status", "inadmissible"), counts.inadmissible);
    set(kLocalReserving, own, counts.reserving);
    set(kLocalAdmitted, own, counts.admitted);
    for (const bool value : {true, false})
        set(kLocalStatus, with_label(own, "active", value ? "True" : "False"), value == active ? 1 : 0);
    for (const Use& use : counts.reserved)
        set(kLocalReservation, with_slot(own, use.slot, names), in_units(use.amount, use.slot, names));
    for (const Use& use : counts.used)
        set(kLocalUsage, with_slot(own, use.slot, names), in_units(use.amount, use.slot, names));
    show(local_queues_, name, gauges);
}

void AdmissionMetrics::stands(const Text& cohort, const Usage& quota, const QueueCounts& counts, const Share& share,
                              const std::vector<Text>& above, const Names& names) {
    Gauges gauges;
    const auto set = [&](const MetricInfo& info, MetricLabels labels, double value) {
        gauges[{&info, std::move(labels)}] = value;
    };
    const MetricLabels own{{"cohort", cohort.str()}};
    MetricLabels place = with_cohorts(own, above);
    if (above.empty()) place["root_cohort"] = cohort.str();
    set(kCohortInfo, std::move(place), 1);
    set(kCohortShare, own, share.value());
    set(kCohortAdmitted, own, counts.admitted);
    for (const Use& use : quota)
        set(kCohortQuota, with_slot(own, use.slot, names), in_units(use.amount, use.slot, names));
    for (const Use& use : counts.reserved)
        set(kCohortReservations, with_slot(own, use.slot, names), in_units(use.amount, use.slot, names));
    show(cohorts_, {Text(), cohort}, gauges);
}

void AdmissionMetrics::forget_cluster_queue(const Text& name) {
    forget(cluster_queues_, {Text(), name});
    metrics_.forget({{"cluster_queue", name.str()}});
    metrics_.forget({{"preempting_cluster_queue", name.str()}});
}
void AdmissionMetrics::forget_local_queue(const client::ObjectName& name) {
    forget(local_queues_, name);
    metrics_.forget(labels_of(name));
}

void AdmissionMetrics::forget_cohorts(const std::map<Text, QueueCounts>& but) {
    std::vector<client::ObjectName> gone;
    for (const auto& [name, gauges] : cohorts_)
        if (!but.contains(name.name)) gone.push_back(name);
    for (const client::ObjectName& name : gone) {
        forget(cohorts_, name);
        metrics_.forget({{"cohort", name.name.str()}});
    }
}

}  // namespace muster::controllers::queue
