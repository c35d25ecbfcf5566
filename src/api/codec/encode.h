// From a typed object to what clients read and what the store keeps.
#pragma once

#include <string>
#include <string_view>

#include "api/schema/kind_info.h"

namespace muster::api {

// Appends the object as compact JSON, fields in protobuf order, map keys sorted. With a kind, `kind` and `apiVersion`
// come first, as the API server prints them. Behind the fields of each struct come the unknown ones that were read from
// JSON (schema/residue.h).
void append_json(const TypeInfo& type, const void* object, std::string& out, const KindInfo* kind = nullptr,
                 Dialect dialect = Dialect::kMuster);

// One member's value, for messages.
void append_json_value(const ValueInfo& info, const void* value, std::string& out);

template <class T>
std::string to_json(const T& object) {
    std::string out;
    if constexpr (requires { T::kKindOptions; }) {
        append_json(T::info(), &object, out, &kind_info<T>());
    } else {
        append_json(T::info(), &object, out);
    }
    return out;
}

// Stores the values of fields declared `shared` for the protobuf writer: null when writing for clients, the store's
// journal when writing records.
class PartSink {
public:
    virtual ~PartSink() = default;
    // The number under which this block's bytes are kept. `encode_part` (below) gives the bytes.
    virtual std::uint64_t part(const ValueInfo& info, const void* value) = 0;
};

// Appends the bare protobuf message (see envelope.h for Kubernetes' wrapping), with the unknown fields that were read
// from protobuf.
void append_protobuf(const TypeInfo& type, const void* object, std::string& out, PartSink* parts = nullptr,
                     Dialect dialect = Dialect::kMuster);
// The same without one of its fields, and that field alone: one behind the other they are the message again.
void append_protobuf_without(const TypeInfo& type, const FieldInfo& field, const void* object, std::string& out,
                             PartSink* parts);
void append_protobuf_field(const FieldInfo& field, const void* object, std::string& out, PartSink* parts);
// Appends a shared field's value on its own, as `decode_part` reads it.
void append_part(const ValueInfo& info, const void* value, std::string& out);

template <class T>
std::string to_protobuf(const T& object) {
    std::string out;
    append_protobuf(T::info(), &object, out);
    return out;
}

}  // namespace muster::api
