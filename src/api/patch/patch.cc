#include "api/patch/patch.h"

#include <boost/json/value.hpp>

#include "api/codec/dom.h"
#include "api/patch/json_dom.h"
#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"

namespace muster::api {
namespace {

namespace json = boost::json;

// All that kube-apiserver says to a client whose JSON patch does not apply.
constexpr const char* kRejected = "the server rejected our request due to an error in our request";

Error bad_request(const std::string& what) { return {Code::kBadRequest, "error decoding patch: " + what}; }

Result<void> check_object(const json::value& current, const PatchLimits& limits) {
    if (!current.is_object()) return Error{Code::kInternal, "only an object can be patched"};
    if (dom_depth(current, limits.depth_max) <= limits.depth_max) return {};
    return Error{Code::kTooLarge, "the object is nested too deep to be patched"};
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

}  // namespace

Result<json::value> parse_patch(PatchKind kind, std::string_view body, const PatchLimits& limits) {
    if (body.size() > limits.body_bytes_max)
        return Error{Code::kTooLarge, "Request entity too large: limit is " + std::to_string(limits.body_bytes_max)};
    auto parsed = parse_dom(body, {.bytes_max = limits.body_bytes_max, .depth_max = limits.depth_max});
    if (!parsed.ok()) return bad_request(parsed.error().message);
    if (!dom_is_finite(*parsed)) return bad_request("a number is out of range");
    if (kind == PatchKind::kJson ? parsed->is_array() : parsed->is_object()) return parsed;
    const std::string expected = kind == PatchKind::kJson ? "an array of operations" : "an object";
    return bad_request("expected " + expected + ", but received " + std::string(dom_kind_name(*parsed)));
}

Result<json::value> apply_parsed_patch(PatchKind kind, const TypeInfo& type, const json::value& current,
                                       const json::value& patch, const PatchLimits& limits) {
    TRY(check_object(current, limits));
    return apply_as_upstream(kind, type, current, patch, limits);
}

Result<json::value> apply_patch(PatchKind kind, const TypeInfo& type, const json::value& current, std::string_view body,
                                const PatchLimits& limits) {
    TRY_ASSIGN(const json::value patch, parse_patch(kind, body, limits));
    return apply_parsed_patch(kind, type, current, patch, limits);
}

}  // namespace muster::api
