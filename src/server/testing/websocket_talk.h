// The client's side of a WebSocket in tests: frames as clients send them, and what the server has sent, told in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::server {

// Masked with zeros. `first` is the frame's first byte: 0x82 binary, 0x81 text, 0x88 close, 0x89 ping.
inline std::string client_frame(int first, std::string_view payload) {
    std::string frame(1, static_cast<char>(first));
    if (payload.size() < 126) {
        frame += static_cast<char>(0x80 | payload.size());
    } else {
        frame += static_cast<char>(0x80 | 126);
        frame += static_cast<char>(payload.size() >> 8);
        frame += static_cast<char>(payload.size() & 0xff);
    }
    return frame.append(4, '\0').append(payload);
}

struct ServerFrame {
    int opcode = 0;
    std::string payload{};
};

inline std::vector<ServerFrame> server_frames(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(text[at])); };
    std::vector<ServerFrame> frames;
    for (std::size_t at = 0; at < text.size();) {
        ServerFrame frame;
        frame.opcode = text[at] & 0x0f;
        std::size_t size = byte(at + 1);
        at += 2;
        const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
        if (more > 0) size = 0;
        for (std::size_t i = 0; i < more; ++i) size = size << 8 | byte(at + i);
        at += more;
        frame.payload = text.substr(at, size);
        at += size;
        frames.push_back(std::move(frame));
    }
    return frames;
}

// "text:{…} | binary:… | pong:… | close:1000"
inline std::string describe_frames(std::string_view text) {
    std::string told;
    for (const ServerFrame& frame : server_frames(text)) {
        told += told.empty() ? "" : " | ";
        if (frame.opcode == 8) {
            told += "close:" + std::to_string(static_cast<unsigned char>(frame.payload[0]) * 256 +
                                              static_cast<unsigned char>(frame.payload[1]));
            continue;
        }
        told += frame.opcode == 1 ? "text:" : frame.opcode == 10 ? "pong:" : "binary:";
        told += frame.payload;
    }
    return told;
}

}  // namespace muster::server
