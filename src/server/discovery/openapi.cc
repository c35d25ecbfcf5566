#include "server/discovery/openapi.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <memory>
#include <set>

#include "api/kinds/api_resources.h"
#include "api/kinds/meta/status.h"
#include "api/openapi/schemas.h"
#include "base/check.h"
#include "server/discovery/openapi_paths.h"
#include "server/discovery/version.h"
#include "store/checksum.h"

namespace muster::server {
namespace {

namespace json = boost::json;
using api::KindInfo;

// The kinds whose schemas a document needs: those of its resources, their subresources, and of every version.
std::vector<const KindInfo*> declared_kinds(const ServedVersion& version) {
    std::set<const KindInfo*> seen;
    std::vector<const KindInfo*> kinds;
    const auto add = [&](const KindInfo& kind) {
        if (kind.type().name == kind.kind && seen.insert(&kind).second) kinds.push_back(&kind);
    };
    for (const ServedResource& resource : version.resources) {
        add(*resource.kind);
        for (const ServedSubresource& part : resource.subresources) add(*part.kind);
    }
    add(api::kind_info<api::meta::DeleteOptions>());
    add(api::kind_info<api::meta::Status>());
    add(api::kind_info<api::meta::APIResourceList>());
    return kinds;
}

json::object property(const char* type, const char* description) {
    return {{"description", description}, {"type", type}};
}

json::array group_version_kind(const KindInfo& kind, const char* suffix) {
    return {json::object{{"group", kind.group}, {"kind", std::string(kind.kind) + suffix}, {"version", kind.version}}};
}

// What is served though it has no type of ours: an object of which only the metadata is known, and its list.
void append_named_kind(const ServedResource& resource, std::string& out) {
    const KindInfo& kind = *resource.kind;
    static constexpr const char* kMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.";
    const std::string name = kind_schema_name(kind);
    json::object properties{{"apiVersion", property("string", "Group and version of the kind.")},
                            {"kind", property("string", "Name of the kind.")}};
    json::object list_properties = properties;
    properties["metadata"] = json::object{{"$ref", std::string(kMeta) + "ObjectMeta"}};
    list_properties["items"] =
        json::object{{"type", "array"}, {"items", json::object{{"$ref", "#/components/schemas/" + name}}}};
    list_properties["metadata"] = json::object{{"$ref", std::string(kMeta) + "ListMeta"}};
    const json::object object{
        {"type", "object"},
        {"description", resource.empty ? "Served as an empty list: nothing here makes objects of this kind."
                                       : "An object of a kind that is defined at run time."},
        {"properties", properties},
        {"x-kubernetes-preserve-unknown-fields", true},
        {"x-kubernetes-group-version-kind", group_version_kind(kind, "")}};
    const json::object list{{"type", "object"},
                            {"description", std::string("A list of ") + kind.options.plural + "."},
                            {"required", json::array{"items"}},
                            {"properties", list_properties},
                            {"x-kubernetes-group-version-kind", group_version_kind(kind, "List")}};
    out += ",\"" + name + "\":" + json::serialize(object) + ",\"" + name + "List\":" + json::serialize(list);
}

// append_schemas' object, with what it does not know put in before its end.
std::string schemas_of(const ServedVersion& version) {
    std::string out;
    // ObjectMeta is reached by nothing in a version that has only named kinds.
    std::vector<const KindInfo*> kinds = declared_kinds(version);
    kinds.push_back(&api::kind_info<api::meta::PartialObjectMetadata>());
    api::append_schemas(kinds, out);
    CHECK(out.ends_with('}'));
    out.pop_back();
    out += R"(,"io.k8s.apimachinery.pkg.apis.meta.v1.Patch":{"description":"A patch, in the form that the content )"
           R"(type says.","type":"object"})";
    if (out.find("\"io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta\":") == std::string::npos) {
        std::string list_meta;
        const KindInfo only{"", "v1", "ListMeta", {}, &api::meta::ListMeta::info};
        const KindInfo* one[] = {&only};
        api::append_schemas(one, list_meta);
        out += "," + list_meta.substr(1, list_meta.size() - 2);
    }
    for (const ServedResource& resource : version.resources)
        if (resource.empty || resource.kind->is_defined()) append_named_kind(resource, out);
    return out + "}";
}

OpenapiDocument make_document(const ServedVersion& version) {
    std::string text = R"({"components":{"schemas":)" + schemas_of(version);
    text +=
        R"(,"securitySchemes":{"BearerToken":{"description":"A bearer token.","in":"header","name":"authorization",)"
        R"("type":"apiKey"}}},"info":{"title":"Kubernetes","version":")" +
        kubernetes_version() + R"("},"openapi":"3.0.0","paths":)";
    text += json::serialize(openapi_paths(version));
    text += '}';
    std::string hash = content_hash(text);
    return {std::make_shared<const std::string>(std::move(text)), std::move(hash)};
}

OpenapiDocument make_index(const KindRegistry& kinds) {
    json::object paths;
    for (const ServedVersion& version : kinds.versions())
        paths[version.path()] = json::object{{"serverRelativeURL", openapi_url(kinds, version)}};
    std::string text = json::serialize(json::object{{"paths", std::move(paths)}});
    std::string hash = content_hash(text);
    return {std::make_shared<const std::string>(std::move(text)), std::move(hash)};
}

}  // namespace

const OpenapiDocument& openapi_document(const KindRegistry& kinds, const ServedVersion& version) {
    const auto index = static_cast<std::size_t>(&version - kinds.versions().data());
    CHECK(index < kinds.versions().size());
    return kinds.documents().versions[index].get([&] { return make_document(version); });
}

const OpenapiDocument& openapi_index(const KindRegistry& kinds) {
    return kinds.documents().index.get([&] { return make_index(kinds); });
}

std::string openapi_url(const KindRegistry& kinds, const ServedVersion& version) {
    return "/openapi/v3/" + version.path() + "?hash=" + openapi_document(kinds, version).hash;
}

std::string content_hash(std::string_view bytes) {
    std::array<char, 25> text{};
    std::snprintf(text.data(), text.size(), "%016llX%08X", static_cast<unsigned long long>(store::hash64(bytes)),
                  store::crc32c(bytes));
    return text.data();
}

}  // namespace muster::server
