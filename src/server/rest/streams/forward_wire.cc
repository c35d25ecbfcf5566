#include "server/rest/streams/forward_wire.h"

#include <charconv>
#include <map>

#include "os/http/spdy.h"
#include "os/http/websocket.h"
#include "server/rest/streams/channel_messages.h"

namespace muster::server {
namespace {

constexpr std::size_t kForwardMessageMax = 1u << 20;
constexpr std::size_t kLoneErrorStreamsMax = 256;

std::string_view spdy_header(const os::SpdyEvent& event, std::string_view name) {
    for (const os::HttpHeader& header : event.headers)
        if (header.name == name) return header.value;
    return {};
}

std::uint16_t parse_spdy_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() ? port : 0;
}

// A connection is its data stream.
class SpdyForwardWire final : public ForwardWire {
public:
    explicit SpdyForwardWire(bool in_websocket) : in_websocket_(in_websocket), messages_(kForwardMessageMax) {}

    Result<> receive(std::string_view bytes, std::vector<ForwardEvent>& out) override {
        if (!in_websocket_) return receive_frames(bytes, out);
        std::vector<os::WebSocketMessage> messages;
        Result<> read = messages_.add(bytes, messages);
        for (const os::WebSocketMessage& message : messages) {
            if (message.opcode == os::WebSocketOpcode::kPing)
                out.push_back({ForwardEvent::Kind::kAnswer, 0, 0,
                               os::websocket_frame(os::WebSocketOpcode::kPong, message.payload)});
            if (message.opcode == os::WebSocketOpcode::kClose) out.push_back({ForwardEvent::Kind::kLeft});
            const bool is_data =
                message.opcode == os::WebSocketOpcode::kBinary || message.opcode == os::WebSocketOpcode::kText;
            if (is_data) TRY(receive_frames(message.payload, out));
        }
        return read;
    }
    std::string send(std::uint32_t connection, std::string_view bytes) override {
        return wrap(os::SpdyWriter::data(connection, bytes, false));
    }
    std::string send_error(std::uint32_t connection, std::string_view text) override {
        return wrap(os::SpdyWriter::data(errors_of_[connection], text, false));
    }
    std::string end(std::uint32_t connection) override {
        std::string frames = os::SpdyWriter::data(connection, "", true);
        if (const auto errors = errors_of_.extract(connection); !errors.empty())
            frames += os::SpdyWriter::data(errors.mapped(), "", true);
        return wrap(std::move(frames));
    }
    std::string finish() override {
        return in_websocket_ ? os::websocket_close_frame(os::WebSocketClose::kNormal) : std::string();
    }
    bool opens_more() const override { return true; }

private:
    std::string wrap(std::string frames) const {
        return in_websocket_ ? os::websocket_frame(os::WebSocketOpcode::kBinary, frames) : std::move(frames);
    }

    Result<> receive_frames(std::string_view bytes, std::vector<ForwardEvent>& out) {
        std::vector<os::SpdyEvent> events;
        Result<> read = reader_.add(bytes, events);
        for (os::SpdyEvent& event : events) take(event, out);
        return read;
    }

    void take(os::SpdyEvent& event, std::vector<ForwardEvent>& out) {
        switch (event.kind) {
            case os::SpdyEvent::Kind::kOpen: open(event, out); break;
            case os::SpdyEvent::Kind::kPing:
                out.push_back({ForwardEvent::Kind::kAnswer, 0, 0, wrap(os::SpdyWriter::ping(event.stream))});
                break;
            case os::SpdyEvent::Kind::kGoAway: out.push_back({ForwardEvent::Kind::kLeft}); break;
            case os::SpdyEvent::Kind::kReset: out.push_back({ForwardEvent::Kind::kEndOfInput, event.stream}); break;
            case os::SpdyEvent::Kind::kData:
                if (!event.bytes.empty())
                    out.push_back({ForwardEvent::Kind::kInput, event.stream, 0, std::move(event.bytes)});
                if (event.last) out.push_back({ForwardEvent::Kind::kEndOfInput, event.stream});
                break;
        }
    }

