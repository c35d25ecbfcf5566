#include "api/schema/walk.h"

#include <algorithm>
#include <cstring>

#include "api/schema/residue.h"
#include "api/schema/word.h"

namespace muster::api {

bool is_zero(const TypeInfo& type, const void* object) {
    if (!residue_of(object).empty()) return false;
    return std::all_of(type.fields.begin(), type.fields.end(), [&](const FieldInfo& field) {
        return is_zero(*field.value, static_cast<const char*>(object) + field.offset);
    });
}

bool is_zero(const ValueInfo& info, const void* value) {
    switch (info.shape) {
        case Shape::kBool: return !*static_cast<const bool*>(value);
        case Shape::kInt32: return *static_cast<const std::int32_t*>(value) == 0;
        case Shape::kInt64: return *static_cast<const std::int64_t*>(value) == 0;
        case Shape::kDouble: return *static_cast<const double*>(value) == 0;
        case Shape::kText: return static_cast<const Text*>(value)->empty();
        case Shape::kBytes: return static_cast<const Bytes*>(value)->bytes.empty();
        case Shape::kRaw: return static_cast<const RawJson*>(value)->json.empty();
        case Shape::kScalar: return info.scalar->empty(value);
        case Shape::kStruct: return is_zero(info.type(), value);
        case Shape::kList:
        case Shape::kMap: return info.count(value) == 0;
        case Shape::kOptional:
        case Shape::kBox: return info.get(value) == nullptr;
    }
    return false;
}

namespace {

template <class T>
bool is_same(const void* left, const void* right) {
    return *static_cast<const T*>(left) == *static_cast<const T*>(right);
}

// Compares two values. kSharing asks of shared fields that they be the same block; kKnown leaves unknown fields out.
class Equality {
public:
    enum Way { kPlain, kSharing, kKnown };
    explicit Equality(Way way) : way_(way) {}

    bool structs(const TypeInfo& type, const void* left, const void* right) const {
        // The same bytes are the same texts, numbers and blocks. Copies of one object mostly are that, field by field.
        if (left == right || std::memcmp(left, right, type.size) == 0) return true;
        if (way_ != kKnown && residue_of(left) != residue_of(right)) return false;
        return std::all_of(type.fields.begin(), type.fields.end(),
                           [&](const FieldInfo& field) { return members(field, left, right); });
    }

    bool members(const FieldInfo& field, const void* left_object, const void* right_object) const {
        const void* left = static_cast<const char*>(left_object) + field.offset;
        const void* right = static_cast<const char*>(right_object) + field.offset;
        if (is_word(field.value->shape) && word_of(left) == word_of(right)) return true;
        return way_ == kSharing && field.options.shared ? blocks(*field.value, left, right)
                                                        : values(*field.value, left, right);
    }

    bool values(const ValueInfo& info, const void* left, const void* right) const {
        switch (info.shape) {
            case Shape::kBool: return is_same<bool>(left, right);
            case Shape::kInt32: return is_same<std::int32_t>(left, right);
            case Shape::kInt64: return is_same<std::int64_t>(left, right);
            case Shape::kDouble: return is_same<double>(left, right);
            case Shape::kText: return is_same<Text>(left, right);
            case Shape::kBytes: return is_same<Bytes>(left, right);
            case Shape::kRaw: return is_same<RawJson>(left, right);
            case Shape::kScalar: return info.scalar->equal(left, right);
            case Shape::kStruct: return structs(info.type(), left, right);
            case Shape::kList:
            case Shape::kMap: return elements(info, left, right);
            case Shape::kOptional:
            case Shape::kBox: {
                const void* a = info.get(left);
                const void* b = info.get(right);
                return a == b || (a && b && values(*info.element, a, b));
            }
        }
        return false;
    }

private:
    bool elements(const ValueInfo& info, const void* left, const void* right) const {
        const std::size_t count = info.count(left);
        if (count != info.count(right)) return false;
        if (count == 0 || info.at(left, 0) == info.at(right, 0)) return true;
        for (std::size_t i = 0; i < count; ++i) {
            if (info.key_at && info.key_at(left, i) != info.key_at(right, i)) return false;
            if (!values(*info.element, info.at(left, i), info.at(right, i))) return false;
        }
        return true;
    }

    // Absent ones are the same, and so are empty ones.
    static bool blocks(const ValueInfo& info, const void* left, const void* right) {
        if (info.shape == Shape::kBox) return info.get(left) == info.get(right);
        const std::size_t count = info.count(left);
        return count == info.count(right) && (count == 0 || info.at(left, 0) == info.at(right, 0));
    }

    const Way way_;
};

}  // namespace

bool is_equal(const TypeInfo& type, const void* left, const void* right) {
    return Equality(Equality::kPlain).structs(type, left, right);
}
bool is_equal(const ValueInfo& info, const void* left, const void* right) {
    return Equality(Equality::kPlain).values(info, left, right);
}
bool is_equal(const FieldInfo& field, const void* left_object, const void* right_object) {
    return Equality(Equality::kPlain).members(field, left_object, right_object);
}
bool is_equal_known(const ValueInfo& info, const void* left, const void* right) {
    return Equality(Equality::kKnown).values(info, left, right);
}
bool is_equal_sharing(const TypeInfo& type, const void* left, const void* right) {
    return Equality(Equality::kSharing).structs(type, left, right);
}
bool is_equal_sharing(const FieldInfo& field, const void* left_object, const void* right_object) {
    return Equality(Equality::kSharing).members(field, left_object, right_object);
}

}  // namespace muster::api
