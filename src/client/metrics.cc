#include "client/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace muster::client {

struct Metrics::State {
    prometheus::Registry registry;
    std::map<std::string, prometheus::Family<prometheus::Counter>*> counters;
    std::map<std::string, prometheus::Family<prometheus::Gauge>*> gauges;
    std::map<std::string, prometheus::Family<prometheus::Histogram>*> histograms;
    std::map<int, std::function<void()>> refreshes;
    int last_refresh = 0;
};

std::vector<double> exponential_buckets(double start, double factor, int count) {
    std::vector<double> buckets;
    for (double bound = start; count > 0; bound *= factor, --count) buckets.push_back(bound);
    return buckets;
}

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

prometheus::Counter& Metrics::counter(const MetricInfo& info, const MetricLabels& labels) {
    auto*& family = state_->counters[info.name];
    if (!family) family = &prometheus::BuildCounter().Name(info.name).Help(info.help).Register(state_->registry);
    return family->Add(labels);
}

prometheus::Gauge& Metrics::gauge(const MetricInfo& info, const MetricLabels& labels) {
    auto*& family = state_->gauges[info.name];
    if (!family) family = &prometheus::BuildGauge().Name(info.name).Help(info.help).Register(state_->registry);
    return family->Add(labels);
}

prometheus::Histogram& Metrics::histogram(const MetricInfo& info, const MetricLabels& labels) {
    auto*& family = state_->histograms[info.name];
    if (!family) family = &prometheus::BuildHistogram().Name(info.name).Help(info.help).Register(state_->registry);
    return family->Add(labels, info.buckets);
}

void Metrics::count(const MetricInfo& info, const MetricLabels& labels, double by) {
    counter(info, labels).Increment(by);
}
void Metrics::set(const MetricInfo& info, const MetricLabels& labels, double value) { gauge(info, labels).Set(value); }
void Metrics::add(const MetricInfo& info, const MetricLabels& labels, double by) { gauge(info, labels).Increment(by); }
void Metrics::observe(const MetricInfo& info, const MetricLabels& labels, double value) {
    histogram(info, labels).Observe(value);
}

void Metrics::remove(const MetricInfo& info, const MetricLabels& labels) {
    prometheus::Gauge& gone = gauge(info, labels);
    state_->gauges[info.name]->Remove(&gone);
}

int Metrics::add_refresh(std::function<void()> refresh) {
    state_->refreshes.emplace(++state_->last_refresh, std::move(refresh));
    return state_->last_refresh;
}
void Metrics::forget_refresh(int id) { state_->refreshes.erase(id); }

std::string Metrics::format() const {
    for (const auto& [id, refresh] : state_->refreshes) refresh();
    return prometheus::TextSerializer().Serialize(state_->registry.Collect());
}

}  // namespace muster::client
