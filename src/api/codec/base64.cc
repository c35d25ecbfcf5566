#include "api/codec/base64.h"

#include <array>
#include <cstdint>

namespace muster::api {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(kNoDigit);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i)
        digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    return digits;
}();

}  // namespace

void append_base64(std::string_view bytes, std::string& out) {
    const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        out += kAlphabet[group >> 18];
        out += kAlphabet[group >> 12 & 63];
        out += i + 1 < bytes.size() ? kAlphabet[group >> 6 & 63] : '=';
        out += i + 2 < bytes.size() ? kAlphabet[group & 63] : '=';
    }
}

bool decode_base64(std::string_view text, std::string& out) {
    std::uint32_t group = 0;
    int digits = 0;
    int padding = 0;
    for (const char c : text) {
        if (c == '\n' || c == '\r') continue;
        if (c == '=') {
            if (digits + padding < 2 || ++padding + digits > 4) return false;
            continue;
        }
        const std::uint8_t digit = kDigits[static_cast<unsigned char>(c)];
        if (digit == kNoDigit || padding > 0) return false;
        group = group << 6 | digit;
        if (++digits < 4) continue;
        out += static_cast<char>(group >> 16);
        out += static_cast<char>(group >> 8);
        out += static_cast<char>(group);
        group = 0;
        digits = 0;
    }
    if (digits == 0) return padding == 0;
    if (digits + padding != 4) return false;
    group <<= 6 * padding;
    out += static_cast<char>(group >> 16);
    if (digits == 3) out += static_cast<char>(group >> 8);
    return true;
}

}  // namespace muster::api
