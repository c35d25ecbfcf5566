#include "server/negotiation/body_type.h"

#include <algorithm>

namespace muster::server {
namespace {

constexpr std::string_view kUnknown =
    "the body of the request was in an unknown format - accepted media types include: ";
constexpr std::string_view kBodyTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kPatchTypes =
    "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json";

// "application/json; charset=utf-8" → application/json
std::string bare_type(std::string_view content_type) {
    std::string type(content_type.substr(0, content_type.find(';')));
    std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
    std::ranges::transform(type, type.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return type;
}

Error unsupported(std::string_view accepted) {
    return {Code::kUnsupportedMediaType, std::string(kUnknown) + std::string(accepted)};
}

}  // namespace

Result<Encoding> body_encoding(std::string_view content_type) {
    const std::string type = bare_type(content_type);
    if (type.empty()) return Encoding::kJson;
    for (const Encoding encoding : {Encoding::kJson, Encoding::kYaml, Encoding::kProtobuf})
        if (type == media_type(encoding)) return encoding;
    return unsupported(kBodyTypes);
}

Result<PatchType> patch_type(std::string_view content_type) {
    const std::string type = bare_type(content_type);
    if (type == "application/json-patch+json") return PatchType::kJson;
    if (type == "application/merge-patch+json") return PatchType::kMerge;
    if (type == "application/strategic-merge-patch+json") return PatchType::kStrategicMerge;
    if (type == "application/apply-patch+yaml" || type == "application/apply-patch+cbor")
        return Error{Code::kUnsupportedMediaType,
                     "server-side apply is not served yet - accepted media types include: " + std::string(kPatchTypes)};
    return unsupported(kPatchTypes);
}

}  // namespace muster::server
