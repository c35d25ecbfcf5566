#include "server/rest/deadline.h"

#include <algorithm>

#include "api/value/span.h"

namespace muster::server {

bool is_long_running(const Route& route) {
    static constexpr std::string_view kParts[] = {"attach", "exec", "log", "portforward", "proxy"};
    if (!route.is_resource) return route.path == kBackupPath;
    return route.verb == "watch" || std::ranges::find(kParts, route.subresource) != std::end(kParts);
}

Result<Duration> parse_timeout(const Query& query, Duration longest) {
    const std::string_view asked = query.get("timeout");
    if (asked.empty()) return longest;
    const Result<api::Span> timeout = api::Span::parse(asked);
    if (!timeout.ok())
        return Error{Code::kBadRequest, "invalid timeout specified in the request URL - " + timeout.error().message};
    const Duration wanted = timeout->duration();
    return wanted > Duration::zero() && wanted < longest ? wanted : longest;
}

Error timed_out() { return {Code::kTimeout, "Timeout: request did not complete within the allotted timeout"}; }

}  // namespace muster::server
