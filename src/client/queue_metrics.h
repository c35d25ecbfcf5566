// What a work queue counts, under upstream's names (workqueue_*). Counts nothing when made without metrics.
#pragma once

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

private:
    prometheus::Counter* adds_ = nullptr;
    prometheus::Counter* retries_ = nullptr;
    prometheus::Gauge* depth_ = nullptr;
    prometheus::Histogram* waited_ = nullptr;
    prometheus::Histogram* worked_ = nullptr;
};

}  // namespace muster::client
