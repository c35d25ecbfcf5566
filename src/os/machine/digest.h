// Digests of text, as lower-case hex: for names that must be the same on every machine. And a checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::os {

std::string sha256_hex(std::string_view bytes);
// For names that others have made so; not to protect anything.
std::string sha1_hex(std::string_view bytes);
// Guards a record against change.
std::uint32_t crc32(std::string_view bytes);

}  // namespace muster::os
