#include "server/rest/streams/channel_messages.h"

#include "api/codec/base64.h"

namespace muster::server {

Result<> ChannelMessages::receive(std::string_view bytes, std::vector<ChannelMessage>& out) {
    std::vector<os::WebSocketMessage> messages;
    Result<> read = reader_.add(bytes, messages);
    for (os::WebSocketMessage& message : messages) take(std::move(message), out);
    return read;
}

std::string ChannelMessages::send(std::uint8_t channel, std::string_view bytes) const {
    if (!is_base64(protocol_))
        return os::websocket_frame(os::WebSocketOpcode::kBinary,
                                   std::string(1, static_cast<char>(channel)).append(bytes));
    std::string text(1, static_cast<char>('0' + channel));
    api::append_base64(bytes, text);
    return os::websocket_frame(os::WebSocketOpcode::kText, text);
}

std::string ChannelMessages::finish(const Result<>& why) {
    if (why.ok()) return os::websocket_close_frame(os::WebSocketClose::kNormal);
    auto reason = os::WebSocketClose::kProtocolError;
    if (why.error().code == Code::kTooLarge) reason = os::WebSocketClose::kTooLarge;
    if (why.error().code == Code::kInternal) reason = os::WebSocketClose::kInternal;
    return os::websocket_close_frame(reason, why.error().message);
}

void ChannelMessages::take(os::WebSocketMessage message, std::vector<ChannelMessage>& out) const {
    switch (message.opcode) {
        case os::WebSocketOpcode::kPing:
            out.push_back(
                {ChannelMessage::Kind::kAnswer, 0, os::websocket_frame(os::WebSocketOpcode::kPong, message.payload)});
            break;
        case os::WebSocketOpcode::kClose: out.push_back({ChannelMessage::Kind::kLeft}); break;
        case os::WebSocketOpcode::kBinary:
        case os::WebSocketOpcode::kText: take_data(message.payload, out); break;
        case os::WebSocketOpcode::kPong:
        case os::WebSocketOpcode::kContinuation: break;
    }
}

void ChannelMessages::take_data(std::string_view payload, std::vector<ChannelMessage>& out) const {
    if (payload.empty()) return;
    const auto first = static_cast<std::uint8_t>(payload.front());
    payload.remove_prefix(1);
    if (is_base64(protocol_)) {
        ChannelMessage message{ChannelMessage::Kind::kData, static_cast<std::uint8_t>(first - '0')};
        if (api::decode_base64(payload, message.bytes)) out.push_back(std::move(message));
    } else if (first != static_cast<std::uint8_t>(Channel::kClose)) {
        out.push_back({ChannelMessage::Kind::kData, first, std::string(payload)});
    } else if (protocol_ == Protocol::kWebSocketV5 && payload.size() == 1) {
        out.push_back({ChannelMessage::Kind::kEnd, static_cast<std::uint8_t>(payload.front())});
    }
}

}  // namespace muster::server
