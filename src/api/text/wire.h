// Protobuf's wire format: varints, tags, and a reader that never runs past its bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace muster::api {

enum class Wire : std::uint32_t {
    kVarint = 0,
    kFixed64 = 1,
    kLength = 2,
    kFixed32 = 5,
    kPart = 6,  // ours, only in stored records: a varint that names a shared part
};

void append_varint(std::uint64_t value, std::string& out);
void append_tag(std::uint32_t number, Wire wire, std::string& out);
// A length-delimited field, whole.
void append_field(std::uint32_t number, std::string_view bytes, std::string& out);
void append_field(std::uint32_t number, std::uint64_t value, std::string& out);

class WireReader {
public:
    explicit WireReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    bool done() const { return at_ == end_; }
    // The bytes from here to where a copy of this reader has come.
    std::string_view until(const WireReader& later) const { return {at_, static_cast<std::size_t>(later.at_ - at_)}; }
    // Each gives false when the bytes end too early or are no such thing.
    bool varint(std::uint64_t& value) {
        if (at_ != end_ && static_cast<signed char>(*at_) >= 0) {
            value = static_cast<unsigned char>(*at_++);
            return true;
        }
        return long_varint(value);
    }
    bool tag(std::uint32_t& number, Wire& wire) {
        std::uint64_t tag = 0;
        if (!varint(tag) || tag >> 32 != 0 || tag >> 3 == 0) return false;
        number = static_cast<std::uint32_t>(tag >> 3);
        wire = static_cast<Wire>(tag & 7);
        return true;
    }
    bool length(std::string_view& bytes) {
        std::uint64_t size = 0;
        if (!varint(size) || size > static_cast<std::uint64_t>(end_ - at_)) return false;
        bytes = {at_, static_cast<std::size_t>(size)};
        at_ += size;
        return true;
    }
    bool fixed64(std::uint64_t& value);
    bool skip(Wire wire);

private:
    bool long_varint(std::uint64_t& value);
    const char* at_;
    const char* end_;
};

// Writes a message from its end to its start: a length is known when it must be written, and nothing is copied twice.
class ReverseWriter {
public:
    std::size_t size() const { return buffer_.size() - start_; }
    std::string_view view() const { return std::string_view(buffer_).substr(start_); }
    void clear() { start_ = buffer_.size(); }

    void bytes(std::string_view bytes) {
        if (!bytes.empty()) std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
    }
    void varint(std::uint64_t value) {
        if (value < 0x80) {
            *reserve(1) = static_cast<char>(value);
        } else {
            long_varint(value);
        }
    }
    void fixed64(std::uint64_t value);
    void tag(int number, Wire wire) {
        varint(static_cast<std::uint64_t>(number) << 3 | static_cast<std::uint64_t>(wire));
    }

private:
    char* reserve(std::size_t count) {
        if (start_ < count) grow(count);
        start_ -= count;
        return buffer_.data() + start_;
    }
    void grow(std::size_t count);
    void long_varint(std::uint64_t value);

    std::string buffer_;
    std::size_t start_ = 0;
};

}  // namespace muster::api
