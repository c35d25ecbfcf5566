// One request on its way through the API server, and what its route says of it. Included by the sources of ApiService
// alone.
#pragma once

#include <algorithm>

#include "os/loop/guard.h"
#include "server/access/impersonation_check.h"
#include "server/rest/failure.h"
#include "server/rest/incoming.h"
#include "server/service/api_service.h"

namespace muster::server {

// What metrics and the audit log say of a request that was not run because its client had disconnected.
inline constexpr int kClientClosedRequest = 499;

Attributes attributes_of_route(const Route& route);
bool is_write(const Route& route);
// Where the client reached us: what it called us is what it can use again.
std::string address_of(const os::HttpRequest& request);

// One request on its way through.
struct ApiService::Request {
    std::unique_ptr<os::HttpExchange> exchange;
    Authentication authentication{};
    std::optional<Impersonation> impersonation{};
    Incoming incoming{};
    std::string flow{};
    FlowTicket ticket = 0;
    std::string body{};  // until it is decoded
    std::uint64_t number = 0;
    Instant received{};
    std::optional<Duration> began{};  // by uptime
    std::optional<Error> refusal{};   // found before the loop heard of it
    bool authenticated = true;
    bool allowed = true;
    std::string reason{};                   // why they may or may not
    std::optional<Duration> deadline{};     // by uptime; none for what runs long
    os::TimerId late_timer = 0;             // while it waits
    bool answered = false;                  // its deadline passed while it waited
    std::optional<Duration> waits_until{};  // for a version to come, by uptime
    store::Revision seen = 0;               // the newest that was read for it

    Call& call() { return incoming.call; }
    const Call& call() const { return incoming.call; }
    const User& user() const { return impersonation ? impersonation->user : authentication.user; }
};

// Calls what reads for a request, and notes what its answer depends on. An exception is an error of this request.
template <class Read>
auto ApiService::reading(Request& request, Read read) const {
    const store::ReadScope reads(services_.objects.store());
    auto result = os::attempt(read);
    request.seen = std::max(request.seen, reads.seen());
    return result;
}

}  // namespace muster::server
