// SPDY/3.1 frames, without a connection: what kubectl before 1.31 speaks to commands in containers. The server's side,
// and of it what those clients use: streams that they open, data both ways, pings. No flow control: they have none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/http/http.h"

namespace muster::os {

struct SpdyEvent {
    enum class Kind { kOpen, kData, kReset, kPing, kGoAway };
    Kind kind = Kind::kData;
    std::uint32_t stream = 0;  // of a ping its number
    std::vector<HttpHeader> headers{};
    std::string bytes{};
    bool last = false;  // the client sends no more on this stream
};

// Makes events of a client's bytes, however they arrive.
class SpdyReader {
public:
    SpdyReader();
    ~SpdyReader();

    // Events that are complete with these bytes are appended. After an error nothing more is read: kBadRequest for what
    // is no SPDY, kTooLarge beyond the limits.
    Result<> add(std::string_view bytes, std::vector<SpdyEvent>& out);

private:
    static constexpr std::size_t kFrameMax = 1u << 20;
    static constexpr std::size_t kHeadersMax = 64u << 10;
    class Inflater;
    Result<> take_frame(std::string_view head, std::string_view payload, std::vector<SpdyEvent>& out);
    Result<> take_control(int type, int flags, std::string_view payload, std::vector<SpdyEvent>& out);

    std::string kept_;
    std::unique_ptr<Inflater> inflater_;
    bool over_ = false;
};

class SpdyWriter {
public:
    SpdyWriter();
    ~SpdyWriter();

    // The stream is welcome.
    std::string reply(std::uint32_t stream);
    static std::string data(std::uint32_t stream, std::string_view bytes, bool last);
    static std::string ping(std::uint32_t number);
    static std::string go_away();

private:
    class Deflater;
    std::unique_ptr<Deflater> deflater_;
};

}  // namespace muster::os
