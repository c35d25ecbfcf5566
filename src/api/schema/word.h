// Most members are one machine word that is zero when they hold nothing: texts, lists, maps, boxes. Most of an object's
// members hold nothing, so the walks over its fields look at that word before they do anything else.
#pragma once

#include <cstdint>
#include <cstring>

#include "api/schema/value_info.h"

namespace muster::api {

inline bool is_word(Shape shape) {
    constexpr auto bit = [](Shape of) { return 1u << static_cast<unsigned>(of); };
    constexpr unsigned kWords = bit(Shape::kText) | bit(Shape::kBytes) | bit(Shape::kRaw) | bit(Shape::kList) |
                                bit(Shape::kMap) | bit(Shape::kBox);
    return (kWords >> static_cast<unsigned>(shape) & 1u) != 0;
}
static_assert(sizeof(Text) == sizeof(std::uintptr_t) && sizeof(List<Text>) == sizeof(std::uintptr_t) &&
              sizeof(Map<Text>) == sizeof(std::uintptr_t) && sizeof(Box<Text>) == sizeof(std::uintptr_t) &&
              sizeof(Bytes) == sizeof(std::uintptr_t) && sizeof(RawJson) == sizeof(std::uintptr_t));

inline std::uintptr_t word_of(const void* value) {
    std::uintptr_t word;
    std::memcpy(&word, value, sizeof word);
    return word;
}

// True when the value is null or empty for sure; false when it must be looked at.
inline bool is_plainly_empty(const ValueInfo& info, const void* value) {
    return is_word(info.shape) && word_of(value) == 0;
}

}  // namespace muster::api
