// What work queues and the sources of mirrors count, under upstream's names (workqueue_*, reflector_*). They count
// nothing when made without metrics.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/instant.h"
#include "client/metrics.h"

namespace muster::client {

class QueueMetrics {
public:
    QueueMetrics() = default;
    // `metrics` must outlive it.
    QueueMetrics(Metrics& metrics, const std::string& queue);

    void added();
    void retried();
    void set_depth(std::size_t depth);
    void taken(Duration waited);
    void worked(Duration took);
    // Taken and not done yet: all their times together, and the longest.
    void set_unfinished(Duration sum, Duration longest);
    // `refresh` is called before the metrics are read, and calls set_unfinished(); until forget_refresh(),
    // after which nothing is under way.
    void add_refresh(std::function<void()> refresh);
    void forget_refresh();
    // Tells of the queue under a topic (client/report/inspection.h) until forget_reports(). The rows of `report` are
    // about this queue, whose name they get.
    void add_report(std::string_view topic, Inspection::Report report);
    void forget_reports();
    const std::string& name() const { return name_; }

private:
    Metrics* metrics_ = nullptr;
    std::string name_;
    int refresh_ = 0;
    std::vector<int> reports_;
    prometheus::Counter* adds_ = nullptr;
    prometheus::Counter* retries_ = nullptr;
    prometheus::Gauge* depth_ = nullptr;
    prometheus::Histogram* waited_ = nullptr;
    prometheus::Histogram* worked_ = nullptr;
    prometheus::Gauge* unfinished_ = nullptr;
    prometheus::Gauge* longest_ = nullptr;
};

class ReflectorMetrics {
public:
    ReflectorMetrics() = default;
    // `metrics` must outlive it; null: nothing is counted.
    ReflectorMetrics(Metrics* metrics, const std::string& name);

    void listed(Duration took, std::size_t items);
    // A watch has ended after so many events.
    void watched(Duration took, std::size_t events);
    void set_version(std::uint64_t version);

private:
    prometheus::Counter* lists_ = nullptr;
    prometheus::Histogram* list_seconds_ = nullptr;
    prometheus::Histogram* list_items_ = nullptr;
    prometheus::Counter* watches_ = nullptr;
    prometheus::Counter* short_watches_ = nullptr;
    prometheus::Histogram* watch_seconds_ = nullptr;
    prometheus::Histogram* watch_items_ = nullptr;
    prometheus::Gauge* version_ = nullptr;
};

}  // namespace muster::client
