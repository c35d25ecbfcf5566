#include "os/http/http_gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace muster::os {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// "0", "0.", "0.000": never wanted.
bool is_zero(std::string_view weight) { return weight.find_first_not_of("0.") == std::string_view::npos; }

constexpr int kGzipFormat = 16 + 15;

bool names_gzip(std::string_view item) {
    const std::size_t semicolon = item.find(';');
    if (trimmed(item.substr(0, semicolon)) != "gzip") return false;
    if (semicolon == std::string_view::npos) return true;
    const std::string_view parameter = trimmed(item.substr(semicolon + 1));
    return !parameter.starts_with("q=") || !is_zero(parameter.substr(2));
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
    while (!accept_encoding.empty()) {
        const std::size_t comma = accept_encoding.find(',');
        if (names_gzip(accept_encoding.substr(0, comma))) return true;
        if (comma == std::string_view::npos) break;
        accept_encoding.remove_prefix(comma + 1);
    }
    return false;
}

std::string gzip(std::string_view bytes) {
    z_stream stream{};
    CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipFormat, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

struct Gunzip::State {
    State() { CHECK(inflateInit2(&stream, kGzipFormat) == Z_OK); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { inflateEnd(&stream); }

    z_stream stream{};
    bool complete = true;
    std::array<char, 16u << 10> buffer;
};

Gunzip::Gunzip() : state_(std::make_unique<State>()) {}
Gunzip::~Gunzip() = default;

bool Gunzip::complete() const { return state_->complete; }

Result<> Gunzip::decode(std::string_view bytes, std::string& out, std::size_t out_max) {
    z_stream& stream = state_->stream;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    bool filled = false;  // there may be more for the buffer
    while (stream.avail_in > 0 || filled) {
        // One stream may follow another.
        if (state_->complete) CHECK(inflateReset(&stream) == Z_OK);
        state_->complete = false;
        stream.next_out = reinterpret_cast<Bytef*>(state_->buffer.data());
        stream.avail_out = static_cast<uInt>(state_->buffer.size());
        const int code = inflate(&stream, Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return Error{Code::kBadRequest, std::string("it is not gzip: ") + (stream.msg ? stream.msg : "bad data")};
        const std::size_t made = state_->buffer.size() - stream.avail_out;
        if (made > out_max - std::min(out.size(), out_max)) return Error{Code::kTooLarge, "it is too large"};
        out.append(state_->buffer.data(), made);
        state_->complete = code == Z_STREAM_END;
        filled = stream.avail_out == 0 && !state_->complete;
    }
    return {};
}

}  // namespace muster::os
