// The one declaration of an API type. From
//
//     struct Container {
//         TYPE(Container, "One process of a pod.")
//         FIELD(1, Text, name, "Its name, unique in the pod.", .required = true)
//         FIELD(7, List<EnvVar>, env, "…", .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
//         FIELD(8, ResourceRequirements, resources, "…")
//         FIELD(15, Box<SecurityContext>, security_context, "…")
//     };
//
// in a header and `DEFINE_TYPE(Container)` in one .cc come the member itself and everything that codecs, schemas,
// patches and diffs know of it. The number is the protobuf field number. The C++ type says the rest:
//
//     T                   a value in Go: a struct is always printed, a scalar or text only when not empty
//     std::optional<T>    a pointer to a scalar in Go: printed when set, zero included
//     Box<T>              a pointer to a struct in Go
//     List<T>, Map<V>     a slice, a map with text keys
//
// GATED declares a field whose feature is off: clients may send it, it is described in schemas, and it has no member,
// so that its value is dropped.
//
// TYPE looks up `kPackage` in the enclosing namespace: "io.k8s.api.core.v1". It also declares the first member,
// `residue`: the fields of a document that the type does not know (see residue.h).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "api/schema/residue.h"
#include "api/schema/type_info.h"

namespace muster::api {

template <int kNumber>
using FieldNumber = std::integral_constant<int, kNumber>;
inline constexpr int kFieldNumberMax = 63;

namespace detail {

template <class T, int kNumber>
concept DeclaresField = requires {
    T::template declared_field<void>(FieldNumber<kNumber>{});
};
template <class T>
concept IsKind = requires {
    T::kKindOptions;
};

// Bit N - 1: the type declares a field of number N.
template <class T, int... kIndex>
constexpr std::uint64_t declared_numbers(std::integer_sequence<int, kIndex...>) {
    return ((std::uint64_t{DeclaresField<T, kIndex + 1>} << kIndex) | ...);
}
constexpr int nth_number(std::uint64_t numbers, int n) {
    for (; n > 0; --n) numbers &= numbers - 1;
    return std::countr_zero(numbers) + 1;
}
template <class T, std::uint64_t kNumbers, int... kIndex>
constexpr std::array<FieldDecl, sizeof...(kIndex)> collect_fields(std::integer_sequence<int, kIndex...>) {
    return {T::template declared_field<void>(FieldNumber<nth_number(kNumbers, kIndex)>{})...};
}
// By number. Data and no code: what a compiler makes of code for each field takes it minutes.
template <class T>
struct FieldTable {
    static constexpr std::uint64_t kNumbers = declared_numbers<T>(std::make_integer_sequence<int, kFieldNumberMax>());
    static constexpr auto kFields =
        collect_fields<T, kNumbers>(std::make_integer_sequence<int, std::popcount(kNumbers)>());
};

// Compiled once for each type, and called for single values and for those of lists.
template <class T>
[[gnu::noinline]] void destroy_value(void* value) noexcept {
    static_cast<T*>(value)->~T();
}
template <class T>
void copy_value(void* to, const void* value) noexcept {
    new (to) T(*static_cast<const T*>(value));
}
template <class T>
constexpr ValueCode value_code() {
    return {sizeof(T), &destroy_value<T>, &copy_value<T>};
}

// Depends on Lazy, so that a header full of declarations instantiates nothing until DEFINE_TYPE asks.
template <class Lazy, class T>
constexpr const ValueInfo* value_info_of() {
    return &kValueInfo<T>;
}

}  // namespace detail

template <class T>
TypeInfo build_type() {
    static_assert(offsetof(T, residue) == 0, "residue_of() finds it at the start of every struct");
    return TypeInfo(T::kTypeName, T::kTypePackage, T::kTypeDoc, T::kTypeOptions, sizeof(T), detail::IsKind<T>,
                    detail::FieldTable<T>::kFields);
}

}  // namespace muster::api

#define TYPE(type_name, type_doc, ...)                                                             \
    using Self = type_name;                                                                        \
    static constexpr const char* kTypeName = #type_name;                                           \
    static constexpr const char* kTypePackage = kPackage;                                          \
    static constexpr const char* kTypeDoc = type_doc;                                              \
    static constexpr ::muster::api::TypeOptions kTypeOptions{__VA_ARGS__};                         \
    static const ::muster::api::TypeInfo& info();                                                  \
    [[maybe_unused]] static void destroy_block(::muster::BlockHeader* block);                      \
    [[maybe_unused]] static ::muster::BlockHeader* copy_block(const ::muster::BlockHeader* block); \
    static const ::muster::ValueCode kValueCode;                                                   \
    [[maybe_unused]] bool operator==(const type_name&) const;                                      \
    ::muster::api::Residue residue{};

#define FIELD(field_number, field_type, member, field_doc, ...)                                          \
    field_type member{};                                                                                 \
    template <class Lazy>                                                                                \
    static constexpr ::muster::api::FieldDecl declared_field(::muster::api::FieldNumber<field_number>) { \
        return {#member,                                                                                 \
                field_number,                                                                            \
                offsetof(Self, member),                                                                  \
                ::muster::api::detail::value_info_of<Lazy, field_type>(),                                \
                field_doc,                                                                               \
                ::muster::api::FieldOptions{__VA_ARGS__}};                                               \
    }

#define GATED(field_number, field_type, member, field_doc, ...)                                          \
    template <class Lazy>                                                                                \
    static constexpr ::muster::api::FieldDecl declared_field(::muster::api::FieldNumber<field_number>) { \
        return {#member,   field_number,                                                                 \
                0,         ::muster::api::detail::value_info_of<Lazy, field_type>(),                     \
                field_doc, ::muster::api::FieldOptions{__VA_ARGS__},                                     \
                true};                                                                                   \
    }

// Comparing, copying and destroying are compiled here and nowhere else: these types are large, and used everywhere.
// What a member can be, the values of src/base and the special scalars (ScalarTraits), holds numbers and counted
// pointers: copying it does not throw, and it can be moved as bytes.
#define DEFINE_TYPE(type_name)                                                                                  \
    const ::muster::api::TypeInfo& type_name::info() {                                                          \
        static const ::muster::api::TypeInfo built = ::muster::api::build_type<type_name>();                    \
        return built;                                                                                           \
    }                                                                                                           \
    bool type_name::operator==(const type_name&) const = default;                                               \
    constinit const ::muster::ValueCode type_name::kValueCode = ::muster::api::detail::value_code<type_name>(); \
    void type_name::destroy_block(::muster::BlockHeader* block) {                                               \
        using Block = ::muster::ValueBlock<type_name>;                                                          \
        ::muster::api::detail::destroy_value<type_name>(&static_cast<Block*>(block)->value);                    \
        ::operator delete(block, sizeof(Block));                                                                \
    }                                                                                                           \
    ::muster::BlockHeader* type_name::copy_block(const ::muster::BlockHeader* block) {                          \
        using Block = ::muster::ValueBlock<type_name>;                                                          \
        return new Block(static_cast<const Block*>(block)->value);                                              \
    }
