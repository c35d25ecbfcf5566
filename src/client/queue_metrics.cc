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

// A watch that brought nothing and ended so soon is short.
constexpr Duration kShortWatch = 1s;

const std::vector<double>& list_spans() {
    static const std::vector<double> bounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
    return bounds;
}
// Servers end a watch after five to ten minutes.
const std::vector<double>& watch_spans() {
    static const std::vector<double> bounds{0.1, 1, 5, 10, 30, 60, 120, 300, 600};
    return bounds;
}
const std::vector<double>& item_counts() {
    static const std::vector<double> bounds = exponential_buckets(1, 10, 7);
    return bounds;
}

double seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

QueueMetrics::QueueMetrics(Metrics& metrics, const std::string& queue) : metrics_(&metrics), name_(queue) {
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

void QueueMetrics::add_report(std::string_view topic, Inspection::Report report) {
    if (!metrics_) return;
    const auto named = [name = name_, report = std::move(report)](Inspection::Rows& rows) {
        std::size_t row = rows.size();
        report(rows);
        for (; row < rows.size(); ++row) rows[row].insert(rows[row].begin(), os::LogField{"queue", name});
    };
    reports_.push_back(metrics_->inspection().add(topic, named));
}
void QueueMetrics::forget_reports() {
    for (const int report : reports_) metrics_->inspection().forget(report);
    reports_.clear();
}

ReflectorMetrics::ReflectorMetrics(Metrics* metrics, const std::string& name) {
    if (!metrics) return;
    const MetricLabels labels{{"name", name}};
    lists_ = &metrics->counter({"reflector_lists_total", "Lists that were read."}, labels);
    list_seconds_ = &metrics->histogram(
        {"reflector_list_duration_seconds", "How long a list took to be read and decoded.", list_spans()}, labels);
    list_items_ = &metrics->histogram({"reflector_items_per_list", "Objects of a list.", item_counts()}, labels);
    watches_ = &metrics->counter({"reflector_watches_total", "Watches that have ended."}, labels);
    short_watches_ = &metrics->counter(
        {"reflector_short_watches_total", "Watches that ended within a second and brought nothing."}, labels);
    watch_seconds_ =
        &metrics->histogram({"reflector_watch_duration_seconds", "How long a watch lasted.", watch_spans()}, labels);
    watch_items_ = &metrics->histogram({"reflector_items_per_watch", "Events of a watch.", item_counts()}, labels);
    version_ = &metrics->gauge({"reflector_last_resource_version", "The last resource version that was seen."}, labels);
}

void ReflectorMetrics::listed(Duration took, std::size_t items) {
    if (!lists_) return;
    lists_->Increment();
    list_seconds_->Observe(seconds(took));
    list_items_->Observe(static_cast<double>(items));
}

void ReflectorMetrics::watched(Duration took, std::size_t events) {
    if (!watches_) return;
    watches_->Increment();
    if (took < kShortWatch && events == 0) short_watches_->Increment();
    watch_seconds_->Observe(seconds(took));
    watch_items_->Observe(static_cast<double>(events));
}

void ReflectorMetrics::set_version(std::uint64_t version) {
    if (version_) version_->Set(static_cast<double>(version));
}

}  // namespace muster::client
