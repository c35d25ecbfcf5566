#include "api/schema/footprint.h"

#include <cstring>
#include <unordered_map>
#include <vector>

#include "api/schema/word.h"

namespace muster::api {
namespace {

constexpr std::size_t kBlockHeader = 8;
constexpr std::size_t kInlineTextMax = 7;  // a shorter text is in the word itself

// A member that may hold blocks: of a struct, or of one that is a member of it.
struct Holder {
    std::size_t offset = 0;
    const ValueInfo* info = nullptr;
    bool is_word = false;
};
using Holders = std::vector<Holder>;

bool may_hold(const ValueInfo& info) {
    return is_word(info.shape) || info.shape == Shape::kStruct ||
           (info.shape == Shape::kOptional && may_hold(*info.element));
}

void add_holders(const TypeInfo& type, std::size_t offset, Holders& holders) {
    for (const FieldInfo& field : type.fields) {
        if (field.value->shape == Shape::kStruct)
            add_holders(field.value->type(), offset + field.offset, holders);
        else if (may_hold(*field.value))
            holders.push_back({offset + field.offset, field.value, is_word(field.value->shape)});
    }
}

// Every write asks for them: collected once in each thread.
const Holders& holders_of(const TypeInfo& type) {
    thread_local std::unordered_map<const TypeInfo*, Holders> known;
    const auto [found, added] = known.try_emplace(&type);
    if (added) {
        Holders holders;
        add_holders(type, 0, holders);
        found->second = std::move(holders);
    }
    return found->second;
}

std::size_t text_block(std::string_view text) { return text.size() <= kInlineTextMax ? 0 : kBlockHeader + text.size(); }

std::size_t blocks_of_value(const ValueInfo& info, const void* value, const void* beside);

// The blocks that a struct holds, without the struct itself. Most members hold nothing, or the same block.
std::size_t blocks_of_struct(const TypeInfo& type, const void* object, const void* beside) {
    if (beside && std::memcmp(object, beside, type.size) == 0) return 0;
    std::size_t bytes = 0;
    for (const Holder& holder : holders_of(type)) {
        const void* value = static_cast<const char*>(object) + holder.offset;
        const void* other = beside ? static_cast<const char*>(beside) + holder.offset : nullptr;
        if (holder.is_word && (word_of(value) == 0 || (other && word_of(value) == word_of(other)))) continue;
        bytes += blocks_of_value(*holder.info, value, other);
    }
    return bytes;
}

std::size_t blocks_of_items(const ValueInfo& info, const void* value, const void* beside) {
    const std::size_t count = info.count(value);
    const std::size_t beside_count = beside ? info.count(beside) : 0;
    const std::size_t key_size = info.key_at ? sizeof(Text) : 0;
    std::size_t bytes = kBlockHeader + count * (key_size + info.element->size);
    for (std::size_t i = 0; i < count; ++i) {
        const bool both = i < beside_count;
        // A key that is the same text is taken to be the same block, which it mostly is.
        if (info.key_at && !(both && info.key_at(value, i) == info.key_at(beside, i)))
            bytes += text_block(info.key_at(value, i));
        bytes += blocks_of_value(*info.element, info.at(value, i), both ? info.at(beside, i) : nullptr);
    }
    return bytes;
}

std::size_t blocks_of_value(const ValueInfo& info, const void* value, const void* beside) {
    if (is_word(info.shape) && (word_of(value) == 0 || (beside && word_of(value) == word_of(beside)))) return 0;
    switch (info.shape) {
        case Shape::kText: return text_block(*static_cast<const Text*>(value));
        case Shape::kBytes: return text_block(static_cast<const Bytes*>(value)->bytes);
        case Shape::kRaw: return text_block(static_cast<const RawJson*>(value)->json);
        case Shape::kStruct: return blocks_of_struct(info.type(), value, beside);
        case Shape::kList:
        case Shape::kMap: return blocks_of_items(info, value, beside);
        case Shape::kBox:
            return kBlockHeader + info.element->size +
                   blocks_of_value(*info.element, info.get(value), beside ? info.get(beside) : nullptr);
        case Shape::kOptional: {
            const void* held = info.get(value);
            return held ? blocks_of_value(*info.element, held, beside ? info.get(beside) : nullptr) : 0;
        }
        default: return 0;  // in the object itself; an unusual Quantity's few digits beside it do not matter
    }
}

}  // namespace

std::size_t footprint(const TypeInfo& type, const void* object, const void* beside) {
    return type.size + blocks_of_struct(type, object, beside);
}

}  // namespace muster::api
