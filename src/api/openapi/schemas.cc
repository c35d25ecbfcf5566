#include "api/openapi/schemas.h"

#include <map>
#include <string_view>

#include "api/text/json_text.h"

namespace muster::api {
namespace {

constexpr std::string_view kListMetaSchema = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
constexpr const char* kKindDoc = "The name of this object's type in CamelCase, such as Job. Cannot be changed.";
constexpr const char* kApiVersionDoc = "The group and version of this object's type, such as batch/v1.";

// Writes members of one JSON object with their commas.
class ObjectWriter {
public:
    explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
    ~ObjectWriter() { out_ += '}'; }
    ObjectWriter(const ObjectWriter&) = delete;
    ObjectWriter& operator=(const ObjectWriter&) = delete;

    std::string& key(std::string_view name) {
        if (!first_) out_ += ',';
        first_ = false;
        append_json_string(name, out_);
        out_ += ':';
        return out_;
    }
    void text(std::string_view name, std::string_view value) { append_json_string(value, key(name)); }

private:
    std::string& out_;
    bool first_ = true;
};

// "a,b" as ["a","b"].
void append_words(std::string_view words, char separator, std::string& out) {
    out += '[';
    while (!words.empty()) {
        const std::size_t end = words.find(separator);
        append_json_string(words.substr(0, end), out);
        if (end == std::string_view::npos) break;
        words.remove_prefix(end + 1);
        out += ',';
    }
    out += ']';
}

class SchemaWriter {
public:
    void kind(const KindInfo& kind) {
        const TypeInfo& root = kind.type();
        type(root, &kind);
        if (!kind.options.plural) return;
        std::string& text = schemas_[schema_name(root) + "List"];
        ObjectWriter schema(text);
        schema.text("type", "object");
        schema.text("description", std::string("A list of ") + kind.options.plural + ".");
        schema.key("required") += R"(["items"])";
        {
            ObjectWriter properties(schema.key("properties"));
            append_type_meta(properties);
            properties.key("items") +=
                R"({"type":"array","description":"The objects.","items":{"$ref":"#/components/schemas/)" +
                schema_name(root) + "\"}}";
            properties.key("metadata") +=
                R"({"description":"The list's revision and where it continues.","allOf":[{"$ref":"#/components/schemas/)" +
                std::string(kListMetaSchema) + "\"}]}";
        }
        append_group_version_kind(schema, kind, "List");
    }

    void write(std::string& out) const {
        ObjectWriter all(out);
        for (const auto& [name, schema] : schemas_) all.key(name) += schema;
    }

    void type(const TypeInfo& type, const KindInfo* kind = nullptr) {
        const std::string name = schema_name(type);
        if (schemas_.contains(name)) return;
        schemas_[name];  // before its fields, so that a type that reaches itself ends
        std::string text;
        {
            ObjectWriter schema(text);
            schema.text("type", "object");
            schema.text("description", type.doc);
            append_required(type, schema);
            {
                ObjectWriter properties(schema.key("properties"));
                if (kind) append_type_meta(properties);
                for (const FieldInfo& field : type.json_fields) property(field, properties.key(field.json));
                for (const FieldInfo& field : type.gated) gated_property(field, properties.key(field.json));
            }
            if (type.options.atomic) schema.text("x-kubernetes-map-type", "atomic");
            if (kind) append_group_version_kind(schema, *kind, "");
        }
        schemas_[name] = std::move(text);
    }

private:
    static void append_type_meta(ObjectWriter& properties) {
        text_property(kApiVersionDoc, properties.key("apiVersion"));
        text_property(kKindDoc, properties.key("kind"));
    }

    static void text_property(const char* doc, std::string& out) {
        ObjectWriter schema(out);
        schema.text("description", doc);
        schema.text("type", "string");
    }

    static void append_required(const TypeInfo& type, ObjectWriter& schema) {
        std::string names;
        for (const FieldInfo& field : type.json_fields)
            if (field.options.required && !field.options.optional) names += (names.empty() ? "" : ",") + field.json;
        if (!names.empty()) append_words(names, ',', schema.key("required"));
    }

    static void append_group_version_kind(ObjectWriter& schema, const KindInfo& kind, std::string_view suffix) {
        std::string& out = schema.key("x-kubernetes-group-version-kind");
        out += '[';
        {
            ObjectWriter gvk(out);
            gvk.text("group", kind.group);
            gvk.text("version", kind.version);
            gvk.text("kind", std::string(kind.kind) + std::string(suffix));
        }
        out += ']';
    }

