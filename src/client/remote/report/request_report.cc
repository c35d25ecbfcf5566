#include "client/remote/report/request_report.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include "os/http/server/http_answer.h"
#include "os/log/log.h"

namespace muster::client {
namespace {

// client-go's buckets.
const std::vector<double>& request_spans() {
    static const std::vector<double> bounds{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
    return bounds;
}

std::string host_of(std::string_view server) {
    const std::size_t scheme = server.find("://");
    if (scheme != std::string_view::npos) server.remove_prefix(scheme + 3);
    return std::string(server.substr(0, server.find('/')));
}

std::string status_text(int status) {
    const std::string_view reason = os::reason_phrase(status);
    return std::to_string(status) + (reason.empty() ? "" : " " + std::string(reason));
}

std::int64_t milliseconds(Duration span) { return std::chrono::duration_cast<std::chrono::milliseconds>(span).count(); }
double fraction_seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

std::string RequestReport::shown_server(std::string_view server) {
    const std::size_t scheme = server.find("://");
    const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    const std::string_view host = server.substr(begin, server.find('/', begin) - begin);
    const std::size_t at = host.rfind('@');
    std::string shown(server.substr(0, begin));
    shown += server.substr(at == std::string_view::npos ? begin : begin + at + 1);
    while (shown.ends_with('/')) shown.pop_back();
    return shown;
}

RequestReport::RequestReport(Metrics* metrics, std::string_view server)
    : metrics_(metrics), server_(shown_server(server)), host_(host_of(server_)) {}

void RequestReport::waited(const std::string& method, Duration span) {
    if (!metrics_) return;
    prometheus::Histogram*& waits = waits_[method];
    if (!waits)
        waits = &metrics_->histogram({"rest_client_rate_limiter_duration_seconds",
                                      "How long a request waited for its turn before it was sent.", request_spans()},
                                     {{"verb", method}, {"host", host_}});
    waits->Observe(fraction_seconds(span));
}

void RequestReport::count(const std::string& method, const std::string& code) {
    if (!metrics_) return;
    prometheus::Counter*& counter = counters_[{method, code}];
    if (!counter)
        counter = &metrics_->counter({"rest_client_requests_total", "Requests, by the answer to them."},
                                     {{"method", method}, {"code", code}, {"host", host_}});
    counter->Increment();
}

void RequestReport::answered(const os::HttpClientRequest& request, int status, Duration took, std::size_t bytes) {
    count(request.method, std::to_string(status));
    if (metrics_) {
        prometheus::Histogram*& durations = durations_[request.method];
        if (!durations)
            durations = &metrics_->histogram({"rest_client_request_duration_seconds",
                                              "How long a request took until its answer was there.", request_spans()},
                                             {{"verb", request.method}, {"host", host_}});
        durations->Observe(fraction_seconds(took));
    }
    if (os::log_is_on(8))
        LOG_INFO(8, "Response", {"verb", request.method}, {"url", server_ + request.target},
                 {"status", status_text(status)}, {"milliseconds", milliseconds(took)},
                 {"requestBytes", request.body.size()}, {"responseBytes", bytes});
    else
        log(request, status, took);
}

void RequestReport::opened(const os::HttpClientRequest& request, int status, Duration took) {
    count(request.method, std::to_string(status));
    log(request, status, took);
}

void RequestReport::log(const os::HttpClientRequest& request, int status, Duration took) const {
    LOG_INFO(6, "Response", {"verb", request.method}, {"url", server_ + request.target},
             {"status", status_text(status)}, {"milliseconds", milliseconds(took)});
}

void RequestReport::failed(const os::HttpClientRequest& request, const Error& error, Duration took) {
    count(request.method, "<error>");
    LOG_INFO(6, "Request failed", {"verb", request.method}, {"url", server_ + request.target}, {"err", error.message},
             {"milliseconds", milliseconds(took)});
}

}  // namespace muster::client
