// encode.h's JSON: a walk over the type's fields, each written by its shape.
#include "api/codec/base64.h"
#include "api/codec/encode.h"
#include "api/schema/residue.h"
#include "api/schema/walk.h"
#include "api/schema/word.h"
#include "api/text/json_text.h"

namespace muster::api {
namespace {

const void* field_of(const void* object, const FieldInfo& field) {
    return static_cast<const char*>(object) + field.offset;
}

// Go's omitempty: structs are never empty, pointers only when null.
bool is_omitted(const FieldInfo& field, const void* value) {
    const Shape shape = field.value->shape;
    if (is_plainly_empty(*field.value, value)) return true;
    if ((shape == Shape::kStruct || shape == Shape::kScalar) && !field.options.omit_zero) return false;
    return is_zero(*field.value, value);
}

void append_value(const ValueInfo& info, const void* value, Dialect dialect, std::string& out);

void append_members(const ValueInfo& info, const void* map, bool first, Dialect dialect, std::string& out) {
    const std::size_t count = info.count(map);
    for (std::size_t i = 0; i < count; ++i) {
        if (!first) out += ',';
        first = false;
        append_json_string(info.key_at(map, i), out);
        out += ':';
        append_value(*info.element, info.at(map, i), dialect, out);
    }
}

void append_unknown(const Residue& residue, bool first, std::string& out) {
    std::string_view fields = residue.json();
    if (first && !fields.empty()) fields.remove_prefix(1);  // the comma
    out += fields;
}

void append_fields(const TypeInfo& type, const void* object, Dialect dialect, std::string& out) {
    bool first = out.back() == '{';
    for (const FieldInfo& field : type.json_fields) {
        const void* value = field_of(object, field);
        if (!field.options.required && is_omitted(field, value)) continue;
        if (!field.is_in(dialect)) continue;
        if (!first) out += ',';
        first = false;
        out += field.json_key;
        append_value(*field.value, value, dialect, out);
    }
    // A type with a rest knows every field.
    if (const FieldInfo* rest = type.rest())
        return append_members(*rest->value, field_of(object, *rest), first, dialect, out);
    if (const Residue& residue = residue_of(object); !residue.empty()) [[unlikely]]
        append_unknown(residue, first, out);
}

void append_list(const ValueInfo& info, const void* list, Dialect dialect, std::string& out) {
    if (info.is_null(list)) {
        out += "null";
        return;
    }
    out += '[';
    const std::size_t count = info.count(list);
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out += ',';
        append_value(*info.element, info.at(list, i), dialect, out);
    }
    out += ']';
}

void append_map(const ValueInfo& info, const void* map, Dialect dialect, std::string& out) {
    if (info.is_null(map)) {
        out += "null";
        return;
    }
    out += '{';
    append_members(info, map, true, dialect, out);
    out += '}';
}

void append_value(const ValueInfo& info, const void* value, Dialect dialect, std::string& out) {
    switch (info.shape) {
        case Shape::kBool: out += *static_cast<const bool*>(value) ? "true" : "false"; return;
        case Shape::kInt32: append_json_number(std::int64_t{*static_cast<const std::int32_t*>(value)}, out); return;
        case Shape::kInt64: append_json_number(*static_cast<const std::int64_t*>(value), out); return;
        case Shape::kDouble: append_json_number(*static_cast<const double*>(value), out); return;
        case Shape::kText: append_json_string(static_cast<const Text*>(value)->view(), out); return;
        case Shape::kBytes:
            out += '"';
            append_base64(static_cast<const Bytes*>(value)->bytes, out);
            out += '"';
            return;
        case Shape::kRaw: {
            const Text& raw = static_cast<const RawJson*>(value)->json;
            out += raw.empty() ? std::string_view("null") : raw.view();
            return;
        }
        case Shape::kScalar: info.scalar->append_json(value, out); return;
        case Shape::kStruct:
            out += '{';
            append_fields(info.type(), value, dialect, out);
            out += '}';
            return;
        case Shape::kList: append_list(info, value, dialect, out); return;
        case Shape::kMap: append_map(info, value, dialect, out); return;
        case Shape::kOptional:
        case Shape::kBox:
            if (const void* inner = info.get(value)) {
                append_value(*info.element, inner, dialect, out);
            } else {
                out += "null";
            }
            return;
    }
}

}  // namespace

void append_json_value(const ValueInfo& info, const void* value, std::string& out) {
    append_value(info, value, Dialect::kMuster, out);
}

void append_json(const TypeInfo& type, const void* object, std::string& out, const KindInfo* kind, Dialect dialect) {
    out += '{';
    if (kind) {
        out += "\"kind\":\"";
        out += kind->kind;
        out += "\",\"apiVersion\":\"";
        if (*kind->group) out.append(kind->group).append("/");
        out += kind->version;
        out += '"';
    }
    append_fields(type, object, dialect, out);
    out += '}';
}

}  // namespace muster::api
