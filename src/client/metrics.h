// What controllers count, under the names that dashboards know. A metric is declared once as a MetricInfo beside the
// code that counts; /metrics prints them all.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/report/inspection.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace muster::client {

struct MetricInfo {
    const char* name;
    const char* help;
    std::vector<double> buckets{};  // of a histogram
};

using MetricLabels = std::map<std::string, std::string>;

// start, start*factor, … as many as count.
std::vector<double> exponential_buckets(double start, double factor, int count);

class Metrics {
public:
    Metrics();
    ~Metrics();

    // The same one for the same labels; it lives as long as this does, or until it is removed. Labels may come from
    // users, so a counter or histogram has at most kSeriesMax series, and one more for all that come later, whose
    // labels say "other".
    static constexpr std::size_t kSeriesMax = 10'000;
    prometheus::Counter& counter(const MetricInfo& info, const MetricLabels& labels = {});
    prometheus::Gauge& gauge(const MetricInfo& info, const MetricLabels& labels = {});
    prometheus::Histogram& histogram(const MetricInfo& info, const MetricLabels& labels = {});

    // For where the cost of finding it does not matter.
    void count(const MetricInfo& info, const MetricLabels& labels, double by = 1);
    void set(const MetricInfo& info, const MetricLabels& labels, double value);
    void add(const MetricInfo& info, const MetricLabels& labels, double by);  // to a gauge
    void observe(const MetricInfo& info, const MetricLabels& labels, double value);
    // Ends a metric whose object is gone; no reference to it may be kept.
    void remove(const MetricInfo& info, const MetricLabels& labels);
    // Ends all series with these among their labels, as their object is deleted. References to them are invalid then.
    void forget(const MetricLabels& labels);

    // Called before each reading, for what is worked out only then. Until forget_refresh() with what this gave.
    int add_refresh(std::function<void()> refresh);
    void forget_refresh(int id);

    // In Prometheus' text format.
    std::string format() const;

    // What the same parts tell in words.
    Inspection& inspection() { return inspection_; }
    const Inspection& inspection() const { return inspection_; }

private:
    struct State;
    std::unique_ptr<State> state_;
    Inspection inspection_;
};

}  // namespace muster::client
