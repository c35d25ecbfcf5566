#include "store/checksum.h"

#include <array>
#include <cstring>

namespace muster::store {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0x82f63b78u : 0);
        table[i] = value;
    }
    return table;
}
constexpr auto kTable = make_table();

std::uint32_t crc_by_table(std::string_view bytes, std::uint32_t crc) {
    for (const char byte : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc_by_instruction(std::string_view bytes, std::uint32_t crc) {
    std::uint64_t wide = crc;
    while (bytes.size() >= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        wide = __builtin_ia32_crc32di(wide, word);
        bytes.remove_prefix(8);
    }
    crc = static_cast<std::uint32_t>(wide);
    for (const char byte : bytes) crc = __builtin_ia32_crc32qi(crc, static_cast<unsigned char>(byte));
    return crc;
}
#endif

std::uint64_t load64(const char* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    return word;
}

std::uint64_t fold(std::uint64_t left, std::uint64_t right) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(left) * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t kA = 0xa0761d6478bd642fu;
constexpr std::uint64_t kB = 0xe7037ed1a0b428dbu;

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("sse4.2");
    if (fast) return ~crc_by_instruction(bytes, ~before);
#endif
    return ~crc_by_table(bytes, ~before);
}

std::uint64_t mix64(std::uint64_t number) { return fold(number ^ kA, kB); }

// Folded 64x64 multiplications over 16 bytes at a time; the last stretch overlaps the one before it.
std::uint64_t hash64(std::string_view bytes) {
    const std::size_t size = bytes.size();
    std::uint64_t state = kA ^ size;
    if (size < 16) {
        char padded[16] = {};
        if (size != 0) std::memcpy(padded, bytes.data(), size);
        return fold(fold(load64(padded) ^ kA, load64(padded + 8) ^ state), kB);
    }
    const char* at = bytes.data();
    for (std::size_t left = size; left > 16; left -= 16, at += 16)
        state = fold(load64(at) ^ kA, load64(at + 8) ^ state);
    const char* last = bytes.data() + size - 16;
    return fold(fold(load64(last) ^ kA, load64(last + 8) ^ state), kB ^ size);
}

}  // namespace muster::store