    void gated_property(FieldInfo field, std::string& out) {
        field.doc += " Its feature is off: the value is dropped.";
        property(field, out);
    }

    void property(const FieldInfo& field, std::string& out) {
        ObjectWriter schema(out);
        schema.text("description", field.doc);
        value(*field.value, schema);
        const FieldOptions& options = field.options;
        if (options.one_of) append_words(options.one_of, '|', schema.key("enum"));
        append_patch(options, schema);
        if (field.value->shape == Shape::kList) append_list_kind(options, schema);
        if (options.atomic) schema.text("x-kubernetes-map-type", "atomic");
    }

    static void append_patch(const FieldOptions& options, ObjectWriter& schema) {
        static constexpr std::string_view kNames[] = {"", "merge", "retainKeys", "merge,retainKeys"};
        if (options.merge_key) schema.text("x-kubernetes-patch-merge-key", options.merge_key);
        if (options.patch != Patch::kReplace)
            schema.text("x-kubernetes-patch-strategy", kNames[static_cast<std::size_t>(options.patch)]);
    }

    static void append_list_kind(const FieldOptions& options, ObjectWriter& schema) {
        static constexpr std::string_view kNames[] = {"atomic", "set", "map"};
        schema.text("x-kubernetes-list-type", kNames[static_cast<std::size_t>(options.list)]);
        if (options.list == ListKind::kMap)
            append_words(options.list_keys ? options.list_keys : options.merge_key, ',',
                         schema.key("x-kubernetes-list-map-keys"));
    }

    // The members that say a value's type. A struct is a reference; beside a description it must stand in allOf.
    void value(const ValueInfo& info, ObjectWriter& schema) {
        switch (info.shape) {
            case Shape::kBool: return schema.text("type", "boolean");
            case Shape::kInt32: return number(schema, "integer", "int32");
            case Shape::kInt64: return number(schema, "integer", "int64");
            case Shape::kDouble: return number(schema, "number", "double");
            case Shape::kText: return schema.text("type", "string");
            case Shape::kBytes: return number(schema, "string", "byte");
            case Shape::kRaw: return schema.text("type", "object");
            case Shape::kScalar: scalar(*info.scalar); return refer(info.scalar->openapi_name, schema);
            case Shape::kStruct: type(info.type()); return refer(schema_name(info.type()), schema);
            case Shape::kList: schema.text("type", "array"); return element(*info.element, schema.key("items"));
            case Shape::kMap:
                schema.text("type", "object");
                return element(*info.element, schema.key("additionalProperties"));
            case Shape::kOptional:
            case Shape::kBox: return value(*info.element, schema);
        }
    }
    static void refer(const std::string& name, ObjectWriter& schema) {
        schema.key("allOf") += R"([{"$ref":"#/components/schemas/)" + name + "\"}]";
    }
    void scalar(const ScalarOps& scalar) {
        std::string& text = schemas_[scalar.openapi_name];
        if (!text.empty()) return;
        ObjectWriter schema(text);
        schema.text("description", "Written as " + std::string(scalar.expected) + ".");
        if (scalar.openapi_format) schema.text("format", scalar.openapi_format);
        // Clients know what may be either from these two alone; `kubectl explain` shows the schema's name for it.
        if (scalar.openapi_type) return schema.text("type", scalar.openapi_type);
        schema.key("oneOf") += scalar.openapi_format ? R"([{"type":"integer"},{"type":"string"}])"
                                                     : R"([{"type":"string"},{"type":"number"}])";
    }
    static void number(ObjectWriter& schema, std::string_view type, std::string_view format) {
        schema.text("type", type);
        schema.text("format", format);
    }
    void element(const ValueInfo& info, std::string& out) {
        ObjectWriter schema(out);
        value(info, schema);
    }

    std::map<std::string, std::string> schemas_;
};

}  // namespace

std::string schema_name(const TypeInfo& type) { return type.package + '.' + type.name; }

void append_schemas(std::span<const KindInfo* const> kinds, std::string& out) {
    SchemaWriter writer;
    for (const KindInfo* kind : kinds) writer.kind(*kind);
    writer.write(out);
}

}  // namespace muster::api
