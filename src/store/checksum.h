// The two sums over bytes that the store writes to disk, so both are the same on every machine and in every build:
// crc32c guards a record against change, hash64 spreads keys.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::store {

// CRC-32C (Castagnoli) of `before`'s bytes followed by these.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

std::uint64_t hash64(std::string_view bytes);
// The same for a number.
std::uint64_t mix64(std::uint64_t number);

}  // namespace muster::store
