// Any bytes as frames of a WebSocket and of SPDY: refused, or the same messages however they are cut.
#include "base/check.h"
#include "os/http/spdy.h"
#include "os/http/websocket.h"

namespace {

using namespace muster;

std::string read_websocket(std::string_view bytes, std::size_t piece) {
    os::WebSocketReader reader(4096);
    std::vector<os::WebSocketMessage> messages;
    bool ok = true;
    for (; ok && !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        ok = reader.add(bytes.substr(0, piece), messages).ok();
    std::string told = ok ? "ok" : "refused";
    for (const os::WebSocketMessage& message : messages) told += ' ' + message.payload;
    return told;
}

std::string read_spdy(std::string_view bytes, std::size_t piece) {
    os::SpdyReader reader;
    std::vector<os::SpdyEvent> events;
    bool ok = true;
    for (; ok && !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        ok = reader.add(bytes.substr(0, piece), events).ok();
    std::string told = ok ? "ok" : "refused";
    for (const os::SpdyEvent& event : events) {
        told += ' ' + std::to_string(event.stream) + event.bytes;
        for (const os::HttpHeader& header : event.headers) told += header.name + header.value;
    }
    return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    CHECK(read_websocket(bytes, 1) == read_websocket(bytes, size + 1));
    CHECK(read_spdy(bytes, 1) == read_spdy(bytes, size + 1));
    return 0;
}
