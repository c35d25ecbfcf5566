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
    std::size_t bytes_max = 3u << 20;     // of the document
    std::size_t depth_max = 1000;         // of nesting, unknown fields included
    std::size_t complaints_max = 100;     // unknown and duplicate fields listed; more are counted
    std::size_t yaml_nodes_max = 200000;  // after aliases are expanded
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
// The bare message, without Kubernetes' envelope (see envelope.h). Unknown fields are skipped, as protobuf wants.
Result<void> decode_protobuf(const TypeInfo& type, void* object, std::string_view bytes);

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
