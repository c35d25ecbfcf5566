// What a process of controllers serves beside its work:
//     plain HTTP   /livez  /readyz  /healthz                                       for the kubelet
//     HTTPS        /metrics  /debug/mirrors  /debug/unseen  /debug/queues          for who may get the path
// /livez is answered off the loop, so that it tells of a loop that hangs. The rest is computed on the loop. All limits
// are small: few connections, no bodies, short times, so that a slow client holds nothing but its own connection.
// Made, used and destroyed on the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/report/inspection.h"
#include "endpoints/access_gate.h"
#include "endpoints/health.h"
#include "os/http/server/http_server.h"
#include "os/loop/loop.h"

namespace muster::endpoints {

enum class MetricsAuth { kToken, kNone };
// "token" or "none"; kBadRequest names what there is.
Result<MetricsAuth> parse_metrics_auth(std::string_view text);
// ":8081" is that port of all addresses, "0" and "" turn the endpoint off. kBadRequest names the flag.
Result<std::optional<os::Address>> parse_bind_address(const std::string& flag, const std::string& text);

struct EndpointsOptions {
    std::optional<os::Address> health{};
    std::optional<os::Address> metrics{};
    MetricsAuth auth = MetricsAuth::kToken;
    os::TlsIdentity identity{};  // of the HTTPS endpoint
    // All are called on the loop. Of /readyz; /livez has the loop's own.
    std::vector<HealthCheck> ready{};
    // In Prometheus' text format.
    std::function<std::string()> metrics_text = [] { return std::string(); };
    // The rows of a topic (client/report/inspection.h).
    std::function<client::Inspection::Rows(std::string_view topic)> inspect = [](std::string_view) {
        return client::Inspection::Rows();
    };
    AccessTimes times{};
};

class Endpoints {
public:
    // Both must outlive it, and what the options refer to. `reviewer` asks the API server who may read; it may be null
    // without MetricsAuth::kToken. kBadRequest for an identity that cannot be used, else why an address cannot be
    // listened at.
    static Result<std::unique_ptr<Endpoints>> start(os::Loop& loop, client::Client* reviewer, EndpointsOptions options);
    virtual ~Endpoints() = default;

    // Where they are, with the ports that were chosen; nothing when turned off.
    virtual std::optional<os::Address> health_address() const = 0;
    virtual std::optional<os::Address> metrics_address() const = 0;
    // A renewed certificate, for connections made from now on.
    virtual Result<> replace_identity(const os::TlsIdentity& identity) = 0;
};

}  // namespace muster::endpoints
