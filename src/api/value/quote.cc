#include "api/value/quote.h"

#include <algorithm>
#include <cstdint>

namespace muster::api {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

struct Rune {
    std::uint32_t code = 0;
    std::size_t size = 1;
    bool valid = false;  // otherwise one byte that is not UTF-8
};

Rune decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {byte(0), 1, true};
    const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return {};
    std::uint32_t code = byte(0) & (0xffu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = (code << 6) | (byte(i) & 0x3f);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
    return {code, size, true};
}

// Spaces other than the plain one, controls, formatting characters and private use.
bool is_printable(std::uint32_t code) {
    static constexpr std::uint32_t kHidden[][2] = {
        {0x00, 0x1f},     {0x7f, 0xa0},     {0xad, 0xad},     {0x600, 0x605},   {0x61c, 0x61c},   {0x6dd, 0x6dd},
        {0x70f, 0x70f},   {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f},
        {0x3000, 0x3000}, {0xe000, 0xf8ff}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};
    return std::none_of(std::begin(kHidden), std::end(kHidden),
                        [code](const std::uint32_t(&range)[2]) { return code >= range[0] && code <= range[1]; });
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += kHex[(value >> shift) & 0xf];
}

// The letter after the backslash, or 0.
char short_escape(std::uint32_t code) {
    switch (code) {
        case '"': return '"';
        case '\\': return '\\';
        case '\b': return 'b';
        case '\f': return 'f';
        case '\n': return 'n';
        case '\r': return 'r';
        case '\t': return 't';
        case '\a': return 'a';
        case '\v': return 'v';
        default: return 0;
    }
}

}  // namespace

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const Rune rune = decode(text);
        if (!rune.valid) {
            out += "\\x";
            append_hex(out, static_cast<unsigned char>(text[0]), 2);
        } else if (const char letter = short_escape(rune.code)) {
            out += '\\';
            out += letter;
        } else if (is_printable(rune.code)) {
            out += text.substr(0, rune.size);
        } else {
            const int digits = rune.code < 0x80 ? 2 : rune.code < 0x10000 ? 4 : 8;
            out += digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
            append_hex(out, rune.code, digits);
        }
        text.remove_prefix(rune.size);
    }
    return out += '"';
}

}  // namespace muster::api
