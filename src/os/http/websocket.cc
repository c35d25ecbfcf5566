#include "os/http/websocket.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

namespace muster::os {
namespace {

constexpr std::size_t kControlMax = 125;

bool is_control(WebSocketOpcode opcode) { return static_cast<std::uint8_t>(opcode) >= 8; }

Error not_websocket(const char* what) { return {Code::kBadRequest, what}; }

std::uint64_t read_big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (const char c : bytes) value = value << 8 | static_cast<std::uint8_t>(c);
    return value;
}

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

bool is_known(std::uint8_t opcode) { return opcode <= 2 || (opcode >= 8 && opcode <= 10); }

}  // namespace

Result<std::optional<WebSocketReader::Head>> WebSocketReader::read_head(std::string_view bytes) const {
    using Read = std::optional<Head>;
    if (bytes.size() < 2) return Read();
    const auto first = static_cast<std::uint8_t>(bytes[0]);
    const auto second = static_cast<std::uint8_t>(bytes[1]);
    if (first & 0x70) return not_websocket("a frame uses an extension that was not agreed upon");
    if (!is_known(first & 0x0f)) return not_websocket("a frame has an unknown opcode");
    if (!(second & 0x80)) return not_websocket("a client's frame is not masked");
    Head head{};
    head.opcode = static_cast<WebSocketOpcode>(first & 0x0f);
    head.final = (first & 0x80) != 0;
    const std::size_t length = second & 0x7f;
    const std::size_t length_bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
    // What is wrong is said as soon as it shows.
    head.payload = length;
    if (is_control(head.opcode) && length > kControlMax) return not_websocket("a control frame is too long");
    head.size = 2 + length_bytes + sizeof head.mask;
    if (bytes.size() < head.size) return Read();
    if (length_bytes > 0) head.payload = read_big_endian(bytes.substr(2, length_bytes));
    const bool shortest = length_bytes == 0 || (length_bytes == 2 ? head.payload > 125 : head.payload > 0xffff);
    if (!shortest) return not_websocket("a frame's length is not told in the shortest way");
    std::copy_n(bytes.data() + 2 + length_bytes, sizeof head.mask, reinterpret_cast<char*>(head.mask));
    TRY(check_head(head));
    return Read(head);
}

Result<> WebSocketReader::check_head(const Head& head) const {
    if (is_control(head.opcode)) {
        if (!head.final) return not_websocket("a control frame is in pieces");
        if (head.opcode == WebSocketOpcode::kClose && head.payload == 1)
            return not_websocket("a close frame has half a code");
        return {};
    }
    if (head.opcode == WebSocketOpcode::kContinuation && !fragments_)
        return not_websocket("a frame goes on with a message that has not begun");
    if (head.opcode != WebSocketOpcode::kContinuation && fragments_)
        return not_websocket("a message begins before the last has ended");
    const std::size_t before = fragments_ ? fragments_->payload.size() : 0;
    if (head.payload > message_bytes_max_ - before)
        return Error{Code::kTooLarge, "a message has more than " + std::to_string(message_bytes_max_) + " bytes"};
    return {};
}

Result<> WebSocketReader::add(std::string_view bytes, std::vector<WebSocketMessage>& out) {
    if (over_) return {};
    std::string_view rest = bytes;
    if (!kept_.empty()) {
        kept_ += bytes;
        rest = kept_;
    }
    while (!over_) {
        Result<std::optional<Head>> head = read_head(rest);
        if (!head.ok()) {
            over_ = true;
            return std::move(head).error();
        }
        if (!*head || rest.size() - (*head)->size < (*head)->payload) break;
        take_frame(**head, rest.substr((*head)->size, (*head)->payload), out);
        rest.remove_prefix((*head)->size + (*head)->payload);
    }
    if (kept_.empty()) {
        kept_.assign(rest);
    } else {
        kept_.erase(0, kept_.size() - rest.size());
    }
    return {};
}

void WebSocketReader::take_frame(const Head& head, std::string_view masked, std::vector<WebSocketMessage>& out) {
    std::string payload(masked);
    for (std::size_t i = 0; i < payload.size(); ++i)
        payload[i] = static_cast<char>(static_cast<std::uint8_t>(payload[i]) ^ head.mask[i % 4]);
    if (is_control(head.opcode)) {
        over_ = head.opcode == WebSocketOpcode::kClose;
        out.push_back({head.opcode, std::move(payload)});
        return;
    }
    if (!fragments_) {
        fragments_ = WebSocketMessage{head.opcode, std::move(payload)};
    } else {
        fragments_->payload += payload;
    }
    if (!head.final) return;
    out.push_back(*std::move(fragments_));
    fragments_.reset();
}

std::string websocket_frame(WebSocketOpcode opcode, std::string_view payload) {
    std::string frame;
    frame.reserve(payload.size() + 10);
    frame += static_cast<char>(0x80 | static_cast<std::uint8_t>(opcode));
    if (payload.size() <= 125) {
        frame += static_cast<char>(payload.size());
    } else if (payload.size() <= 0xffff) {
        frame += static_cast<char>(126);
        append_big_endian(frame, payload.size(), 2);
    } else {
        frame += static_cast<char>(127);
        append_big_endian(frame, payload.size(), 8);
    }
    return frame.append(payload);
}

std::string websocket_close_frame(WebSocketClose code, std::string_view reason) {
    std::string payload;
    append_big_endian(payload, static_cast<std::uint16_t>(code), 2);
    payload += reason.substr(0, kControlMax - 2);
    return websocket_frame(WebSocketOpcode::kClose, payload);
}

std::optional<std::string> websocket_accept(std::string_view key) {
    constexpr std::size_t kKeySize = 24;  // 16 bytes in base64
    if (key.size() != kKeySize || !key.ends_with("==")) return {};
    const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (::EVP_Digest(text.data(), text.size(), digest.data(), &size, ::EVP_sha1(), nullptr) != 1) return {};
    std::array<unsigned char, 64> encoded{};
    const int length = ::EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(size));
    return std::string(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(length));
}

}  // namespace muster::os
