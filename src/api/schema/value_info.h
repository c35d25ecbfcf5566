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
// Its copies do not throw, and it holds no pointer into itself: lists of declared types move it as bytes.
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
struct ScalarCode {
    using S = ScalarTraits<T>;
    static bool empty(const void* p) { return S::empty(as<T>(p)); }
    static bool equal(const void* a, const void* b) {
        if constexpr (requires { S::same(as<T>(a), as<T>(b)); })
            return S::same(as<T>(a), as<T>(b));
        else
            return as<T>(a) == as<T>(b);
    }
    static bool from_json(void* p, JsonToken token, std::string& error) { return S::from_json(as<T>(p), token, error); }
    static void append_json(const void* p, std::string& out) { S::append_json(as<T>(p), out); }
    static bool from_protobuf(void* p, std::string_view bytes) { return S::from_protobuf(as<T>(p), bytes); }
    static void append_protobuf(const void* p, std::string& out) { S::append_protobuf(as<T>(p), out); }
};
template <class T>
inline constexpr ScalarOps kScalarOps{
    .openapi_type = ScalarTraits<T>::kOpenapiType,
    .openapi_format = ScalarTraits<T>::kOpenapiFormat,
    .openapi_name = ScalarTraits<T>::kOpenapiName,
    .expected = ScalarTraits<T>::kExpected,
    .is_message = ScalarTraits<T>::kIsMessage,
    .empty = &ScalarCode<T>::empty,
    .equal = &ScalarCode<T>::equal,
    .from_json = &ScalarCode<T>::from_json,
    .append_json = &ScalarCode<T>::append_json,
    .from_protobuf = &ScalarCode<T>::from_protobuf,
    .append_protobuf = &ScalarCode<T>::append_protobuf,
};

// What there is to say of a type beside its size and its reset(). Constant data and named functions: compilers take
// longer for lambdas, and for functions that fill tables at run time.
template <class T>
struct Describe {  // a struct with a TYPE declaration, or a special scalar
    static constexpr ValueInfo make() {
        if constexpr (requires { T::info(); })
            return {.shape = Shape::kStruct, .type = &T::info};
        else
            return {.shape = Shape::kScalar, .scalar = &kScalarOps<T>};
    }
};
template <Shape kShape>
struct DescribePlain {
    static constexpr ValueInfo make() { return {.shape = kShape}; }
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

template <class T>
void reset(void* p) {
    as<T>(p) = T{};
}
template <class T>
constexpr ValueInfo describe() {
    ValueInfo info = Describe<T>::make();
    info.size = sizeof(T);
    info.reset = &reset<T>;
    return info;
}
template <class T>
inline constexpr ValueInfo kValueInfo = describe<T>();

}  // namespace detail

template <class T>
constexpr const ValueInfo& value_info() {
    return detail::kValueInfo<T>;
}

namespace detail {

template <class T>
struct Describe<List<T>> {
    using L = List<T>;
    static bool is_null(const void* p) { return as<L>(p).is_null(); }
    static void make_present(void* p) { as<L>(p).edit(); }
    static void reserve(void* p, std::size_t count) { as<L>(p).edit().reserve(count); }
    static std::size_t count(const void* p) { return as<L>(p).size(); }
    static const void* at(const void* p, std::size_t i) { return &as<L>(p)[i]; }
    static void* append(void* p) { return &as<L>(p).edit().emplace_back(); }
    static SharedBlock hold(const void* p) { return SharedBlock(as<L>(p).shared()); }
    static void adopt(void* p, const SharedBlock& b) { as<L>(p).share(b.ref<ItemBlock<T>>()); }
    static constexpr ValueInfo make() {
        return {.shape = Shape::kList,
                .element = &kValueInfo<T>,
                .is_null = &is_null,
                .make_present = &make_present,
                .reserve = &reserve,
                .count = &count,
                .at = &at,
                .append = &append,
                .hold = &hold,
                .adopt = &adopt};
    }
};
template <class V>
struct Describe<Map<V>> {
    using M = Map<V>;
    static bool is_null(const void* p) { return as<M>(p).is_null(); }
    static void make_present(void* p) { as<M>(p).make_present(); }
    static void reserve(void* p, std::size_t count) { as<M>(p).reserve(count); }
    static std::size_t count(const void* p) { return as<M>(p).size(); }
    static const void* at(const void* p, std::size_t i) { return &as<M>(p).begin()[i].value; }
    static std::string_view key_at(const void* p, std::size_t i) { return as<M>(p).begin()[i].key.view(); }
    static void* insert(void* p, std::string_view key, bool* added) { return &as<M>(p).edit(key, added); }
    static SharedBlock hold(const void* p) { return SharedBlock(as<M>(p).shared()); }
    static void adopt(void* p, const SharedBlock& b) { as<M>(p).share(b.ref<ItemBlock<typename M::Entry>>()); }
    static constexpr ValueInfo make() {
        return {.shape = Shape::kMap,
                .element = &kValueInfo<V>,
                .is_null = &is_null,
                .make_present = &make_present,
                .reserve = &reserve,
                .count = &count,
                .at = &at,
                .key_at = &key_at,
                .insert = &insert,
                .hold = &hold,
                .adopt = &adopt};
    }
};
template <class T>
struct Describe<std::optional<T>> {
    using O = std::optional<T>;
    static bool is_null(const void* p) { return !as<O>(p).has_value(); }
    static const void* get(const void* p) { return as<O>(p) ? &*as<O>(p) : nullptr; }
    static void* emplace(void* p) { return as<O>(p) ? &*as<O>(p) : &as<O>(p).emplace(); }
    static constexpr ValueInfo make() {
        return {.shape = Shape::kOptional,
                .element = &kValueInfo<T>,
                .is_null = &is_null,
                .get = &get,
                .emplace = &emplace};
    }
};
template <class T>
struct Describe<Box<T>> {
    using B = Box<T>;
    static bool is_null(const void* p) { return as<B>(p).get() == nullptr; }
    static const void* get(const void* p) { return as<B>(p).get(); }
    static void* emplace(void* p) { return &as<B>(p).edit(); }
    static SharedBlock hold(const void* p) { return SharedBlock(as<B>(p).shared()); }
    static void adopt(void* p, const SharedBlock& b) { as<B>(p).share(b.as<T>()); }
    static constexpr ValueInfo make() {
        return {.shape = Shape::kBox,
                .element = &kValueInfo<T>,
                .is_null = &is_null,
                .get = &get,
                .emplace = &emplace,
                .hold = &hold,
                .adopt = &adopt};
    }
};

}  // namespace detail
}  // namespace muster::api
