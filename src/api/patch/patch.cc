#include "api/patch/patch.h"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include "api/patch/json_dom.h"
#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"

namespace muster::api {
namespace {

namespace json = boost::json;

// All that kube-apiserver says to a client whose JSON patch does not apply.
constexpr const char* kRejected = "the server rejected our request due to an error in our request";

Result<void> check_object(const json::value& current, const PatchLimits& limits) {
    if (!current.is_object()) return Error{Code::kInternal, "only an object can be patched"};
    if (json_depth(current, limits.depth_max) <= limits.depth_max) return {};
    return Error{Code::kTooLarge, "the object is nested too deep to be patched"};
}

Result<json::value> parse_body(PatchKind kind, std::string_view body, const PatchLimits& limits,
                               json::storage_ptr storage) {
    if (body.size() > limits.body_bytes_max)
        return Error{Code::kTooLarge, "Request entity too large: limit is " + std::to_string(limits.body_bytes_max)};
    auto parsed = parse_json(body, limits.depth_max, std::move(storage));
    if (!parsed.ok()) return Error{parsed.error().code, "error decoding patch: " + parsed.error().message};
    if (kind == PatchKind::kJson ? parsed->is_array() : parsed->is_object()) return parsed;
    return Error{Code::kBadRequest, std::string("error decoding patch: expected an ") +
                                        (kind == PatchKind::kJson ? "array of operations" : "object") +
                                        ", but received " + std::string(json_kind_name(*parsed))};
}

Result<json::value> apply(PatchKind kind, const TypeInfo& type, json::value current, const json::value& patch,
                          const PatchLimits& limits) {
    switch (kind) {
        case PatchKind::kJson: return apply_json_patch(std::move(current), patch, limits);
        case PatchKind::kMerge: return apply_merge_patch(std::move(current), patch, limits);
        case PatchKind::kStrategic: break;
    }
    return apply_strategic_merge(type, std::move(current), patch, limits);
}

Result<json::value> apply_as_upstream(PatchKind kind, const TypeInfo& type, json::value current,
                                      const json::value& patch, const PatchLimits& limits) {
    auto patched = apply(kind, type, std::move(current), patch, limits);
    if (!patched.ok() && patched.error().code == Code::kInvalid) return Error{Code::kInvalid, kRejected};
    return patched;
}

std::optional<std::string> text_member(const json::object& object, std::string_view name) {
    const json::value* member = object.if_contains(name);
    if (!member || !member->is_string()) return std::nullopt;
    return std::string(member->get_string());
}

}  // namespace

Result<json::value> parse_patch(PatchKind kind, std::string_view body, const PatchLimits& limits) {
    return parse_body(kind, body, limits, {});
}

PatchPreconditions patch_preconditions(const json::value& patch) {
    const json::object* object = patch.if_object();
    const json::value* metadata = object ? object->if_contains("metadata") : nullptr;
    if (!metadata || !metadata->is_object()) return {};
    return {.uid = text_member(metadata->get_object(), "uid"),
            .resource_version = text_member(metadata->get_object(), "resourceVersion")};
}

Result<json::value> apply_parsed_patch(PatchKind kind, const TypeInfo& type, const json::value& current,
                                       const json::value& patch, const PatchLimits& limits) {
    TRY(check_object(current, limits));
    return apply_as_upstream(kind, type, current, patch, limits);
}

Result<json::value> apply_patch(PatchKind kind, const TypeInfo& type, const json::value& current, std::string_view body,
                                const PatchLimits& limits) {
    TRY_ASSIGN(const json::value patch, parse_body(kind, body, limits, {}));
    return apply_parsed_patch(kind, type, current, patch, limits);
}

Result<std::string> apply_patch_text(PatchKind kind, const TypeInfo& type, std::string_view current,
                                     std::string_view body, const PatchLimits& limits) {
    json::monotonic_resource memory;  // both trees die together
    TRY_ASSIGN(const json::value patch, parse_body(kind, body, limits, &memory));
    auto object = parse_json(current, limits.depth_max, &memory);
    if (!object.ok()) return Error{Code::kInternal, "the object is not JSON: " + object.error().message};
    TRY(check_object(*object, limits));
    TRY_ASSIGN(const json::value patched, apply_as_upstream(kind, type, std::move(*object), patch, limits));
    return format_json(patched);
}

}  // namespace muster::api
