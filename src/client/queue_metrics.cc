#include "client/queue_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace muster::client {
namespace {

const std::vector<double>& durations() {
    static const std::vector<double> bounds = exponential_buckets(1e-8, 10, 10);
    return bounds;
}

double seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

QueueMetrics::QueueMetrics(Metrics& metrics, const std::string& queue) {
    const MetricLabels name{{"name", queue}};
    adds_ = &metrics.counter({"workqueue_adds_total", "Keys added to the queue."}, name);
    retries_ = &metrics.counter({"workqueue_retries_total", "Keys added again after a failure."}, name);
    depth_ = &metrics.gauge({"workqueue_depth", "Keys that wait to be worked on."}, name);
    waited_ = &metrics.histogram(
        {"workqueue_queue_duration_seconds", "How long a key waited before it was taken.", durations()}, name);
    worked_ =
        &metrics.histogram({"workqueue_work_duration_seconds", "How long the work on a key took.", durations()}, name);
}

void QueueMetrics::added() {
    if (adds_) adds_->Increment();
}
void QueueMetrics::retried() {
    if (retries_) retries_->Increment();
}
void QueueMetrics::set_depth(std::size_t depth) {
    if (depth_) depth_->Set(static_cast<double>(depth));
}
void QueueMetrics::taken(Duration waited) {
    if (waited_) waited_->Observe(seconds(waited));
}
void QueueMetrics::worked(Duration took) {
    if (worked_) worked_->Observe(seconds(took));
}

}  // namespace muster::client
