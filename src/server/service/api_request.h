// One request on its way through the API server, and what its route says of it. Included by the sources of ApiService
// alone.
#pragma once

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
    store::Revision seen = 0;               // by what said that they may

    Call& call() { return incoming.call; }
    const Call& call() const { return incoming.call; }
    const User& user() const { return impersonation ? impersonation->user : authentication.user; }
};

}  // namespace muster::server
