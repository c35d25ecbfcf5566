// How forwarded connections travel over the one connection of a client: as pairs of SPDY streams, as they are or in a
// WebSocket (kubectl), or as pairs of channels of a WebSocket, one for each port that the request names (clients in
// other languages). One of a pair is for the bytes, the other for what went wrong. Pure: bytes in, events out, and the
// other way round. rest/port_forwards.h moves them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/rest/streams/remote_command.h"

namespace muster::server {

struct ForwardEvent {
    enum class Kind {
        kOpen,  // a connection to the port
        kInput,
        kEndOfInput,
        kAnswer,  // bytes are to be sent back at once
        kLeft,    // the client says goodbye
    };
    Kind kind = Kind::kInput;
    std::uint32_t connection = 0;
    std::uint16_t port = 0;  // 0 when the client names none
    std::string bytes{};
};

class ForwardWire {
public:
    virtual ~ForwardWire() = default;

    // What is there before the client has sent anything.
    virtual void begin(std::vector<ForwardEvent>&) {}
    // What the client has sent. After an error nothing more is read.
    virtual Result<> receive(std::string_view bytes, std::vector<ForwardEvent>& out) = 0;
    virtual std::string send(std::uint32_t connection, std::string_view bytes) = 0;
    virtual std::string send_error(std::uint32_t connection, std::string_view text) = 0;
    // Nothing more comes of the connection.
    virtual std::string end(std::uint32_t connection) = 0;
    // The end, after which nothing is sent.
    virtual std::string finish() = 0;
    // Whether the client can open connections later.
    virtual bool opens_more() const = 0;
};

// The ports are for channels of a WebSocket; SPDY's streams name theirs.
std::unique_ptr<ForwardWire> make_forward_wire(Protocol protocol, std::vector<std::uint16_t> ports);

}  // namespace muster::server
