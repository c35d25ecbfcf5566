// How to read and write a C++ member without knowing its type at compile time. Every codec, diff and schema writer is
// one loop over these tables, so a new type costs a declaration and no code.
// A ValueInfo describes one member type: int32_t, Text, List<Container>, Box<Probe>, …
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/box.h"
#include "base/list.h"
#include "base/map.h"
#include "base/text.h"

namespace muster::api {

struct TypeInfo;

enum class Shape : std::uint8_t {
    kBool,
    kInt32,
    kInt64,
    kDouble,
    kText,
    kBytes,     // base64 in JSON
    kRaw,       // any JSON, kept as its text
    kScalar,    // Quantity, Time, IntOrString, …: see ScalarOps
    kStruct,    //
    kList,      //
    kMap,       // keys are text
    kOptional,  // a scalar that Kubernetes' Go type points to
    kBox,       // a struct that Kubernetes' Go type points to
};

// A token of JSON that can stand for a scalar.
struct JsonToken {
    enum class Kind : std::uint8_t { kString, kNumber, kTrue, kFalse };
    Kind kind;
    std::string_view text;  // unescaped for a string, verbatim for a number
};

// What a special scalar must say of itself. Specialise ScalarTraits<T> with static functions of these names and types;
// `empty` is what Go's zero value is. One whose == is looser than "prints the same" (1024 and 1Ki) also has `same`.
struct ScalarOps {
    const char* openapi_type;    // "string"; null when one type does not say it (see openapi_one_of)
    const char* openapi_format;  // "date-time", "int-or-string", or null
    const char* openapi_name;    // the schema that Kubernetes' documents refer to: "io.k8s.….Quantity"
    const char* expected;        // for errors: "a quantity such as 500m or 2Gi"
    bool is_message;             // protobuf: a nested message, otherwise a plain string
    bool (*empty)(const void*);
    bool (*equal)(const void*, const void*);
    bool (*from_json)(void*, JsonToken token, std::string& error);  // false with an error text
    void (*append_json)(const void*, std::string& out);
    bool (*from_protobuf)(void*, std::string_view bytes);
    void (*append_protobuf)(const void*, std::string& out);
};
template <class T>
struct ScalarTraits;

// Text kept as the JSON it was: managedFields' fieldsV1, embedded objects. Empty means absent.
struct RawJson {
    Text json;
    bool operator==(const RawJson&) const = default;
};
// Raw bytes: Secret data. Kept in a Text, printed as base64.
struct Bytes {
    Text bytes;
    bool operator==(const Bytes&) const = default;
};

struct ValueInfo {
    Shape shape{};
    std::uint32_t size = 0;
    const ValueInfo* element = nullptr;                                   // list, map, optional, box
    const TypeInfo& (*type)() = nullptr;                                  // struct
    const ScalarOps* scalar = nullptr;                                    // scalar
    void (*reset)(void*) = nullptr;                                       // back to a new object's value
    bool (*is_null)(const void*) = nullptr;                               // list, map, optional, box
    void (*make_present)(void*) = nullptr;                                // list, map: exists, though empty
    void (*reserve)(void*, std::size_t) = nullptr;                        // list, map: room for so many
    std::size_t (*count)(const void*) = nullptr;                          // list, map
    const void* (*at)(const void*, std::size_t) = nullptr;                // list, map: element or value
    std::string_view (*key_at)(const void*, std::size_t) = nullptr;       // map
    void* (*append)(void*) = nullptr;                                     // list
    void* (*insert)(void*, std::string_view key, bool* added) = nullptr;  // map
    const void* (*get)(const void*) = nullptr;                            // optional, box; null when absent
    void* (*emplace)(void*) = nullptr;                                    // optional, box
    SharedBlock (*hold)(const void*) = nullptr;                           // list, map, box
    void (*adopt)(void*, const SharedBlock&) = nullptr;                   // list, map, box
};

namespace detail {

template <class T>
T& as(void* p) {
    return *static_cast<T*>(p);
}
template <class T>
const T& as(const void* p) {
    return *static_cast<const T*>(p);
}

template <class T>
const ScalarOps& scalar_ops() {
    using S = ScalarTraits<T>;
    static constexpr ScalarOps ops{
        .openapi_type = S::kOpenapiType,
        .openapi_format = S::kOpenapiFormat,
        .openapi_name = S::kOpenapiName,
        .expected = S::kExpected,
        .is_message = S::kIsMessage,
        .empty = [](const void* p) { return S::empty(as<T>(p)); },
        .equal =
            [](const void* a, const void* b) {
                if constexpr (requires { S::same(as<T>(a), as<T>(b)); }) return S::same(as<T>(a), as<T>(b));
                return as<T>(a) == as<T>(b);
            },
        .from_json = [](void* p, JsonToken token, std::string& error) { return S::from_json(as<T>(p), token, error); },
        .append_json = [](const void* p, std::string& out) { S::append_json(as<T>(p), out); },
        .from_protobuf = [](void* p, std::string_view bytes) { return S::from_protobuf(as<T>(p), bytes); },
        .append_protobuf = [](const void* p, std::string& out) { S::append_protobuf(as<T>(p), out); },
    };
    return ops;
}

template <class T>
struct Describe {  // a struct with a TYPE declaration, or a special scalar
    static ValueInfo make() {
        ValueInfo info;
        if constexpr (requires { T::info(); }) {
            info.shape = Shape::kStruct;
            info.type = &T::info;
        } else {
            info.shape = Shape::kScalar;
            info.scalar = &scalar_ops<T>();
        }
        return info;
    }
};
template <Shape kShape>
struct DescribePlain {
    static ValueInfo make() { return {.shape = kShape}; }
};
template <>
struct Describe<bool> : DescribePlain<Shape::kBool> {};
template <>
struct Describe<std::int32_t> : DescribePlain<Shape::kInt32> {};
template <>
struct Describe<std::int64_t> : DescribePlain<Shape::kInt64> {};
template <>
struct Describe<double> : DescribePlain<Shape::kDouble> {};
template <>
struct Describe<Text> : DescribePlain<Shape::kText> {};
template <>
struct Describe<Bytes> : DescribePlain<Shape::kBytes> {};
template <>
struct Describe<RawJson> : DescribePlain<Shape::kRaw> {};

}  // namespace detail

template <class T>
const ValueInfo& value_info() {
    static const ValueInfo info = [] {
        ValueInfo made = detail::Describe<T>::make();
        made.size = sizeof(T);
        made.reset = [](void* p) { detail::as<T>(p) = T{}; };
        return made;
    }();
    return info;
}

namespace detail {

template <class T>
struct Describe<List<T>> {
    using L = List<T>;
    static ValueInfo make() {
        ValueInfo info{.shape = Shape::kList, .element = &value_info<T>()};
        info.is_null = [](const void* p) { return as<L>(p).is_null(); };
        info.make_present = [](void* p) { as<L>(p).edit(); };
        info.reserve = [](void* p, std::size_t count) { as<L>(p).edit().reserve(count); };
        info.count = [](const void* p) { return as<L>(p).size(); };
        info.at = [](const void* p, std::size_t i) -> const void* { return &as<L>(p)[i]; };
        info.append = [](void* p) -> void* { return &as<L>(p).edit().emplace_back(); };
        info.hold = [](const void* p) { return SharedBlock(as<L>(p).shared()); };
        info.adopt = [](void* p, const SharedBlock& b) { as<L>(p).share(b.ref<ItemBlock<T>>()); };
        return info;
    }
};
template <class V>
struct Describe<Map<V>> {
    using M = Map<V>;
    static ValueInfo make() {
        ValueInfo info{.shape = Shape::kMap, .element = &value_info<V>()};
        info.is_null = [](const void* p) { return as<M>(p).is_null(); };
        info.make_present = [](void* p) { as<M>(p).make_present(); };
        info.reserve = [](void* p, std::size_t count) { as<M>(p).reserve(count); };
        info.count = [](const void* p) { return as<M>(p).size(); };
        info.at = [](const void* p, std::size_t i) -> const void* { return &as<M>(p).begin()[i].value; };
        info.key_at = [](const void* p, std::size_t i) { return as<M>(p).begin()[i].key.view(); };
        info.insert = [](void* p, std::string_view key, bool* added) -> void* { return &as<M>(p).edit(key, added); };
        info.hold = [](const void* p) { return SharedBlock(as<M>(p).shared()); };
        info.adopt = [](void* p, const SharedBlock& b) { as<M>(p).share(b.ref<ItemBlock<typename M::Entry>>()); };
        return info;
    }
};
template <class T>
struct Describe<std::optional<T>> {
    using O = std::optional<T>;
    static ValueInfo make() {
        ValueInfo info{.shape = Shape::kOptional, .element = &value_info<T>()};
        info.is_null = [](const void* p) { return !as<O>(p).has_value(); };
        info.get = [](const void* p) -> const void* { return as<O>(p) ? &*as<O>(p) : nullptr; };
        info.emplace = [](void* p) -> void* { return as<O>(p) ? &*as<O>(p) : &as<O>(p).emplace(); };
        return info;
    }
};
template <class T>
struct Describe<Box<T>> {
    using B = Box<T>;
    static ValueInfo make() {
        ValueInfo info{.shape = Shape::kBox, .element = &value_info<T>()};
        info.is_null = [](const void* p) { return as<B>(p).get() == nullptr; };
        info.get = [](const void* p) -> const void* { return as<B>(p).get(); };
        info.emplace = [](void* p) -> void* { return &as<B>(p).edit(); };
        info.hold = [](const void* p) { return SharedBlock(as<B>(p).shared()); };
        info.adopt = [](void* p, const SharedBlock& b) { as<B>(p).share(b.as<T>()); };
        return info;
    }
};

}  // namespace detail
}  // namespace muster::api
