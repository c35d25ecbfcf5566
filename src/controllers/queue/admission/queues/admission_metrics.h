// What admission counts, under Kueue's names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kinds/kueue/kueue.h"
#include "client/metrics.h"
#include "client/object_name.h"
#include "controllers/queue/admission/engine/engine.h"
#include "controllers/queue/admission/model/ledger.h"

namespace muster::controllers::queue {

// Where a workload is counted. In a queue without a name nothing is: the queue is gone, and what would be counted now
// would stay for ever.
struct Counted {
    Text cluster_queue{};
    client::ObjectName local_queue{};
    std::vector<Text> cohorts{};  // from the nearest to the root
    Text priority_class{};        // empty: none
};

class AdmissionMetrics {
public:
    explicit AdmissionMetrics(client::Metrics& metrics) : metrics_(metrics) {}
    // Gauges are those of a controller that is at work.
    ~AdmissionMetrics();
    AdmissionMetrics(const AdmissionMetrics&) = delete;
    AdmissionMetrics& operator=(const AdmissionMetrics&) = delete;

    void attempted(bool success, double seconds);
    void reserved(const Counted& in, double waited);
    void admitted(const Counted& in, double waited, double waited_for_checks);
    // `first`: for this reason and cause.
    void evicted(const Counted& in, const Text& reason, const Text& cause, bool first);
    // Quota was given back so long after the eviction.
    void gave_back(const Text& cluster_queue, const Text& reason, double seconds);
    // All pods are ready for the first time, so long after creation or return to the queue, and after admission.
    void ready(const Counted& in, double waited, double since_admission);
    void preempted(const Text& preempting_queue, std::string_view reason);
    void finished(const Counted& in);
    // How a queue or a cohort stands. What it had before and has no longer goes, a limit or a flavor.
    // `cohorts` are those above it, from the nearest to the root.
    void stands(const api::kueue::ClusterQueue& queue, bool active, const QueueCounts& counts, const Share& share,
                const std::vector<Text>& cohorts, Names& names);
    void stands(const api::kueue::LocalQueue& queue, bool active, const QueueCounts& counts, const Names& names);
    // `quota` of it and all below it, `counts` of all queues below it.
    void stands(const Text& cohort, const Usage& quota, const QueueCounts& counts, const Share& share,
                const std::vector<Text>& above, const Names& names);
    void forget_cluster_queue(const Text& name);
    void forget_local_queue(const client::ObjectName& name);
    // All cohorts but these.
    void forget_cohorts(const std::map<Text, QueueCounts>& but);

private:
    using Gauge = std::pair<const client::MetricInfo*, client::MetricLabels>;
    using Gauges = std::map<Gauge, double>;
    using Shown = std::map<client::ObjectName, std::vector<Gauge>>;

    // Nothing without labels.
    void count(const client::MetricInfo& info, const client::MetricLabels& labels);
    void observe(const client::MetricInfo& info, const client::MetricLabels& labels, double value);
    void show(Shown& of, const client::ObjectName& whose, const Gauges& gauges);
    void forget(Shown& of, const client::ObjectName& whose) { show(of, whose, {}); }

    client::Metrics& metrics_;
    Shown cluster_queues_;
    Shown local_queues_;
    Shown cohorts_;
};

}  // namespace muster::controllers::queue
