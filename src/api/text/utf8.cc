#include "api/text/utf8.h"

#include <cstdint>
#include <cstring>

namespace muster::api {
namespace {

// The length of the valid sequence at the start of text, or 0.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
    if (lead == 0xed && byte(1) > 0x9f) return 0;  // surrogates
    if (lead == 0xf0 && byte(1) < 0x90) return 0;  // overlong
    if (lead == 0xf4 && byte(1) > 0x8f) return 0;  // beyond U+10FFFF
    return length;
}

bool is_ascii(std::string_view text) {
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word;
        std::memcpy(&word, at, 8);
        if (word & 0x8080808080808080ull) return false;
    }
    for (; left > 0; ++at, --left)
        if (static_cast<signed char>(*at) < 0) return false;
    return true;
}

}  // namespace

bool is_utf8(std::string_view text) {
    if (is_ascii(text)) return true;
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string repair_utf8(std::string_view text) {
    std::string repaired;
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        repaired += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return repaired;
}

}  // namespace muster::api