    // The error stream comes first; the data stream of the same request follows.
    void open(const os::SpdyEvent& event, std::vector<ForwardEvent>& out) {
        out.push_back({ForwardEvent::Kind::kAnswer, 0, 0, wrap(writer_.reply(event.stream))});
        const std::string request(spdy_header(event, "requestid"));
        if (spdy_header(event, "streamtype") == "error") {
            if (error_streams_.size() < kLoneErrorStreamsMax) error_streams_[request] = event.stream;
            return;
        }
        const auto errors = error_streams_.extract(request);
        if (errors.empty()) {
            out.push_back({ForwardEvent::Kind::kAnswer, 0, 0, end(event.stream)});
            return;
        }
        errors_of_[event.stream] = errors.mapped();
        out.push_back({ForwardEvent::Kind::kOpen, event.stream, parse_spdy_port(spdy_header(event, "port"))});
    }

    const bool in_websocket_;
    os::WebSocketReader messages_;
    os::SpdyReader reader_;
    os::SpdyWriter writer_;
    std::map<std::string, std::uint32_t> error_streams_;  // that wait for the other, by request
    std::map<std::uint32_t, std::uint32_t> errors_of_;    // by data stream
};

// A connection is the number of its port in the request: its channels are twice that, and the next.
class ChannelForwardWire final : public ForwardWire {
public:
    ChannelForwardWire(Protocol protocol, std::vector<std::uint16_t> ports)
        : ports_(std::move(ports)), messages_(protocol, kForwardMessageMax) {}

    // The first bytes on each channel say its port, the lower byte first.
    void begin(std::vector<ForwardEvent>& out) override {
        for (std::uint32_t i = 0; i < ports_.size(); ++i) {
            const char port[] = {static_cast<char>(ports_[i] & 0xff), static_cast<char>(ports_[i] >> 8)};
            std::string frames = send(i, {port, sizeof port});
            frames += send_error(i, {port, sizeof port});
            out.push_back({ForwardEvent::Kind::kAnswer, 0, 0, std::move(frames)});
            out.push_back({ForwardEvent::Kind::kOpen, i, ports_[i]});
        }
    }
    Result<> receive(std::string_view bytes, std::vector<ForwardEvent>& out) override {
        std::vector<ChannelMessage> messages;
        Result<> read = messages_.receive(bytes, messages);
        for (ChannelMessage& message : messages) take(std::move(message), out);
        return read;
    }
    std::string send(std::uint32_t connection, std::string_view bytes) override {
        return messages_.send(static_cast<std::uint8_t>(2 * connection), bytes);
    }
    std::string send_error(std::uint32_t connection, std::string_view text) override {
        return messages_.send(static_cast<std::uint8_t>(2 * connection + 1), text);
    }
    std::string end(std::uint32_t) override { return {}; }
    std::string finish() override { return ChannelMessages::finish({}); }
    bool opens_more() const override { return false; }

private:
    static void take(ChannelMessage message, std::vector<ForwardEvent>& out) {
        const std::uint32_t connection = message.channel / 2u;
        const bool is_data = message.channel % 2 == 0;
        switch (message.kind) {
            case ChannelMessage::Kind::kAnswer:
                out.push_back({ForwardEvent::Kind::kAnswer, 0, 0, std::move(message.bytes)});
                break;
            case ChannelMessage::Kind::kLeft: out.push_back({ForwardEvent::Kind::kLeft}); break;
            case ChannelMessage::Kind::kEnd:
                if (is_data) out.push_back({ForwardEvent::Kind::kEndOfInput, connection});
                break;
            case ChannelMessage::Kind::kData:
                if (is_data && !message.bytes.empty())
                    out.push_back({ForwardEvent::Kind::kInput, connection, 0, std::move(message.bytes)});
                break;
        }
    }

    const std::vector<std::uint16_t> ports_;
    ChannelMessages messages_;
};

}  // namespace

std::unique_ptr<ForwardWire> make_forward_wire(Protocol protocol, std::vector<std::uint16_t> ports) {
    if (protocol == Protocol::kSpdy || protocol == Protocol::kSpdyInWebSocket)
        return std::make_unique<SpdyForwardWire>(protocol == Protocol::kSpdyInWebSocket);
    return std::make_unique<ChannelForwardWire>(protocol, std::move(ports));
}

}  // namespace muster::server
