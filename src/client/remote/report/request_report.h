// What is told of each request to an API server: metrics under client-go's names (rest_client_*), and lines of the log
// as kubectl writes them (verbosity 6: what and how long; 8: with sizes). Paths and queries are told; headers and
// bodies never are. To be used on the loop only.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/instant.h"
#include "base/result.h"
#include "client/metrics.h"
#include "os/http/client/http_client.h"

namespace muster::client {

class RequestReport {
public:
    // `metrics` may be null, and must outlive it. `server` is the URL of the server.
    RequestReport(Metrics* metrics, std::string_view server);

    // For a place among the requests under way.
    void waited(const std::string& method, Duration span);
    // One try of a request has its answer. A stream has no size yet, and is not measured.
    void answered(const os::HttpClientRequest& request, int status, Duration took, std::size_t bytes);
    void opened(const os::HttpClientRequest& request, int status, Duration took);
    void failed(const os::HttpClientRequest& request, const Error& error, Duration took);

    // The URL as it may be logged: without the user and password that it may have.
    static std::string shown_server(std::string_view server);

private:
    void count(const std::string& method, const std::string& code);
    void log(const os::HttpClientRequest& request, int status, Duration took) const;

    Metrics* const metrics_;
    const std::string server_;
    const std::string host_;
    std::map<std::pair<std::string, std::string>, prometheus::Counter*> counters_;
    std::map<std::string, prometheus::Histogram*> durations_;
    std::map<std::string, prometheus::Histogram*> waits_;
};

}  // namespace muster::client
