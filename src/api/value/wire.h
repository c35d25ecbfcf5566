// Protobuf's wire form, as much of it as a scalar of one to three fields needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::api {

// Walks the fields of one message. Groups are refused: nothing in the API has them.
class WireReader {
public:
    explicit WireReader(std::string_view bytes) : rest_(bytes) {}

    // Moves to the next field; false at the end, and when the bytes are malformed (then ok() is false too).
    bool next();
    bool ok() const { return ok_; }

    int number() const { return number_; }
    bool is_varint() const { return type_ == 0; }
    bool is_bytes() const { return type_ == 2; }
    std::uint64_t varint() const { return varint_; }
    std::string_view bytes() const { return bytes_; }

private:
    bool read_varint(std::uint64_t& value);
    bool read_bytes(std::uint64_t count);

    std::string_view rest_;
    std::string_view bytes_;
    std::uint64_t varint_ = 0;
    int number_ = 0;
    int type_ = 0;
    bool ok_ = true;
};

void append_wire_varint(std::string& out, int number, std::uint64_t value);
void append_wire_bytes(std::string& out, int number, std::string_view bytes);

}  // namespace muster::api
