// Walks the fields of a small protobuf message: what a scalar of one to three fields needs to be read.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/text/wire.h"

namespace muster::api {

class FieldReader {
public:
    explicit FieldReader(std::string_view bytes) : wire_(bytes) {}

    // Moves to the next field; false at the end, and when the bytes are malformed (then ok() is false too).
    bool next();
    bool ok() const { return ok_; }

    std::uint32_t number() const { return number_; }
    bool is_varint() const { return type_ == Wire::kVarint; }
    bool is_bytes() const { return type_ == Wire::kLength; }
    std::uint64_t varint() const { return varint_; }
    std::string_view bytes() const { return bytes_; }

private:
    WireReader wire_;
    std::string_view bytes_;
    std::uint64_t varint_ = 0;
    std::uint32_t number_ = 0;
    Wire type_ = Wire::kVarint;
    bool ok_ = true;
};

}  // namespace muster::api
