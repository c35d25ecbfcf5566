// OpenAPI v2 of OpenAPI v3: the same schemas and operations, written as Swagger 2.0 has them.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "server/discovery/openapi_v2.h"
#include "server/discovery/version.h"

namespace muster::server {
namespace {

namespace json = boost::json;

// "#/components/schemas/X" → "#/definitions/X"
std::string definition_reference(const json::value& v3) {
    const std::string_view text(v3.as_string().data(), v3.as_string().size());
    return "#/definitions/" + std::string(text.substr(text.rfind('/') + 1));
}

json::object schema_v2(const json::object& from) {
    json::object out;
    for (const auto& [key, value] : from) {
        if (key == "$ref") {
            out[key] = definition_reference(value);
        } else if (key == "allOf") {
            // Beside a description a reference stands in allOf; here it may stand alone.
            out["$ref"] = definition_reference(value.at(0).at("$ref"));
        } else if (key == "items" || key == "additionalProperties") {
            out[key] = schema_v2(value.as_object());
        } else if (key == "properties") {
            json::object properties;
            for (const auto& [name, each] : value.as_object()) properties[name] = schema_v2(each.as_object());
            out[key] = std::move(properties);
        } else if (key == "oneOf") {
            out["type"] = "string";  // a string or a number: v2 can say only one
        } else if (key != "default") {
            out[key] = value;
        }
    }
    return out;
}

// The type stands in the parameter itself.
json::object parameter_v2(const json::object& from) {
    json::object out;
    for (const auto& [key, value] : from)
        if (key != "schema") out[key] = value;
    for (const auto& [key, value] : from.at("schema").as_object()) out[key] = value;
    return out;
}

// The schema of the first of several encodings.
const json::value* schema_of_content(const json::object& from) {
    const json::value* content = from.if_contains("content");
    if (!content || content->as_object().empty()) return nullptr;
    return content->as_object().begin()->value().as_object().if_contains("schema");
}

json::array parameters_v2(const json::object& operation) {
    json::array out;
    if (const json::value* body = operation.if_contains("requestBody")) {
        const json::value* schema = schema_of_content(body->as_object());
        json::object parameter{{"in", "body"}, {"name", "body"}};
        if (const json::value* required = body->as_object().if_contains("required")) parameter["required"] = *required;
        parameter["schema"] = schema_v2(schema->as_object());
        out.push_back(std::move(parameter));
    }
    if (const json::value* parameters = operation.if_contains("parameters"))
        for (const json::value& each : parameters->as_array()) out.push_back(parameter_v2(each.as_object()));
    return out;
}

json::object operation_v2(const json::object& from) {
    json::object out{
        {"consumes", json::array{"*/*"}},
        {"produces", json::array{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}},
        {"schemes", json::array{"https"}}};
    for (const auto& [key, value] : from)
        if (key != "requestBody" && key != "parameters" && key != "responses") out[key] = value;
    if (json::array parameters = parameters_v2(from); !parameters.empty()) out["parameters"] = std::move(parameters);
    json::object responses;
    for (const auto& [code, answer] : from.at("responses").as_object()) {
        json::object response{{"description", answer.at("description")}};
        if (const json::value* schema = schema_of_content(answer.as_object()))
            response["schema"] = schema_v2(schema->as_object());
        responses[code] = std::move(response);
    }
    out["responses"] = std::move(responses);
    return out;
}

json::object path_v2(const json::object& from) {
    json::object out;
    for (const auto& [key, value] : from) {
        if (key == "parameters") {
            json::array parameters;
            for (const json::value& each : value.as_array()) parameters.push_back(parameter_v2(each.as_object()));
            out[key] = std::move(parameters);
        } else {
            out[key] = operation_v2(value.as_object());
        }
    }
    return out;
}

OpenapiDocument make_json(const KindRegistry& kinds) {
    const std::string text = json::serialize(openapi_v2_object(kinds));
    return {std::make_shared<const std::string>(text), content_hash(text)};
}

}  // namespace

json::object openapi_v2_object(const KindRegistry& kinds) {
    json::object paths;
    json::object definitions;
    for (const ServedVersion& version : kinds.versions()) {
        const json::value document = json::parse(*openapi_document(kinds, version).body);
        for (const auto& [path, operations] : document.at("paths").as_object())
            paths[path] = path_v2(operations.as_object());
        for (const auto& [name, each] : document.at("components").at("schemas").as_object())
            if (!definitions.contains(name)) definitions[name] = schema_v2(each.as_object());
    }
    return {{"swagger", "2.0"},
            {"info", json::object{{"title", "Kubernetes"}, {"version", std::string(kubernetes_version())}}},
            {"paths", std::move(paths)},
            {"definitions", std::move(definitions)},
            {"securityDefinitions", json::object{{"BearerToken", json::object{{"description", "A bearer token."},
                                                                              {"in", "header"},
                                                                              {"name", "authorization"},
                                                                              {"type", "apiKey"}}}}},
            {"security", json::array{json::object{{"BearerToken", json::array{}}}}}};
}

const OpenapiDocument& openapi_v2_json(const KindRegistry& kinds) {
    return kinds.documents().v2_json.get([&] { return make_json(kinds); });
}

}  // namespace muster::server
