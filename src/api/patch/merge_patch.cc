#include "api/patch/merge_patch.h"

#include <boost/json/value.hpp>
#include <string>

#include "api/patch/json_dom.h"

namespace muster::api {
namespace {

namespace json = boost::json;

// Both recurse as deep as the patch, which apply_merge_patch has measured.
void merge_object(json::object& target, const json::object& patch);

json::value without_nulls(const json::value& value, const json::storage_ptr& storage) {
    if (value.is_object()) {
        json::object merged(storage);
        merge_object(merged, value.get_object());
        return merged;
    }
    if (!value.is_array()) return json::value(value, storage);
    json::array elements(storage);
    elements.reserve(value.get_array().size());
    for (const auto& element : value.get_array()) elements.push_back(without_nulls(element, storage));
    return elements;
}

void merge_object(json::object& target, const json::object& patch) {
    for (const auto& change : patch) {
        if (change.value().is_null()) {
            target.erase(change.key());
            continue;
        }
        json::value& member = target[change.key()];
        if (member.is_object() && change.value().is_object()) {
            merge_object(member.get_object(), change.value().get_object());
        } else {
            member = without_nulls(change.value(), target.storage());
        }
    }
}

}  // namespace

Result<json::value> apply_merge_patch(json::value document, const json::value& patch, const PatchLimits& limits) {
    if (!patch.is_object())
        return Error{Code::kBadRequest,
                     "error decoding patch: a merge patch must be an object, not " + std::string(dom_kind_name(patch))};
    if (dom_depth(patch, limits.depth_max) > limits.depth_max)
        return Error{Code::kBadRequest, "error decoding patch: nested too deep"};
    if (!document.is_object()) document.emplace_object();
    merge_object(document.get_object(), patch.get_object());
    return document;
}

}  // namespace muster::api
