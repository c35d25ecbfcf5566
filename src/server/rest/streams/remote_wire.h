// How a session's streams travel over one connection: as messages of a WebSocket (rest/channel_messages.h), or as
// streams of SPDY. Pure: bytes in, events out, and the other way round. rest/pod_sessions.h moves them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/pods/pod_access.h"
#include "server/rest/streams/remote_command.h"

namespace muster::server {

struct RemoteEvent {
    enum class Kind {
        kInput,
        kEndOfInput,
        kResize,  // bytes: as JSON
        kAnswer,  // bytes are to be sent back at once
        kLeft,    // the client says goodbye
    };
    Kind kind = Kind::kInput;
    std::string bytes{};
};

class RemoteWire {
public:
    virtual ~RemoteWire() = default;

    // What the client has sent. After an error nothing more is read.
    virtual Result<> receive(std::string_view bytes, std::vector<RemoteEvent>& out) = 0;
    // Everything is there that is to be sent to.
    virtual bool is_ready() const = 0;
    // What a client is sent first; may be empty.
    virtual std::string greet() = 0;
    virtual std::string send(Channel channel, std::string_view bytes) = 0;
    // How the command ended, which comes after all output.
    virtual std::string send_end(const Result<int>& end) { return send(Channel::kStatus, format_session_end(end)); }
    // The end, after which nothing is sent: in order, or because of an error.
    virtual std::string finish(const Result<>& why) = 0;
};

std::unique_ptr<RemoteWire> make_wire(Protocol protocol, const client::SessionRequest& request,
                                      std::size_t message_bytes_max);

}  // namespace muster::server
