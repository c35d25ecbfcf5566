#include "server/rest/remote_wire.h"

#include <algorithm>
#include <map>

#include "os/spdy.h"
#include "os/websocket.h"

namespace muster::server {
namespace {

// The first byte of a message names its stream.
class WebSocketWire final : public RemoteWire {
public:
    WebSocketWire(bool closes_streams, bool has_output, std::size_t message_bytes_max)
        : closes_streams_(closes_streams), has_output_(has_output), reader_(message_bytes_max) {}

    Result<> receive(std::string_view bytes, std::vector<RemoteEvent>& out) override {
        std::vector<os::WebSocketMessage> messages;
        Result<> read = reader_.add(bytes, messages);
        for (os::WebSocketMessage& message : messages) take(std::move(message), out);
        return read;
    }
    bool is_ready() const override { return true; }
    // As upstream: clients of v4 wait for a first message to know that they are connected.
    std::string greet() override {
        if (closes_streams_) return {};
        return send(has_output_ ? Channel::kOutput : Channel::kStatus, "");
    }
    std::string send(Channel channel, std::string_view bytes) override {
        std::string payload(1, static_cast<char>(channel));
        payload += bytes;
        return os::websocket_frame(os::WebSocketOpcode::kBinary, payload);
    }
    std::string finish(const Result<>& why) override {
        if (why.ok()) return os::websocket_close_frame(os::WebSocketClose::kNormal);
        const bool too_large = why.error().code == Code::kTooLarge;
        return os::websocket_close_frame(too_large ? os::WebSocketClose::kTooLarge : os::WebSocketClose::kProtocolError,
                                         why.error().message);
    }

private:
    void take(os::WebSocketMessage message, std::vector<RemoteEvent>& out) const {
        switch (message.opcode) {
            case os::WebSocketOpcode::kPing:
                out.push_back(
                    {RemoteEvent::Kind::kAnswer, os::websocket_frame(os::WebSocketOpcode::kPong, message.payload)});
                break;
            case os::WebSocketOpcode::kClose: out.push_back({RemoteEvent::Kind::kLeft}); break;
            case os::WebSocketOpcode::kBinary:
            case os::WebSocketOpcode::kText: take_data(message.payload, out); break;
            case os::WebSocketOpcode::kPong:
            case os::WebSocketOpcode::kContinuation: break;
        }
    }

    void take_data(std::string_view payload, std::vector<RemoteEvent>& out) const {
        if (payload.empty()) return;
        const auto channel = static_cast<Channel>(payload.front());
        payload.remove_prefix(1);
        if (channel == Channel::kInput) out.push_back({RemoteEvent::Kind::kInput, std::string(payload)});
        if (channel == Channel::kResize) out.push_back({RemoteEvent::Kind::kResize, std::string(payload)});
        const bool ends_input = payload == std::string(1, static_cast<char>(Channel::kInput));
        if (channel == Channel::kClose && closes_streams_ && ends_input)
            out.push_back({RemoteEvent::Kind::kEndOfInput});
    }

    const bool closes_streams_;
    const bool has_output_;
    os::WebSocketReader reader_;
};

// The client opens a stream for each channel and says in its headers which.
class SpdyWire final : public RemoteWire {
public:
    explicit SpdyWire(const SessionRequest& request) : request_(request) {}

    Result<> receive(std::string_view bytes, std::vector<RemoteEvent>& out) override {
        std::vector<os::SpdyEvent> events;
        Result<> read = reader_.add(bytes, events);
        for (os::SpdyEvent& event : events) take(event, out);
        return read;
    }
    bool is_ready() const override {
        return has(Channel::kStatus) && (!request_.input || has(Channel::kInput)) &&
               (!request_.output || has(Channel::kOutput)) && (!request_.errors || has(Channel::kErrors));
    }
    std::string greet() override { return {}; }
    std::string send(Channel channel, std::string_view bytes) override {
        const auto found = streams_.find(channel);
        if (found == streams_.end()) return {};
        // What comes last also ends the others.
        std::string frames;
        if (channel == Channel::kStatus)
            for (const Channel other : {Channel::kOutput, Channel::kErrors})
                if (has(other)) frames += os::SpdyWriter::data(streams_[other], "", true);
        return frames + os::SpdyWriter::data(found->second, bytes, channel == Channel::kStatus);
    }
    std::string finish(const Result<>&) override { return os::SpdyWriter::go_away(); }

private:
    bool has(Channel channel) const { return streams_.contains(channel); }

    void take(os::SpdyEvent& event, std::vector<RemoteEvent>& out) {
        switch (event.kind) {
            case os::SpdyEvent::Kind::kOpen: open(event, out); break;
            case os::SpdyEvent::Kind::kPing:
                out.push_back({RemoteEvent::Kind::kAnswer, os::SpdyWriter::ping(event.stream)});
                break;
            case os::SpdyEvent::Kind::kGoAway: out.push_back({RemoteEvent::Kind::kLeft}); break;
            case os::SpdyEvent::Kind::kData:
                if (is(event.stream, Channel::kInput) && !event.bytes.empty())
                    out.push_back({RemoteEvent::Kind::kInput, std::move(event.bytes)});
                else if (is(event.stream, Channel::kResize))
                    take_resize(event.bytes, out);
                [[fallthrough]];
            case os::SpdyEvent::Kind::kReset:
                if (is(event.stream, Channel::kInput) && (event.last || event.kind == os::SpdyEvent::Kind::kReset))
                    out.push_back({RemoteEvent::Kind::kEndOfInput});
                break;
        }
    }

    void open(const os::SpdyEvent& event, std::vector<RemoteEvent>& out) {
        static const std::map<std::string_view, Channel> kTypes = {{"stdin", Channel::kInput},
                                                                   {"stdout", Channel::kOutput},
                                                                   {"stderr", Channel::kErrors},
                                                                   {"error", Channel::kStatus},
                                                                   {"resize", Channel::kResize}};
        for (const os::HttpHeader& header : event.headers) {
            if (header.name != "streamtype") continue;
            const auto type = kTypes.find(header.value);
            if (type != kTypes.end()) streams_.emplace(type->second, event.stream);
        }
        out.push_back({RemoteEvent::Kind::kAnswer, writer_.reply(event.stream)});
    }

    bool is(std::uint32_t stream, Channel channel) const {
        const auto found = streams_.find(channel);
        return found != streams_.end() && found->second == stream;
    }

    // Sizes come one per line, and may come together.
    static void take_resize(std::string_view text, std::vector<RemoteEvent>& out) {
        const std::size_t open = text.rfind('{');
        const std::size_t close = text.rfind('}');
        if (open != std::string_view::npos && close != std::string_view::npos && open < close)
            out.push_back({RemoteEvent::Kind::kResize, std::string(text.substr(open, close - open + 1))});
    }

    const SessionRequest request_;
    os::SpdyReader reader_;
    os::SpdyWriter writer_;
    std::map<Channel, std::uint32_t> streams_;
};

}  // namespace

std::unique_ptr<RemoteWire> make_wire(Protocol protocol, const SessionRequest& request, std::size_t message_bytes_max) {
    if (protocol == Protocol::kSpdy) return std::make_unique<SpdyWire>(request);
    return std::make_unique<WebSocketWire>(protocol == Protocol::kWebSocketV5, request.output, message_bytes_max);
}

}  // namespace muster::server
