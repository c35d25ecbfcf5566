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

QueueMetrics::QueueMetrics(Metrics& metrics, const std::string& queue) : metrics_(&metrics) {
    const MetricLabels name{{"name", queue}};
    adds_ = &metrics.counter({"workqueue_adds_total", "Keys added to the queue."}, name);
    retries_ = &metrics.counter({"workqueue_retries_total", "Keys added again after a failure."}, name);
    depth_ = &metrics.gauge({"workqueue_depth", "Keys that wait to be worked on."}, name);
    waited_ = &metrics.histogram(
        {"workqueue_queue_duration_seconds", "How long a key waited before it was taken.", durations()}, name);
    worked_ =
        &metrics.histogram({"workqueue_work_duration_seconds", "How long the work on a key took.", durations()}, name);
    unfinished_ = &metrics.gauge(
        {"workqueue_unfinished_work_seconds", "How long the work that is under way has taken so far, all together."},
        name);
    longest_ = &metrics.gauge({"workqueue_longest_running_processor_seconds",
                               "How long the work on one key that is under way has taken so far, at most."},
                              name);
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

void QueueMetrics::set_unfinished(Duration sum, Duration longest) {
    if (unfinished_) unfinished_->Set(seconds(sum));
    if (longest_) longest_->Set(seconds(longest));
}
void QueueMetrics::add_refresh(std::function<void()> refresh) {
    if (metrics_) refresh_ = metrics_->add_refresh(std::move(refresh));
}
void QueueMetrics::forget_refresh() {
    if (metrics_) metrics_->forget_refresh(refresh_);
    set_unfinished({}, {});
}

}  // namespace muster::client
