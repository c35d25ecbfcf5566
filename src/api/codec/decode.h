// From text a client sent to a typed object. Every format ends in the same TypedSink, so what is accepted, what is
// reported as unknown or duplicate, and where an error is said to be, does not depend on the format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/kind_info.h"
#include "base/result.h"

namespace muster::api {

struct DecodeLimits {
    std::size_t bytes_max = 3u << 20;  // of the document
    std::size_t depth_max = 1000;      // of nesting, unknown fields included
    std::size_t complaints_max = 100;  // unknown and duplicate fields listed; more are counted
    // Of the lists and maps that are made of it: {} is two bytes of text and hundreds in memory.
    std::size_t elements_bytes_max = 32u << 20;
    // Of one list: what is checked pair by pair must stay small enough for that.
    std::size_t structs_max = 5'000;
    std::size_t scalars_max = 50'000;
    // How many entries of maps may have to move for others whose keys come out of order. Go's clients sort them.
    std::size_t entry_moves_max = 50'000'000;
    // Of YAML, after aliases are expanded; what has an anchor is kept for them and counts twice.
    std::size_t yaml_nodes_max = 200000;
    std::size_t yaml_text_max = 8u << 20;  // of all keys and scalars, in bytes

    // Fields that the type does not know, or whose feature is off, are kept in the residue of their struct
    // (schema/residue.h) and not complained about. For clients, which write back what they have read.
    bool keep_unknown = false;
    // In Kubernetes' dialect a field declared `muster_only` is unknown, whatever its name.
    Dialect dialect = Dialect::kMuster;
};

// What the document said beside its fields.
struct Decoded {
    std::string api_version;              // as written, empty when absent
    std::string kind;                     //
    std::vector<std::string> complaints;  // unknown field "spec.x" · duplicate field "data": errors when strict
};

// Fills `object`, a value-initialised T with T::info() == type. On failure the object is half filled: throw it away.
Result<Decoded> decode_json(const TypeInfo& type, void* object, std::string_view text, const DecodeLimits& limits = {});
// One YAML document (1.1, as kubectl reads it: yes and on are booleans). A second document is an error.
Result<Decoded> decode_yaml(const TypeInfo& type, void* object, std::string_view text, const DecodeLimits& limits = {});
// The bare message, without Kubernetes' envelope (see envelope.h). Unknown fields are skipped, as protobuf wants, or
// kept.
Result<void> decode_protobuf(const TypeInfo& type, void* object, std::string_view bytes,
                             const DecodeLimits& limits = {});

// JSON on its own, as a raw field keeps it: nothing between its parts, UTF-8 repaired.
Result<RawJson> decode_raw_json(std::string_view text, const DecodeLimits& limits = {});

// "strict decoding error: unknown field \"spec.x\", duplicate field \"data\"", or ok.
Result<void> check_strict(const Decoded& decoded);

// For tests and for objects of our own: an unknown field is an error.
template <class T>
Result<T> from_json(std::string_view text) {
    T object{};
    TRY_ASSIGN(const Decoded decoded, decode_json(T::info(), &object, text));
    TRY(check_strict(decoded));
    return object;
}
template <class T>
Result<T> from_yaml(std::string_view text) {
    T object{};
    TRY_ASSIGN(const Decoded decoded, decode_yaml(T::info(), &object, text));
    TRY(check_strict(decoded));
    return object;
}
template <class T>
Result<T> from_protobuf(std::string_view bytes) {
    T object{};
    TRY(decode_protobuf(T::info(), &object, bytes));
    return object;
}

}  // namespace muster::api
