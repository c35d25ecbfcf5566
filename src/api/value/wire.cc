#include "api/value/wire.h"

namespace muster::api {
namespace {

void append_varint(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

}  // namespace

bool WireReader::read_varint(std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (rest_.empty()) return false;
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

bool WireReader::read_bytes(std::uint64_t count) {
    if (count > rest_.size()) return false;
    bytes_ = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return true;
}

bool WireReader::next() {
    if (!ok_ || rest_.empty()) return false;
    std::uint64_t tag = 0;
    ok_ = read_varint(tag) && (tag >> 3) > 0 && (tag >> 3) < (1u << 29);
    if (!ok_) return false;
    number_ = static_cast<int>(tag >> 3);
    type_ = static_cast<int>(tag & 7);
    switch (type_) {
        case 0: ok_ = read_varint(varint_); break;
        case 1: ok_ = read_bytes(8); break;
        case 2: ok_ = read_varint(varint_) && read_bytes(varint_); break;
        case 5: ok_ = read_bytes(4); break;
        default: ok_ = false;
    }
    return ok_;
}

void append_wire_varint(std::string& out, int number, std::uint64_t value) {
    append_varint(out, static_cast<std::uint64_t>(number) << 3);
    append_varint(out, value);
}

void append_wire_bytes(std::string& out, int number, std::string_view bytes) {
    append_varint(out, (static_cast<std::uint64_t>(number) << 3) | 2);
    append_varint(out, bytes.size());
    out.append(bytes);
}

}  // namespace muster::api
