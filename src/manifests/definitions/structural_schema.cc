#include "manifests/definitions/structural_schema.h"

#include "api/openapi/schemas.h"
#include "base/check.h"
#include "manifests/definitions/field_rules.h"

namespace muster::manifests {
namespace {

using api::FieldInfo;
using api::FieldOptions;
using api::Shape;
using api::TypeInfo;
using api::ValueInfo;

// Kubernetes adds fields to pods with every version, and a workload carries them all: they are kept as they are.
constexpr std::string_view kOpenType = "io.k8s.api.core.v1.PodTemplateSpec";
constexpr std::string_view kOurPackages = "io.x-k8s.kueue";
constexpr std::string_view kQuantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
constexpr const char* kQuantityPattern =
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|"
    "(\\.[0-9]+))))?$";

Array split(std::string_view words, char separator) {
    Array out;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(separator), words.size());
        out.emplace_back(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return out;
}

void add_keywords(const TypeInfo& type, std::string_view field, Object& schema) {
    for (const auto& [key, value] : schema_keywords(type, field)) schema[key] = value;
}

Object struct_schema(const TypeInfo& type);

Object scalar_schema(const api::ScalarOps& scalar) {
    if (scalar.openapi_type) {
        Object schema{{"type", scalar.openapi_type}};
        // Durations are text of their own form; Kubernetes has no format of that name.
        if (scalar.openapi_format) schema["format"] = scalar.openapi_format;
        return schema;
    }
    Object schema{{"anyOf", Array{Object{{"type", "integer"}}, Object{{"type", "string"}}}},
                  {"x-kubernetes-int-or-string", true}};
    if (scalar.openapi_name == kQuantity) schema["pattern"] = kQuantityPattern;
    return schema;
}

Object value_schema(const ValueInfo& value) {
    switch (value.shape) {
        case Shape::kBool: return {{"type", "boolean"}};
        case Shape::kInt32: return {{"type", "integer"}, {"format", "int32"}};
        case Shape::kInt64: return {{"type", "integer"}, {"format", "int64"}};
        case Shape::kDouble: return {{"type", "number"}, {"format", "double"}};
        case Shape::kText: return {{"type", "string"}};
        case Shape::kBytes: return {{"type", "string"}, {"format", "byte"}};
        case Shape::kRaw: return {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
        case Shape::kScalar: return scalar_schema(*value.scalar);
        case Shape::kStruct: return struct_schema(value.type());
        case Shape::kList: return {{"type", "array"}, {"items", value_schema(*value.element)}};
        case Shape::kMap: return {{"type", "object"}, {"additionalProperties", value_schema(*value.element)}};
        case Shape::kOptional:
        case Shape::kBox: return value_schema(*value.element);
    }
    CHECK(false, "a shape has no schema");
    return {};
}

void add_list_kind(const FieldOptions& options, Object& schema) {
    static constexpr const char* kNames[] = {"atomic", "set", "map"};
    schema["x-kubernetes-list-type"] = kNames[static_cast<std::size_t>(options.list)];
    if (options.list == api::ListKind::kMap)
        schema["x-kubernetes-list-map-keys"] = split(options.list_keys ? options.list_keys : options.merge_key, ',');
}

bool is_ours(const TypeInfo& type) { return type.package.starts_with(kOurPackages); }

Object property_schema(const TypeInfo& type, const FieldInfo& field) {
    Object schema = value_schema(*field.value);
    schema["description"] = field.doc;
    // Kubernetes' own types get new words with new versions: their lists are not closed here.
    if (field.options.one_of && is_ours(type)) schema["enum"] = split(field.options.one_of, '|');
    if (field.value->shape == Shape::kList) add_list_kind(field.options, schema);
    if (field.options.atomic) schema["x-kubernetes-map-type"] = "atomic";
    add_keywords(type, field.json, schema);
    return schema;
}

Object struct_schema(const TypeInfo& type) {
    Object schema{{"type", "object"}, {"description", type.doc}};
    if (api::schema_name(type) == kOpenType) {
        schema["x-kubernetes-preserve-unknown-fields"] = true;
        return schema;
    }
    Object properties;
    Array required;
    for (const FieldInfo& field : type.json_fields) {
        if (field.options.muster_only) continue;
        properties[field.json] = property_schema(type, field);
        if (field.options.required && !field.options.optional) required.emplace_back(field.json);
    }
    schema["properties"] = properties;
    if (!required.empty()) schema["required"] = required;
    if (type.options.atomic) schema["x-kubernetes-map-type"] = "atomic";
    add_keywords(type, "", schema);
    return schema;
}

}  // namespace

Object structural_schema(const api::KindInfo& kind) {
    Object schema = struct_schema(kind.type());
    Object& properties = schema["properties"].as_object();
    properties["apiVersion"] = Object{{"type", "string"}, {"description", "The group and version of the object."}};
    properties["kind"] = Object{{"type", "string"}, {"description", "The kind of the object."}};
    // The server has a schema of its own for it.
    properties["metadata"] = Object{{"type", "object"}};
    return schema;
}

}  // namespace muster::manifests
