#include "base/intern.h"

#include <array>
#include <cstring>
#include <utility>

namespace muster {
namespace {

constexpr std::size_t kSlots = 2048;
constexpr std::size_t kSizeMin = 8;    // shorter text holds itself
constexpr std::size_t kSizeMax = 256;  // longer text is seldom seen twice

struct Known {
    std::uint64_t mark = 0;
    Text text;
    bool is(std::uint64_t other_mark, std::string_view other) const { return mark == other_mark && text == other; }
};
struct Slot {
    Known common;  // has come more than once
    Known latest;
};

std::uint64_t load(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Of the size, both ends and the middle: what tells names apart is mostly there, and a clash only costs the sharing.
std::uint64_t mark_of(std::string_view text) {
    const std::uint64_t head = load(text.data());
    const std::uint64_t middle = load(text.data() + (text.size() - 8) / 2);
    const std::uint64_t tail = load(text.data() + text.size() - 8);
    std::uint64_t mixed = (head ^ text.size()) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ middle ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ tail ^ (mixed >> 32)) * 0x94d049bb133111ebu;
    return mixed;
}
constexpr int kSlotShift = 53;
static_assert(kSlots == std::size_t{1} << (64 - kSlotShift));

}  // namespace

// A text that comes for the first time does not take the place of one that has come again: names and UIDs, of which
// every object has its own, would else drive out what objects have in common.
Text intern(std::string_view text) {
    if (text.size() < kSizeMin || text.size() > kSizeMax) return Text(text);
    thread_local std::array<Slot, kSlots> cache;
    const std::uint64_t mark = mark_of(text);
    Slot& slot = cache[mark >> kSlotShift];
    if (slot.common.is(mark, text)) return slot.common.text;
    if (slot.latest.is(mark, text)) {
        std::swap(slot.common, slot.latest);
        return slot.common.text;
    }
    slot.latest = {mark, Text(text)};
    return slot.latest.text;
}

}  // namespace muster
