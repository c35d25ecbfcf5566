#include "os/http/spdy.h"

#include <zlib.h>

#include <algorithm>
#include <array>

namespace muster::os {
namespace {

constexpr int kSynStream = 1;
constexpr int kSynReply = 2;
constexpr int kRstStream = 3;
constexpr int kPingFrame = 6;
constexpr int kGoAwayFrame = 7;
constexpr int kFinFlag = 1;
constexpr std::size_t kHeadSize = 8;
constexpr std::uint32_t kStreamMask = 0x7fffffff;

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes) value = value << 8 | static_cast<std::uint8_t>(c);
    return value;
}

void append_big_endian32(std::string& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

// What both sides' compression of headers begins with: the protocol's own list of likely words.
const std::string& spdy_dictionary() {
    static const std::string dictionary = [] {
        std::string text;
        for (const std::string_view word : {"options",
                                            "head",
                                            "post",
                                            "put",
                                            "delete",
                                            "trace",
                                            "accept",
                                            "accept-charset",
                                            "accept-encoding",
                                            "accept-language",
                                            "accept-ranges",
                                            "age",
                                            "allow",
                                            "authorization",
                                            "cache-control",
                                            "connection",
                                            "content-base",
                                            "content-encoding",
                                            "content-language",
                                            "content-length",
                                            "content-location",
                                            "content-md5",
                                            "content-range",
                                            "content-type",
                                            "date",
                                            "etag",
                                            "expect",
                                            "expires",
                                            "from",
                                            "host",
                                            "if-match",
                                            "if-modified-since",
                                            "if-none-match",
                                            "if-range",
                                            "if-unmodified-since",
                                            "last-modified",
                                            "location",
                                            "max-forwards",
                                            "pragma",
                                            "proxy-authenticate",
                                            "proxy-authorization",
                                            "range",
                                            "referer",
                                            "retry-after",
                                            "server",
                                            "te",
                                            "trailer",
                                            "transfer-encoding",
                                            "upgrade",
                                            "user-agent",
                                            "vary",
                                            "via",
                                            "warning",
                                            "www-authenticate",
                                            "method",
                                            "get",
                                            "status",
                                            "200 OK",
                                            "version",
                                            "HTTP/1.1",
                                            "url",
                                            "public",
                                            "set-cookie",
                                            "keep-alive",
                                            "origin"}) {
            append_big_endian32(text, static_cast<std::uint32_t>(word.size()));
            text += word;
        }
        text +=
            "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
            "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized"
            "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
            "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
            "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,"
            "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";
        return text;
    }();
    return dictionary;
}

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

Error not_spdy(const char* what) { return {Code::kBadRequest, what}; }

Result<std::vector<HttpHeader>> parse_headers(std::string_view block) {
    const auto take_number = [&](std::uint32_t& value) {
        if (block.size() < 4) return false;
        value = big_endian(block.substr(0, 4));
        block.remove_prefix(4);
        return true;
    };
    const auto take_text = [&](std::string& text) {
        std::uint32_t size = 0;
        if (!take_number(size) || size > block.size()) return false;
        text = block.substr(0, size);
        block.remove_prefix(size);
        return true;
    };
    std::uint32_t count = 0;
    if (!take_number(count)) return not_spdy("a block of headers is cut");
    std::vector<HttpHeader> headers;
    for (std::uint32_t i = 0; i < count; ++i) {
        HttpHeader header;
        if (!take_text(header.name) || !take_text(header.value)) return not_spdy("a block of headers is cut");
        headers.push_back(std::move(header));
    }
    return headers;
}

std::string control_frame(int type, std::string_view payload) {
    std::string frame("\x80\x03", 2);
    frame += '\0';
    frame += static_cast<char>(type);
    append_big_endian32(frame, static_cast<std::uint32_t>(payload.size()));
    return frame.append(payload);
}

}  // namespace

