// How clients come to talk to a command or a container: what they ask for, and the protocol that both speak. That is
// v5.channel.k8s.io or v4.channel.k8s.io over a WebSocket, or, with kubectl before 1.31, the latter over SPDY/3.1.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/kinds/status.h"
#include "os/http.h"
#include "server/negotiation/target.h"
#include "server/rest/node_access.h"

namespace muster::server {

enum class Channel : std::uint8_t {
    kInput = 0,
    kOutput = 1,
    kErrors = 2,
    kStatus = 3,  // how it ended
    kResize = 4,
    kClose = 255,  // of v5: the next byte names the stream that has ended
};

enum class Protocol { kWebSocketV5, kWebSocketV4, kSpdy };

// What the query asks for. kBadRequest when it asks for nothing, or for no command.
Result<SessionRequest> parse_session_request(const Query& query, bool needs_command);

// The head that goes over to the protocol that both speak best. kBadRequest, and what to do about it, when there is
// none.
struct Upgrade {
    os::HttpResponse head{};
    Protocol protocol = Protocol::kWebSocketV5;
};
Result<Upgrade> negotiate_upgrade(const os::HttpRequest& request);
// The same for the forwarding of ports: SPDY, as it is or in a WebSocket.
Result<Upgrade> negotiate_port_forward(const os::HttpRequest& request);

// Columns and rows of {"Width":80,"Height":24}; nothing when it is not that.
std::optional<std::pair<int, int>> parse_terminal_size(std::string_view text);

// What the status channel says of an exit code, or of what could not be run.
std::string format_session_end(const Result<int>& end);

}  // namespace muster::server
