#include "api/schema/footprint.h"

#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "api/schema/residue.h"
#include "api/schema/word.h"

namespace muster::api {
namespace {

constexpr std::size_t kBlockHeader = 8;
constexpr std::size_t kInlineTextMax = 7;  // a shorter text is in the word itself

struct Plan;

// A member that may hold blocks: of a struct, or of one that is a member of it.
struct Holder {
    std::size_t offset = 0;
    const ValueInfo* info = nullptr;
    const Plan* element = nullptr;  // of the struct that it holds, or that its elements are
    bool is_word = false;
};

struct Plan {
    std::size_t size = 0;
    std::vector<Holder> holders{};
};

bool may_hold(const ValueInfo& info) {
    return is_word(info.shape) || info.shape == Shape::kStruct ||
           (info.shape == Shape::kOptional && may_hold(*info.element));
}

const Plan& plan_of(const TypeInfo& type);

void add_holders(const TypeInfo& type, std::size_t offset, std::vector<Holder>& holders) {
    holders.push_back({offset, &value_info<Text>(), nullptr, true});  // the residue
    for (const FieldInfo& field : type.fields) {
        const ValueInfo& value = *field.value;
        if (value.shape == Shape::kStruct) {
            add_holders(value.type(), offset + field.offset, holders);
        } else if (may_hold(value)) {
            const bool of_structs = value.element && value.element->shape == Shape::kStruct;
            const Plan* element = of_structs ? &plan_of(value.element->type()) : nullptr;
            holders.push_back({offset + field.offset, &value, element, is_word(value.shape)});
        }
    }
}

// Every write asks for them: made once in each thread.
const Plan& plan_of(const TypeInfo& type) {
    thread_local std::unordered_map<const TypeInfo*, std::unique_ptr<Plan>> known;
    std::unique_ptr<Plan>& plan = known[&type];
    if (plan) return *plan;
    // Known before it is complete: a struct may hold others of its own type.
    Plan& made = *(plan = std::make_unique<Plan>(Plan{type.size}));
    add_holders(type, 0, made.holders);
    return made;
}

std::size_t text_block(std::string_view text) { return text.size() <= kInlineTextMax ? 0 : kBlockHeader + text.size(); }

// `element` is of the struct that it is or holds; null where that is not known.
std::size_t blocks_of_value(const ValueInfo& info, const Plan* element, const void* value, const void* beside);

// The blocks that a struct holds, without the struct itself. Most members hold nothing, or the same block.
std::size_t blocks_of_struct(const Plan& plan, const void* object, const void* beside) {
    if (beside && std::memcmp(object, beside, plan.size) == 0) return 0;
    std::size_t bytes = 0;
    for (const Holder& holder : plan.holders) {
        const void* value = static_cast<const char*>(object) + holder.offset;
        const void* other = beside ? static_cast<const char*>(beside) + holder.offset : nullptr;
        if (holder.is_word && (word_of(value) == 0 || (other && word_of(value) == word_of(other)))) continue;
        bytes += blocks_of_value(*holder.info, holder.element, value, other);
    }
    return bytes;
}

std::size_t blocks_of_items(const ValueInfo& info, const Plan* element, const void* value, const void* beside) {
    const std::size_t count = info.count(value);
    const std::size_t beside_count = beside ? info.count(beside) : 0;
    const std::size_t key_size = info.key_at ? sizeof(Text) : 0;
    std::size_t bytes = kBlockHeader + count * (key_size + info.element->size);
    for (std::size_t i = 0; i < count; ++i) {
        const bool both = i < beside_count;
        // A key that is the same text is taken to be the same block, which it mostly is.
        if (info.key_at && !(both && info.key_at(value, i) == info.key_at(beside, i)))
            bytes += text_block(info.key_at(value, i));
        bytes += blocks_of_value(*info.element, element, info.at(value, i), both ? info.at(beside, i) : nullptr);
    }
    return bytes;
}

std::size_t blocks_of_value(const ValueInfo& info, const Plan* element, const void* value, const void* beside) {
    if (is_word(info.shape) && (word_of(value) == 0 || (beside && word_of(value) == word_of(beside)))) return 0;
    switch (info.shape) {
        case Shape::kText: return text_block(*static_cast<const Text*>(value));
        case Shape::kBytes: return text_block(static_cast<const Bytes*>(value)->bytes);
        case Shape::kRaw: return text_block(static_cast<const RawJson*>(value)->json);
        case Shape::kStruct: return blocks_of_struct(element ? *element : plan_of(info.type()), value, beside);
        case Shape::kList:
        case Shape::kMap: return blocks_of_items(info, element, value, beside);
        case Shape::kBox:
            return kBlockHeader + info.element->size +
                   blocks_of_value(*info.element, element, info.get(value), beside ? info.get(beside) : nullptr);
        case Shape::kOptional: {
            const void* held = info.get(value);
            return held ? blocks_of_value(*info.element, element, held, beside ? info.get(beside) : nullptr) : 0;
        }
        default: return 0;  // in the object itself; an unusual Quantity's few digits beside it do not matter
    }
}

}  // namespace

std::size_t footprint(const TypeInfo& type, const void* object, const void* beside) {
    return type.size + blocks_of_struct(plan_of(type), object, beside);
}

}  // namespace muster::api
