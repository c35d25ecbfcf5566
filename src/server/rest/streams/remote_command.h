// How clients come to talk to a command, a container or a port: what they ask for, and the protocol that both speak.
// Most speak one of Kubernetes' protocols over a WebSocket; kubectl before 1.31 speaks SPDY/3.1. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kinds/meta/status.h"
#include "client/pods/pod_access.h"
#include "os/http/http.h"
#include "server/negotiation/target.h"

namespace muster::server {

enum class Channel : std::uint8_t {
    kInput = 0,
    kOutput = 1,
    kErrors = 2,
    kStatus = 3,  // how it ended
    kResize = 4,
    kClose = 255,  // of v5: the next byte names the stream that has ended
};

enum class Protocol {
    kWebSocketV5,        // v5.channel.k8s.io: the first byte of a message is its channel, and channels can be closed
    kWebSocketV4,        // v4.channel.k8s.io: the same without closing
    kWebSocketV4Base64,  // v4.base64.channel.k8s.io: the first character is the channel's digit, the rest base64
    kWebSocketV1,        // channel.k8s.io, or no protocol: the status channel has only the text of a failure
    kWebSocketV1Base64,  // base64.channel.k8s.io
    kBytes,              // binary.k8s.io, or no protocol: one stream, from the server to the client
    kBytesBase64,        // base64.binary.k8s.io
    kSpdy,               // as it is
    kSpdyInWebSocket,    // SPDY/3.1+portforward.k8s.io
};
bool is_base64(Protocol protocol);

// What the query asks for. kBadRequest when it asks for nothing, or for no command.
Result<client::SessionRequest> parse_session_request(const Query& query, bool needs_command);

// The head that goes over to the protocol that both speak best. kBadRequest, and what to do about it, when there is
// none.
struct Upgrade {
    os::HttpResponse head{};
    Protocol protocol = Protocol::kWebSocketV5;
};
Result<Upgrade> negotiate_upgrade(const os::HttpRequest& request);
// The same for the forwarding of ports: SPDY, as it is or in a WebSocket, or channels of a WebSocket.
Result<Upgrade> negotiate_port_forward(const os::HttpRequest& request);
// The ports that channels of a WebSocket are for: "ports=80,81&ports=82". kBadRequest when there is none.
Result<std::vector<std::uint16_t>> parse_forwarded_ports(const Query& query);

// Whether the client wants an answer that goes on (a watch, a log) as messages of a WebSocket.
bool asks_for_websocket(const os::HttpRequest& request);
// For a watch: whatever the client calls the protocol.
Result<Upgrade> negotiate_watch(const os::HttpRequest& request);
// For a log.
Result<Upgrade> negotiate_bytes(const os::HttpRequest& request);

// Columns and rows of {"Width":80,"Height":24}; nothing when it is not that.
std::optional<std::pair<int, int>> parse_terminal_size(std::string_view text);

// What the status channel says of an exit code, or of what could not be run.
std::string format_session_end(const Result<int>& end);
// The same for protocols before v4: a sentence when it failed, else nothing.
std::string describe_session_end(const Result<int>& end);

}  // namespace muster::server
