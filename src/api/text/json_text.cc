#include "api/text/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace muster::api {
namespace {

// 0: as it is; 'u': \u00XX; else the letter after the backslash.
constexpr std::array<char, 256> kEscapes = [] {
    std::array<char, 256> escapes{};
    for (int c = 0; c < 0x20; ++c) escapes[static_cast<std::size_t>(c)] = 'u';
    escapes['"'] = '"';
    escapes['\\'] = '\\';
    escapes['\n'] = 'n';
    escapes['\r'] = 'r';
    escapes['\t'] = 't';
    escapes['\b'] = 'b';
    escapes['\f'] = 'f';
    return escapes;
}();

void append_escape(char c, char escape, std::string& out) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    out += '\\';
    out += escape;
    if (escape != 'u') return;
    out += "00";
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[c & 15];
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
    out += '"';
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char escape = kEscapes[static_cast<unsigned char>(text[i])];
        if (escape == 0) [[likely]]
            continue;
        out.append(text, start, i - start);
        append_escape(text[i], escape, out);
        start = i + 1;
    }
    out.append(text, start, text.size() - start);
    out += '"';
}

void append_json_number(std::int64_t value, std::string& out) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

void append_json_number(double value, std::string& out) {
    std::array<char, 400> digits;
    // As Go's encoder: 100000, not 1e+05; 1e-7, not 1e-07. A Quantity remembers how it was written.
    const double size = std::abs(value);
    const bool plain = value == 0 || (size >= 1e-6 && size < 1e21);
    const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format).ptr;
    out.append(digits.data(), end);
    if (!plain && std::string_view(end - 3, 2) == "-0") out.erase(out.size() - 2, 1);
}

}  // namespace muster::api
