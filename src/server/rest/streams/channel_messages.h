// Channels in the messages of a WebSocket, as Kubernetes numbers them: the first byte of a message is its channel, or,
// in the base64 protocols, the first character is the channel's digit and the rest is base64. Pure: bytes in, messages
// out, and the other way round. Sessions (rest/remote_wire.h) and forwarded ports (rest/forward_wire.h) are made of
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "os/http/websocket.h"
#include "server/rest/streams/remote_command.h"

namespace muster::server {

struct ChannelMessage {
    enum class Kind {
        kData,
        kEnd,     // of v5: nothing more comes on the channel
        kAnswer,  // bytes are to be sent back at once
        kLeft,    // the client says goodbye
    };
    Kind kind = Kind::kData;
    std::uint8_t channel = 0;
    std::string bytes{};
};

class ChannelMessages {
public:
    ChannelMessages(Protocol protocol, std::size_t message_bytes_max)
        : protocol_(protocol), reader_(message_bytes_max) {}

    // After an error nothing more is read. A message that is not base64 where it should be is left out, as upstream.
    Result<> receive(std::string_view bytes, std::vector<ChannelMessage>& out);
    std::string send(std::uint8_t channel, std::string_view bytes) const;
    // The end, after which nothing is sent: in order, or because of an error.
    static std::string finish(const Result<>& why);

private:
    void take(os::WebSocketMessage message, std::vector<ChannelMessage>& out) const;
    void take_data(std::string_view payload, std::vector<ChannelMessage>& out) const;

    const Protocol protocol_;
    os::WebSocketReader reader_;
};

}  // namespace muster::server
