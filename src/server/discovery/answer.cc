#include "server/discovery/answer.h"

#include "api/codec/encode.h"
#include "api/codec/envelope.h"
#include "server/discovery/documents.h"
#include "server/discovery/openapi.h"
#include "server/discovery/openapi_v2.h"
#include "server/discovery/version.h"
#include "server/negotiation/accept.h"
#include "server/negotiation/pretty.h"

namespace muster::server {
namespace {

using Segments = std::vector<std::string>;

Error not_found() { return {Code::kNotFound, "the server could not find the requested resource"}; }

os::HttpResponse respond(std::string content_type, std::string body) {
    os::HttpResponse response;
    response.headers.push_back({"Content-Type", std::move(content_type)});
    response.headers.push_back({"Vary", "Accept"});
    response.body = std::move(body);
    return response;
}

template <class T>
std::string encode(const T& document, const api::KindInfo& kind, Encoding encoding, bool pretty) {
    std::string out;
    if (encoding == Encoding::kProtobuf) {
        api::append_envelope(kind, &document, out);
        return out;
    }
    // JSON is YAML too.
    api::append_json(T::info(), &document, out, &kind);
    return pretty ? indent_json(out) : out;
}

template <class T>
os::HttpResponse legacy(const T& document, const DiscoveryAnswer& form) {
    return respond(form.content_type(), encode(document, api::kind_info<T>(), form.encoding, form.pretty));
}

// What a client that has it already needs not be sent again.
bool has_already(const os::HttpRequest& request, const std::string& etag) {
    return request.header("if-none-match") == etag;
}

os::HttpResponse with_etag(const os::HttpRequest& request, os::HttpResponse response, const std::string& hash,
                           const char* cache_control) {
    const std::string etag = "\"" + hash + "\"";
    response.headers.push_back({"ETag", etag});
    response.headers.push_back({"Cache-Control", cache_control});
    if (!has_already(request, etag)) return response;
    response.status = 304;
    response.body = std::string();
    return response;
}

os::HttpResponse aggregated(const os::HttpRequest& request, const DiscoveryAnswer& form, const KindRegistry& kinds,
                            bool core) {
    namespace discovery = api::apidiscovery;
    const api::KindInfo& kind = form.form == DiscoveryForm::kV2
                                    ? api::kind_info<discovery::v2::APIGroupDiscoveryList>()
                                    : api::kind_info<discovery::v2beta1::APIGroupDiscoveryList>();
    std::string body = encode(aggregated_discovery(kinds, core), kind, form.encoding, form.pretty);
    const std::string hash = content_hash(body);
    return with_etag(request, respond(form.content_type(), std::move(body)), hash, "public");
}

Result<os::HttpResponse> answer_groups(const os::HttpRequest& request, const Target& target,
                                       const std::string& server_address, const KindRegistry& kinds) {
    const Segments& path = target.segments;
    const bool core = path[0] == "api";
    TRY_ASSIGN(const DiscoveryAnswer form,
               negotiate_discovery(request.header("accept"), target.query, request.header("user-agent")));
    if (path.size() == 1) {
        if (form.form != DiscoveryForm::kLegacy) return aggregated(request, form, kinds, core);
        return core ? legacy(core_versions(server_address), form) : legacy(group_list(kinds), form);
    }
    DiscoveryAnswer plain = form;
    plain.form = DiscoveryForm::kLegacy;
    if (!core && path.size() == 2) {
        const ServedVersion* group = path[1].empty() ? nullptr : kinds.find_group(path[1]);
        return group ? Result<os::HttpResponse>(legacy(group_document(kinds, group->group), plain)) : not_found();
    }
    const ServedVersion* version = core ? kinds.find_version("", path[1]) : kinds.find_version(path[1], path[2]);
    return version ? Result<os::HttpResponse>(legacy(resource_list(*version), plain)) : not_found();
}

os::HttpResponse shared(const os::HttpRequest& request, const OpenapiDocument& document, const char* cache_control,
                        const char* content_type = "application/json") {
    os::HttpResponse response = respond(content_type, {});
    response.body = document.body;
    return with_etag(request, std::move(response), document.hash, cache_control);
}

Result<os::HttpResponse> answer_openapi(const os::HttpRequest& request, const Target& target,
                                        const KindRegistry& kinds) {
    const Segments& path = target.segments;
    if (path.size() == 2 && path[1] == "v2") {
        const std::string_view accept = request.header("accept");
        if (accept.find(kOpenapiV2Accepted) != std::string_view::npos)
            return shared(request, openapi_v2(kinds), "no-cache, private", kOpenapiV2Type);
        const bool takes_json = accept.empty() || accept.find("json") != std::string_view::npos ||
                                accept.find('*') != std::string_view::npos;
        if (takes_json) return shared(request, openapi_v2_json(kinds), "no-cache, private");
        return Error{Code::kNotAcceptable, "only the following media types are accepted: application/json, " +
                                               std::string(kOpenapiV2Accepted)};
    }
    if (path.size() < 2 || path[1] != "v3") return not_found();
    if (path.size() == 2) return shared(request, openapi_index(kinds), "no-cache, private");
    for (const ServedVersion& version : kinds.versions()) {
        if (target.path() != "/openapi/v3/" + version.path()) continue;
        const OpenapiDocument& document = openapi_document(kinds, version);
        const std::string_view hash = target.query.get("hash");
        if (hash.empty()) return shared(request, document, "no-cache, private");
        if (hash == document.hash) return shared(request, document, "public, immutable, max-age=31536000");
        // The index that named it is out of date.
        os::HttpResponse moved;
        moved.status = 301;
        moved.headers.push_back({"Location", openapi_url(kinds, version)});
        moved.body = std::string();
        return moved;
    }
    return not_found();
}

}  // namespace

bool is_discovery(const Target& target) {
    const Segments& path = target.segments;
    if (path.empty()) return false;
    if (path[0] == "openapi") return true;
    if (path[0] == "version") return path.size() == 1;
    if (path[0] == "api") return path.size() <= 2;
    return path[0] == "apis" && path.size() <= 3;
}

Result<os::HttpResponse> answer_discovery(const os::HttpRequest& request, const Target& target,
                                          const std::string& server_address, const KindRegistry& kinds) {
    if (request.method != "GET" && request.method != "HEAD")
        return Error{Code::kMethodNotAllowed, "the server does not allow this method on the requested resource"};
    if (target.segments[0] == "version") return respond("application/json", indent_json(version_document()));
    if (target.segments[0] == "openapi") return answer_openapi(request, target, kinds);
    return answer_groups(request, target, server_address, kinds);
}

}  // namespace muster::server
