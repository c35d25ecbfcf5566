#include "server/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "os/machine/memory.h"

namespace muster::server {
namespace {

using prometheus::Labels;

// As upstream's, from 5 ms to a minute.
const prometheus::Histogram::BucketBoundaries kSeconds = {0.001, 0.0025, 0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6,
                                                          0.8,   1.0,    1.25,  1.5,   2,    3,   4,   5,   6,
                                                          8,     10,     15,    20,    30,   45,  60};

// The verbs that there are; whatever else a client writes before its path is one.
std::string verb_label(std::string_view verb) {
    constexpr std::string_view kKnown[] = {
        "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "post", "put"};
    if (std::find(std::begin(kKnown), std::end(kKnown), verb) == std::end(kKnown)) return "OTHER";
    std::string out(verb);
    for (char& c : out) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return out;
}

std::string scope_of(const Route& route) {
    if (!route.is_resource) return "";
    if (!route.name.empty()) return "resource";
    return route.namespace_.empty() ? "cluster" : "namespace";
}

// All unknown paths share one set of labels, so that requests for random paths cannot fill the memory.
Labels labels_of(const Route& route) {
    if (!route.is_resource)
        return {{"verb", verb_label(route.verb)},
                {"group", ""},
                {"version", ""},
                {"resource", ""},
                {"subresource", ""},
                {"scope", ""}};
    const bool known = route.served != nullptr && (route.subresource.empty() || route.part);
    return {{"verb", verb_label(route.verb)},
            {"group", known ? route.group : ""},
            {"version", known ? route.version : ""},
            {"resource", known ? route.resource : "unknown"},
            {"subresource", known ? route.subresource : ""},
            {"scope", scope_of(route)}};
}

}  // namespace

struct ServerMetrics::Families {
    // Looking a series up by its labels costs ten allocations and, for a histogram, another of its kind.
    struct Series {
        prometheus::Histogram* latency = nullptr;
        std::map<int, prometheus::Counter*> by_code{};
    };
    using Key = std::tuple<std::string, bool, const void*, const void*, std::string>;  // whatever labels come from
    std::map<Key, Series> series;

    prometheus::Registry registry;
    prometheus::Family<prometheus::Counter>& requests =
        prometheus::BuildCounter()
            .Name("apiserver_request_total")
            .Help("Requests answered, by what they asked for and the code.")
            .Register(registry);
    prometheus::Family<prometheus::Histogram>& latency =
        prometheus::BuildHistogram()
            .Name("apiserver_request_duration_seconds")
            .Help("Time from a request's arrival on the loop to its answer.")
            .Register(registry);
    prometheus::Family<prometheus::Gauge>& inflight = prometheus::BuildGauge()
                                                          .Name("apiserver_current_inflight_requests")
                                                          .Help("Requests under way.")
                                                          .Register(registry);
    prometheus::Family<prometheus::Gauge>& queued = prometheus::BuildGauge()
                                                        .Name("apiserver_current_inqueue_requests")
                                                        .Help("Requests that wait for their turn.")
                                                        .Register(registry);
    prometheus::Family<prometheus::Gauge>& long_running =
        prometheus::BuildGauge().Name("apiserver_longrunning_requests").Help("Watches under way.").Register(registry);
    prometheus::Family<prometheus::Gauge>& objects =
        prometheus::BuildGauge().Name("muster_store_objects").Help("Objects in the store.").Register(registry);
    prometheus::Family<prometheus::Gauge>& stored = prometheus::BuildGauge()
                                                        .Name("apiserver_storage_objects")
                                                        .Help("Objects in the store, by resource.")
                                                        .Register(registry);
    prometheus::Family<prometheus::Gauge>& revision =
        prometheus::BuildGauge().Name("muster_store_revision").Help("The newest revision.").Register(registry);
    prometheus::Family<prometheus::Gauge>& history = prometheus::BuildGauge()
                                                         .Name("muster_store_history_events")
                                                         .Help("Events kept for watches.")
                                                         .Register(registry);
    prometheus::Family<prometheus::Gauge>& buffered =
        prometheus::BuildGauge()
            .Name("muster_buffered_bytes")
            .Help("Kept for clients: requests, answers, events for watches and their history.")
            .Register(registry);
    prometheus::Family<prometheus::Gauge>& waiting = prometheus::BuildGauge()
                                                         .Name("muster_store_waiting_changes")
                                                         .Help("Changes that are not on disk yet.")
                                                         .Register(registry);
    prometheus::Family<prometheus::Gauge>& history_bytes = prometheus::BuildGauge()
                                                               .Name("muster_store_history_bytes")
                                                               .Help("Memory that only events kept for watches need.")
                                                               .Register(registry);
    prometheus::Family<prometheus::Gauge>& waiting_bytes = prometheus::BuildGauge()
                                                               .Name("muster_store_waiting_bytes")
                                                               .Help("Bytes of changes that are not on disk yet.")
                                                               .Register(registry);
    prometheus::Family<prometheus::Gauge>& resident = prometheus::BuildGauge()
                                                          .Name("process_resident_memory_bytes")
                                                          .Help("Resident memory of the process.")
                                                          .Register(registry);
};

ServerMetrics::ServerMetrics() : families_(std::make_unique<Families>()) {}
ServerMetrics::~ServerMetrics() = default;

void ServerMetrics::observe_request(const Route& route, int code, Duration latency, bool is_watch) {
    const bool known = route.is_resource && route.served != nullptr && (route.subresource.empty() || route.part);
    Families::Series& series =
        families_->series[{verb_label(route.verb), route.is_resource, known ? route.served : nullptr,
                           known ? route.part : nullptr, scope_of(route)}];
    if (!is_watch && !series.latency) series.latency = &families_->latency.Add(labels_of(route), kSeconds);
    if (!is_watch) series.latency->Observe(std::chrono::duration<double>(latency).count());
    prometheus::Counter*& count = series.by_code[code];
    if (!count) {
        Labels labels = labels_of(route);
        labels.emplace("code", std::to_string(code));
        count = &families_->requests.Add(labels);
    }
    count->Increment();
}

std::string ServerMetrics::format(const Now& now) {
    const auto set = [](prometheus::Family<prometheus::Gauge>& family, const Labels& labels, double value) {
        family.Add(labels).Set(value);
    };
    set(families_->inflight, {{"request_kind", "readOnly"}}, static_cast<double>(now.reads));
    set(families_->inflight, {{"request_kind", "mutating"}}, static_cast<double>(now.writes));
    set(families_->queued, {}, static_cast<double>(now.waiting));
    set(families_->long_running, {{"verb", "WATCH"}}, static_cast<double>(now.watches));
    set(families_->objects, {}, static_cast<double>(now.store.objects));
    for (const auto& [resource, count] : now.stored)
        set(families_->stored, {{"resource", resource}}, static_cast<double>(count));
    set(families_->revision, {}, static_cast<double>(now.revision));
    set(families_->history, {}, static_cast<double>(now.store.history_events));
    set(families_->buffered, {}, static_cast<double>(now.buffered));
    set(families_->waiting, {}, static_cast<double>(now.store.waiting_changes));
    set(families_->history_bytes, {}, static_cast<double>(now.store.history_bytes));
    set(families_->waiting_bytes, {}, static_cast<double>(now.store.waiting_bytes));
    set(families_->resident, {}, static_cast<double>(os::resident_bytes()));
    return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace muster::server
