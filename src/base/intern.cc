#include "base/intern.h"

#include <array>
#include <cstring>

namespace muster {
namespace {

constexpr std::size_t kSlots = 4096;
constexpr std::size_t kSizeMin = 8;    // shorter text holds itself
constexpr std::size_t kSizeMax = 256;  // longer text is seldom seen twice

std::uint64_t load(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Of the size, both ends and the middle: what tells names apart is mostly there, and a clash only costs the sharing.
std::size_t slot_of(std::string_view text) {
    const std::uint64_t head = load(text.data());
    const std::uint64_t middle = load(text.data() + (text.size() - 8) / 2);
    const std::uint64_t tail = load(text.data() + text.size() - 8);
    std::uint64_t mixed = (head ^ text.size()) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ middle ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ tail ^ (mixed >> 32)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>(mixed >> 52);
}
static_assert(kSlots == std::size_t{1} << (64 - 52));

}  // namespace

Text intern(std::string_view text) {
    if (text.size() < kSizeMin || text.size() > kSizeMax) return Text(text);
    thread_local std::array<Text, kSlots> cache;
    Text& slot = cache[slot_of(text)];
    if (!(slot == text)) slot = Text(text);
    return slot;
}

}  // namespace muster
