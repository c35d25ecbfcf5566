#include "server/rest/streams/remote_wire.h"

#include <map>

#include "os/http/spdy.h"
#include "server/rest/streams/channel_messages.h"

namespace muster::server {
namespace {

class WebSocketWire final : public RemoteWire {
public:
    WebSocketWire(Protocol protocol, const client::SessionRequest& request, std::size_t message_bytes_max)
        : protocol_(protocol), request_(request), messages_(protocol, message_bytes_max) {}

    Result<> receive(std::string_view bytes, std::vector<RemoteEvent>& out) override {
        std::vector<ChannelMessage> messages;
        Result<> read = messages_.receive(bytes, messages);
        for (ChannelMessage& message : messages) take(std::move(message), out);
        return read;
    }
    bool is_ready() const override { return true; }
    // As upstream: clients before v5 wait for a first message to know that they are connected.
    std::string greet() override {
        if (protocol_ == Protocol::kWebSocketV5) return {};
        return send(request_.output ? Channel::kOutput : request_.errors ? Channel::kErrors : Channel::kStatus, "");
    }
    std::string send(Channel channel, std::string_view bytes) override {
        return messages_.send(static_cast<std::uint8_t>(channel), bytes);
    }
    std::string send_end(const Result<int>& end) override {
        const bool as_text = protocol_ == Protocol::kWebSocketV1 || protocol_ == Protocol::kWebSocketV1Base64;
        if (!as_text) return RemoteWire::send_end(end);
        const std::string text = describe_session_end(end);
        return text.empty() ? std::string() : send(Channel::kStatus, text);
    }
    std::string finish(const Result<>& why) override { return ChannelMessages::finish(why); }

private:
    static void take(ChannelMessage message, std::vector<RemoteEvent>& out) {
        const bool is_input = message.channel == static_cast<std::uint8_t>(Channel::kInput);
        const bool is_resize = message.channel == static_cast<std::uint8_t>(Channel::kResize);
        switch (message.kind) {
            case ChannelMessage::Kind::kAnswer:
                out.push_back({RemoteEvent::Kind::kAnswer, std::move(message.bytes)});
                break;
            case ChannelMessage::Kind::kLeft: out.push_back({RemoteEvent::Kind::kLeft}); break;
            case ChannelMessage::Kind::kEnd:
                if (is_input) out.push_back({RemoteEvent::Kind::kEndOfInput});
                break;
            case ChannelMessage::Kind::kData:
                if (is_input) out.push_back({RemoteEvent::Kind::kInput, std::move(message.bytes)});
                if (is_resize) out.push_back({RemoteEvent::Kind::kResize, std::move(message.bytes)});
                break;
        }
    }

    const Protocol protocol_;
    const client::SessionRequest request_;
    ChannelMessages messages_;
};

// The client opens a stream for each channel and says in its headers which.
class SpdyWire final : public RemoteWire {
public:
    explicit SpdyWire(const client::SessionRequest& request) : request_(request) {}

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

    const client::SessionRequest request_;
    os::SpdyReader reader_;
    os::SpdyWriter writer_;
    std::map<Channel, std::uint32_t> streams_;
};

}  // namespace

std::unique_ptr<RemoteWire> make_wire(Protocol protocol, const client::SessionRequest& request,
                                      std::size_t message_bytes_max) {
    if (protocol == Protocol::kSpdy) return std::make_unique<SpdyWire>(request);
    return std::make_unique<WebSocketWire>(protocol, request, message_bytes_max);
}

}  // namespace muster::server
