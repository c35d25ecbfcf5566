#include "server/discovery/openapi_v2.h"

#include <boost/json/serialize.hpp>

#include "api/text/wire.h"
#include "server/discovery/version.h"

namespace muster::server {
namespace {

namespace json = boost::json;
using api::append_field;

// The numbers are those of the protobuf messages that stand for an OpenAPI v2 document.

std::string_view text_of(const json::value& value) { return {value.as_string().data(), value.as_string().size()}; }

// A map's entry: name and value.
std::string named(std::string_view name, std::string_view value) {
    std::string out;
    append_field(1, name, out);
    append_field(2, value, out);
    return out;
}

// Any value, as YAML text; JSON is YAML.
std::string any(const json::value& value) {
    std::string out;
    append_field(2, json::serialize(value), out);
    return out;
}

void append_extensions(const json::object& from, std::uint32_t number, std::string& out) {
    for (const auto& [key, value] : from)
        if (key.starts_with("x-")) append_field(number, named(key, any(value)), out);
}

std::string schema(const json::object& from);

void append_properties(const json::object& properties, std::string& out) {
    std::string entries;
    for (const auto& [name, value] : properties) append_field(1, named(name, schema(value.as_object())), entries);
    append_field(25, entries, out);
}

void append_type(std::string_view type, std::string& out) {
    std::string item;
    append_field(1, type, item);
    append_field(22, item, out);
}

std::string schema(const json::object& from) {
    std::string out;
    const auto member = [&](const char* key) { return from.if_contains(key); };
    if (const json::value* ref = member("$ref")) append_field(1, text_of(*ref), out);
    if (const json::value* format = member("format")) append_field(2, text_of(*format), out);
    if (const json::value* description = member("description")) append_field(4, text_of(*description), out);
    if (const json::value* required = member("required"))
        for (const json::value& name : required->as_array()) append_field(19, text_of(name), out);
    if (const json::value* values = member("enum"))
        for (const json::value& value : values->as_array()) append_field(20, any(value), out);
    if (const json::value* additional = member("additionalProperties")) {
        std::string item;
        append_field(1, schema(additional->as_object()), item);
        append_field(21, item, out);
    }
    if (const json::value* type = member("type")) append_type(text_of(*type), out);
    if (const json::value* items = member("items")) {
        std::string item;
        append_field(1, schema(items->as_object()), item);
        append_field(23, item, out);
    }
    if (const json::value* properties = member("properties")) append_properties(properties->as_object(), out);
    append_extensions(from, 31, out);
    return out;
}

std::string query_parameter(const json::object& from) {
    std::string query;
    append_field(2, std::string_view("query"), query);
    append_field(3, text_of(from.at("description")), query);
    append_field(4, text_of(from.at("name")), query);
    append_field(6, text_of(from.at("type")), query);
    std::string non_body;
    append_field(3, query, non_body);
    std::string parameter;
    append_field(2, non_body, parameter);
    std::string item;
    append_field(1, parameter, item);
    return item;
}

std::string operation(const json::object& from) {
    std::string out;
    append_field(3, text_of(from.at("description")), out);
    append_field(5, text_of(from.at("operationId")), out);
    if (const json::value* parameters = from.if_contains("parameters"))
        for (const json::value& parameter : parameters->as_array())
            if (parameter.at("in") == "query") append_field(8, query_parameter(parameter.as_object()), out);
    std::string response;
    append_field(1, std::string_view("OK"), response);
    std::string value;
    append_field(1, response, value);
    std::string responses;
    append_field(1, named("200", value), responses);
    append_field(9, responses, out);
    append_extensions(from, 13, out);
    return out;
}

std::string path_item(const json::object& operations) {
    static constexpr std::pair<const char*, std::uint32_t> kMethods[] = {
        {"get", 2}, {"put", 3}, {"post", 4}, {"delete", 5}, {"patch", 8}};
    std::string out;
    for (const auto& [method, number] : kMethods)
        if (const json::value* found = operations.if_contains(method))
            append_field(number, operation(found->as_object()), out);
    return out;
}

OpenapiDocument make_document(const KindRegistry& kinds) {
    const json::object document = openapi_v2_object(kinds);
    std::string paths;
    std::string definitions;
    for (const auto& [path, operations] : document.at("paths").as_object())
        append_field(2, named(path, path_item(operations.as_object())), paths);
    for (const auto& [name, each] : document.at("definitions").as_object())
        append_field(1, named(name, schema(each.as_object())), definitions);
    std::string info;
    append_field(1, std::string_view("Kubernetes"), info);
    append_field(2, kubernetes_version(), info);
    std::string out;
    append_field(1, std::string_view("2.0"), out);
    append_field(2, info, out);
    append_field(8, paths, out);
    append_field(9, definitions, out);
    std::string hash = content_hash(out);
    return {std::make_shared<const std::string>(std::move(out)), std::move(hash)};
}

}  // namespace

const OpenapiDocument& openapi_v2(const KindRegistry& kinds) {
    return kinds.documents().v2.get([&] { return make_document(kinds); });
}

}  // namespace muster::server