class SpdyReader::Inflater {
public:
    Inflater() { CHECK(::inflateInit(&stream_) == Z_OK); }
    ~Inflater() { ::inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    Result<std::string> inflate(std::string_view block, std::size_t size_max) {
        std::string out;
        std::array<char, 4096> buffer{};
        stream_.next_in = const_cast<Bytef*>(bytes_of(block));
        stream_.avail_in = static_cast<uInt>(block.size());
        for (;;) {
            stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
            stream_.avail_out = static_cast<uInt>(buffer.size());
            const int result = ::inflate(&stream_, Z_SYNC_FLUSH);
            if (result == Z_NEED_DICT) {
                const std::string& dictionary = spdy_dictionary();
                if (::inflateSetDictionary(&stream_, bytes_of(dictionary), static_cast<uInt>(dictionary.size())) !=
                    Z_OK)
                    return not_spdy("headers are compressed with another dictionary");
                continue;
            }
            if (result != Z_OK && result != Z_BUF_ERROR) return not_spdy("headers cannot be decompressed");
            out.append(buffer.data(), buffer.size() - stream_.avail_out);
            if (out.size() > size_max) return Error{Code::kTooLarge, "a block of headers is too large"};
            if (stream_.avail_in == 0 && stream_.avail_out > 0) return out;
            if (result == Z_BUF_ERROR) return not_spdy("headers cannot be decompressed");
        }
    }

private:
    z_stream stream_{};
};

SpdyReader::SpdyReader() : inflater_(std::make_unique<Inflater>()) {}
SpdyReader::~SpdyReader() = default;

Result<> SpdyReader::add(std::string_view bytes, std::vector<SpdyEvent>& out) {
    if (over_) return {};
    kept_ += bytes;
    std::string_view rest = kept_;
    Result<> taken;
    while (taken.ok() && rest.size() >= kHeadSize) {
        const std::size_t size = big_endian(rest.substr(5, 3));
        if (size > kFrameMax) taken = Error{Code::kTooLarge, "a frame is too large"};
        if (!taken.ok() || rest.size() - kHeadSize < size) break;
        taken = take_frame(rest.substr(0, kHeadSize), rest.substr(kHeadSize, size), out);
        rest.remove_prefix(kHeadSize + size);
    }
    kept_.erase(0, kept_.size() - rest.size());
    over_ = !taken.ok();
    return taken;
}

Result<> SpdyReader::take_frame(std::string_view head, std::string_view payload, std::vector<SpdyEvent>& out) {
    const std::uint32_t first = big_endian(head.substr(0, 4));
    const int flags = static_cast<std::uint8_t>(head[4]);
    if (first & ~kStreamMask) {
        if ((first >> 16 & 0x7fff) != 3) return not_spdy("a frame is of another version");
        return take_control(static_cast<int>(first & 0xffff), flags, payload, out);
    }
    SpdyEvent data;
    data.stream = first;
    data.bytes = payload;
    data.last = (flags & kFinFlag) != 0;
    out.push_back(std::move(data));
    return {};
}

Result<> SpdyReader::take_control(int type, int flags, std::string_view payload, std::vector<SpdyEvent>& out) {
    SpdyEvent event;
    if (type == kSynStream) {
        if (payload.size() < 10) return not_spdy("a frame that opens a stream is cut");
        event.kind = SpdyEvent::Kind::kOpen;
        event.last = (flags & kFinFlag) != 0;
        TRY_ASSIGN(const std::string block, inflater_->inflate(payload.substr(10), kHeadersMax));
        TRY_ASSIGN(event.headers, parse_headers(block));
    } else if (type == kRstStream) {
        event.kind = SpdyEvent::Kind::kReset;
    } else if (type == kPingFrame) {
        event.kind = SpdyEvent::Kind::kPing;
    } else if (type == kGoAwayFrame) {
        event.kind = SpdyEvent::Kind::kGoAway;
    } else {
        return {};  // settings, windows: nothing to us
    }
    if (payload.size() < 4) return not_spdy("a control frame is cut");
    event.stream = big_endian(payload.substr(0, 4)) & kStreamMask;
    out.push_back(std::move(event));
    return {};
}

class SpdyWriter::Deflater {
public:
    Deflater() {
        const std::string& dictionary = spdy_dictionary();
        CHECK(::deflateInit(&stream_, Z_DEFAULT_COMPRESSION) == Z_OK);
        CHECK(::deflateSetDictionary(&stream_, bytes_of(dictionary), static_cast<uInt>(dictionary.size())) == Z_OK);
    }
    ~Deflater() { ::deflateEnd(&stream_); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    std::string deflate(std::string_view block) {
        std::string out;
        std::array<char, 512> buffer{};
        stream_.next_in = const_cast<Bytef*>(bytes_of(block));
        stream_.avail_in = static_cast<uInt>(block.size());
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
            stream_.avail_out = static_cast<uInt>(buffer.size());
            ::deflate(&stream_, Z_SYNC_FLUSH);
            out.append(buffer.data(), buffer.size() - stream_.avail_out);
        } while (stream_.avail_out == 0);
        return out;
    }

private:
    z_stream stream_{};
};

SpdyWriter::SpdyWriter() : deflater_(std::make_unique<Deflater>()) {}
SpdyWriter::~SpdyWriter() = default;

std::string SpdyWriter::reply(std::uint32_t stream) {
    std::string payload;
    append_big_endian32(payload, stream);
    payload += deflater_->deflate(std::string_view("\0\0\0\0", 4));  // no headers
    return control_frame(kSynReply, payload);
}

std::string SpdyWriter::data(std::uint32_t stream, std::string_view bytes, bool last) {
    std::string frame;
    append_big_endian32(frame, stream & kStreamMask);
    append_big_endian32(frame, static_cast<std::uint32_t>(bytes.size()) | (last ? 1u << 24 : 0));
    return frame.append(bytes);
}

std::string SpdyWriter::ping(std::uint32_t number) {
    std::string payload;
    append_big_endian32(payload, number);
    return control_frame(kPingFrame, payload);
}

std::string SpdyWriter::go_away() { return control_frame(kGoAwayFrame, std::string(8, '\0')); }

}  // namespace muster::os
