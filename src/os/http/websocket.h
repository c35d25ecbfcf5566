// WebSocket frames (RFC 6455), without a connection: bytes in, messages out, and the other way round. The server's side
// only: a client's frames are masked, ours are not. No extensions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::os {

enum class WebSocketOpcode : std::uint8_t {
    kContinuation = 0,
    kText = 1,
    kBinary = 2,
    kClose = 8,
    kPing = 9,
    kPong = 10,
};

// Why a connection is closed, as its last frame says.
enum class WebSocketClose : std::uint16_t {
    kNormal = 1000,
    kGoingAway = 1001,
    kProtocolError = 1002,
    kTooLarge = 1009,
    kInternal = 1011,
};

struct WebSocketMessage {
    WebSocketOpcode opcode = WebSocketOpcode::kBinary;  // of data kText or kBinary, whole; or a control frame's
    std::string payload{};
};

// Makes messages of a client's bytes, however they arrive.
class WebSocketReader {
public:
    explicit WebSocketReader(std::size_t message_bytes_max) : message_bytes_max_(message_bytes_max) {}

    // The messages that are complete with these bytes are appended to `out`. After an error nothing more is read:
    // kBadRequest for what is no WebSocket, kTooLarge for a message beyond the limit. After a close frame the rest is
    // not looked at.
    Result<> add(std::string_view bytes, std::vector<WebSocketMessage>& out);

private:
    struct Head {
        WebSocketOpcode opcode;
        bool final;
        std::size_t size;       // of the head itself
        std::uint64_t payload;  // and of what follows
        std::uint8_t mask[4];
    };
    // Nothing when more bytes are needed.
    Result<std::optional<Head>> read_head(std::string_view bytes) const;
    Result<> check_head(const Head& head) const;
    void take_frame(const Head& head, std::string_view masked, std::vector<WebSocketMessage>& out);

    const std::size_t message_bytes_max_;
    std::string kept_;
    std::optional<WebSocketMessage> fragments_;  // of a message that goes on
    bool over_ = false;
};

// One unmasked frame that is a whole message.
std::string websocket_frame(WebSocketOpcode opcode, std::string_view payload);
std::string websocket_close_frame(WebSocketClose code, std::string_view reason = {});

// What Sec-WebSocket-Accept answers to a client's Sec-WebSocket-Key. Nothing when that is no key.
std::optional<std::string> websocket_accept(std::string_view key);

}  // namespace muster::os
