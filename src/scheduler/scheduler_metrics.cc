#include "scheduler/scheduler_metrics.h"

#include <prometheus/histogram.h>

#include <chrono>

namespace muster::scheduler {
namespace {

using client::MetricInfo;

const MetricInfo kPendingPods{"scheduler_pending_pods", "Number of pending pods, by the queue type."};
const MetricInfo kScheduleAttempts{"scheduler_schedule_attempts_total",
                                   "Number of attempts to schedule pods, by the result."};
const MetricInfo kPreemptionVictims{"scheduler_preemption_victims_total", "Pods removed to make room for others."};
const MetricInfo& attempt_duration() {
    static const MetricInfo info{"scheduler_scheduling_attempt_duration_seconds",
                                 "Latency of scheduling attempts: a round's time, shared out among its pods.",
                                 client::exponential_buckets(0.000001, 4, 12)};
    return info;
}

client::MetricLabels with_result(const char* result) { return {{"profile", "default-scheduler"}, {"result", result}}; }

}  // namespace

void count_attempts(client::Metrics& metrics, std::size_t scheduled, std::size_t unschedulable, Duration took) {
    const std::size_t attempts = scheduled + unschedulable;
    if (attempts == 0) return;
    const double each = std::chrono::duration<double>(took).count() / static_cast<double>(attempts);
    const auto add = [&](const char* result, std::size_t count) {
        if (count == 0) return;
        metrics.count(kScheduleAttempts, with_result(result), static_cast<double>(count));
        prometheus::Histogram& histogram = metrics.histogram(attempt_duration(), with_result(result));
        for (std::size_t i = 0; i < count; ++i) histogram.Observe(each);
    };
    add("scheduled", scheduled);
    add("unschedulable", unschedulable);
}

void count_errors(client::Metrics& metrics, std::size_t errors) {
    metrics.count(kScheduleAttempts, with_result("error"), static_cast<double>(errors));
}

void count_victim(client::Metrics& metrics) { metrics.count(kPreemptionVictims, {}); }

void show_pending(client::Metrics& metrics, std::size_t active, std::size_t unschedulable) {
    metrics.set(kPendingPods, {{"queue", "active"}}, static_cast<double>(active));
    metrics.set(kPendingPods, {{"queue", "unschedulable"}}, static_cast<double>(unschedulable));
}

}  // namespace muster::scheduler
