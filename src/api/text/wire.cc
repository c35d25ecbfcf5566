#include "api/text/wire.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace muster::api {

void append_varint(std::uint64_t value, std::string& out) {
    std::array<char, 10> digits;
    std::size_t count = 0;
    for (; value >= 0x80; value >>= 7) digits[count++] = static_cast<char>(value | 0x80);
    digits[count++] = static_cast<char>(value);
    out.append(digits.data(), count);
}

void append_tag(std::uint32_t number, Wire wire, std::string& out) {
    append_varint(std::uint64_t{number} << 3 | static_cast<std::uint32_t>(wire), out);
}

void append_field(std::uint32_t number, std::string_view bytes, std::string& out) {
    append_tag(number, Wire::kLength, out);
    append_varint(bytes.size(), out);
    out += bytes;
}

void append_field(std::uint32_t number, std::uint64_t value, std::string& out) {
    append_tag(number, Wire::kVarint, out);
    append_varint(value, out);
}

bool WireReader::long_varint(std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (at_ == end_) return false;
        const auto byte = static_cast<unsigned char>(*at_++);
        if (shift == 63 && byte > 1) return false;
        value |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

bool WireReader::fixed64(std::uint64_t& value) {
    if (end_ - at_ < 8) return false;
    std::memcpy(&value, at_, 8);
    at_ += 8;
    return true;
}

bool WireReader::skip(Wire wire) {
    std::uint64_t number = 0;
    std::string_view bytes;
    switch (wire) {
        case Wire::kVarint: return varint(number);
        case Wire::kFixed64: return fixed64(number);
        case Wire::kLength: return length(bytes);
        case Wire::kFixed32:
            if (end_ - at_ < 4) return false;
            at_ += 4;
            return true;
        case Wire::kPart: return false;
    }
    return false;  // groups: Kubernetes has none
}

void ReverseWriter::long_varint(std::uint64_t value) {
    std::array<char, 10> digits;
    std::size_t count = 0;
    for (; value >= 0x80; value >>= 7) digits[count++] = static_cast<char>(value | 0x80);
    digits[count++] = static_cast<char>(value);
    std::memcpy(reserve(count), digits.data(), count);
}

void ReverseWriter::fixed64(std::uint64_t value) { std::memcpy(reserve(8), &value, 8); }

void ReverseWriter::grow(std::size_t count) {
    const std::size_t used = size();
    std::string larger(std::max<std::size_t>(1024, 2 * (used + count)), '\0');
    std::memcpy(larger.data() + larger.size() - used, buffer_.data() + start_, used);
    start_ = larger.size() - used;
    buffer_ = std::move(larger);
}

}  // namespace muster::api
