// What a work queue counts, under upstream's names (workqueue_*). Counts nothing when made without metrics.
#pragma once

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

private:
    Metrics* metrics_ = nullptr;
    int refresh_ = 0;
    prometheus::Counter* adds_ = nullptr;
    prometheus::Counter* retries_ = nullptr;
    prometheus::Gauge* depth_ = nullptr;
    prometheus::Histogram* waited_ = nullptr;
    prometheus::Histogram* worked_ = nullptr;
    prometheus::Gauge* unfinished_ = nullptr;
    prometheus::Gauge* longest_ = nullptr;
};

}  // namespace muster::client
