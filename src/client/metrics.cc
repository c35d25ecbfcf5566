#include "client/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>

namespace muster::client {

namespace {

// A metric's series, by their labels.
template <class T>
struct Series {
    prometheus::Family<T>* family = nullptr;
    std::map<MetricLabels, T*> by_labels{};

    template <class Builder>
    void declare(const MetricInfo& info, prometheus::Registry& registry, Builder (*build)()) {
        if (!family) family = &build().Name(info.name).Help(info.help).Register(registry);
    }
    template <class... Args>
    T& at(const MetricLabels& labels, const Args&... args) {
        T*& found = by_labels[labels];
        if (!found) found = &family->Add(labels, args...);
        return *found;
    }
    // The labels, unless there are too many others.
    MetricLabels bounded(const MetricLabels& labels) const {
        MetricLabels bounded = labels;
        if (by_labels.size() >= Metrics::kSeriesMax && !by_labels.contains(labels))
            for (auto& [name, value] : bounded) value = "other";
        return bounded;
    }
    void remove(const MetricLabels& labels) {
        const auto found = by_labels.find(labels);
        if (found == by_labels.end()) return;
        family->Remove(found->second);
        by_labels.erase(found);
    }
    void forget(const MetricLabels& with) {
        for (auto one = by_labels.begin(); one != by_labels.end();) {
            const MetricLabels& labels = one->first;
            const bool has_all = std::all_of(with.begin(), with.end(), [&](const auto& wanted) {
                const auto label = labels.find(wanted.first);
                return label != labels.end() && label->second == wanted.second;
            });
            if (has_all) family->Remove(one->second);
            one = has_all ? by_labels.erase(one) : std::next(one);
        }
    }
};

}  // namespace

struct Metrics::State {
    prometheus::Registry registry;
    std::map<std::string, Series<prometheus::Counter>> counters;
    std::map<std::string, Series<prometheus::Gauge>> gauges;
    std::map<std::string, Series<prometheus::Histogram>> histograms;
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
    auto& series = state_->counters[info.name];
    series.declare(info, state_->registry, prometheus::BuildCounter);
    return series.at(series.bounded(labels));
}

prometheus::Gauge& Metrics::gauge(const MetricInfo& info, const MetricLabels& labels) {
    auto& series = state_->gauges[info.name];
    series.declare(info, state_->registry, prometheus::BuildGauge);
    return series.at(labels);
}

prometheus::Histogram& Metrics::histogram(const MetricInfo& info, const MetricLabels& labels) {
    auto& series = state_->histograms[info.name];
    series.declare(info, state_->registry, prometheus::BuildHistogram);
    return series.at(series.bounded(labels), info.buckets);
}

void Metrics::count(const MetricInfo& info, const MetricLabels& labels, double by) {
    counter(info, labels).Increment(by);
}
void Metrics::set(const MetricInfo& info, const MetricLabels& labels, double value) { gauge(info, labels).Set(value); }
void Metrics::add(const MetricInfo& info, const MetricLabels& labels, double by) { gauge(info, labels).Increment(by); }
void Metrics::observe(const MetricInfo& info, const MetricLabels& labels, double value) {
    histogram(info, labels).Observe(value);
}

void Metrics::remove(const MetricInfo& info, const MetricLabels& labels) { state_->gauges[info.name].remove(labels); }

void Metrics::forget(const MetricLabels& labels) {
    for (auto& [name, series] : state_->counters) series.forget(labels);
    for (auto& [name, series] : state_->gauges) series.forget(labels);
    for (auto& [name, series] : state_->histograms) series.forget(labels);
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
