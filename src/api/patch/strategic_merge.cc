#include "api/patch/strategic_merge.h"

#include <boost/json/value.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "api/patch/json_dom.h"
#include "api/patch/strategic_list.h"

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
constexpr std::string_view kElementOrder = "$setElementOrder";

bool is_directive_key(std::string_view key) {
    return key == kRetainKeys || key.starts_with(kDeleteFromList) || key.starts_with(kElementOrder);
}

// "finalizers" of "$deleteFromPrimitiveList/finalizers"; kBadRequest when the key has not that form.
Result<std::string> list_named(std::string_view key, std::string_view directive) {
    if (key.size() > directive.size() && key[directive.size()] == '/')
        return std::string(key.substr(directive.size() + 1));
    return Error{Code::kBadRequest, directive == kElementOrder ? "invalid patch format of setElementOrder list"
                                                               : "invalid patch format of primitive list"};
}

void clean_object(json::object& object, const StrategicScope& scope) {
    for (auto member = object.begin(); member != object.end();) {
        const std::string_view key = member->key();
        const bool keep = !member->value().is_null() && !is_directive_key(key) &&
                          clean_strategic_value(member->value(), find_rule(scope, key).value);
        member = keep ? member + 1 : object.erase(member);
    }
}

Result<void> apply_map_directive(json::object& original, json::object& patch, const StrategicScope& scope) {
    const json::value& directive = patch.at(kPatch);
    if (directive == "replace") {
        patch.erase(kPatch);
        clean_object(patch, scope);
        original = std::move(patch);
        return {};
    }
    if (directive == "delete") {
        original.clear();
        return {};
    }
    return unknown_directive(directive, patch);
}

Result<void> apply_retain_keys(json::object& original, json::object& patch) {
    const auto directive = patch.find(kRetainKeys);
    if (directive == patch.end()) return {};
    const Error bad_form{Code::kBadRequest, "invalid patch format of retainKeys"};
    if (!directive->value().is_array()) return bad_form;
    std::unordered_set<std::string> retained;
    for (const auto& key : directive->value().get_array())
        if (key.is_string()) retained.emplace(std::string_view(key.get_string()));
    patch.erase(directive);

    for (const auto& member : patch)
        if (!member.value().is_null() && !is_directive_key(member.key()) && !retained.contains(member.key()))
            return bad_form;
    for (auto member = original.begin(); member != original.end();)
        member = retained.contains(member->key()) ? member + 1 : original.erase(member);
    return {};
}

Result<void> apply_element_orders(json::object& original, json::object& patch, const StrategicScope& scope) {
    std::vector<std::string> keys;
    for (const auto& member : patch)
        if (std::string_view(member.key()).starts_with(kElementOrder)) keys.emplace_back(member.key());
    for (const std::string& key : keys) {
        TRY_ASSIGN(const std::string name, list_named(key, kElementOrder));
        const json::value order = std::move(patch.at(key));
        patch.erase(key);
        if (!order.is_array())
            return Error{Code::kInternal,
                         key + ": expected an array, but received " + std::string(dom_kind_name(order))};
        TRY(merge_in_order(original, patch, name, order.get_array(), scope));
    }
    return {};
}

Result<void> merge_member(json::object& original, json::key_value_pair& change, const StrategicScope& scope) {
    if (change.value().is_null()) {
        original.erase(change.key());
        return {};
    }
    const StrategicRule rule = find_rule(scope, change.key());
    json::value* live = original.if_contains(change.key());
    const bool raw = is_raw(rule.value);
    if (!raw && live && live->is_object() && change.value().is_object())
        return merge_strategic_object(live->get_object(), change.value().get_object(), scope_of(rule.value));
    if (!raw && live && live->is_array() && change.value().is_array())
        return merge_strategic_list(live->get_array(), change.value().get_array(), rule);
    if (raw || clean_strategic_value(change.value(), rule.value)) {
        original[change.key()] = std::move(change.value());
    } else {
        original.erase(change.key());
    }
    return {};
}

Result<void> delete_from_list(json::object& original, const json::key_value_pair& change) {
    TRY_ASSIGN(const std::string name, list_named(change.key(), kDeleteFromList));
    json::value* live = original.if_contains(name);
    if (live && change.value().is_null()) original.erase(name);
    if (!live || !live->is_array() || !change.value().is_array()) return {};
    return delete_scalars(live->get_array(), change.value().get_array());
}

}  // namespace

Error unknown_directive(const json::value& directive, const json::object& map) {
    return {Code::kInternal, "unknown patch type: " + describe_dom(directive) + " in map: " + describe_keys(map)};
}

bool clean_strategic_value(json::value& value, const ValueInfo* info) {
    if (is_raw(info)) return true;
    if (value.is_object()) {
        if (value.get_object().contains(kPatch)) return false;
        clean_object(value.get_object(), scope_of(info));
    } else if (value.is_array()) {
        const ValueInfo* element_info = info && info->shape == Shape::kList ? info->element : nullptr;
        json::array kept(value.storage());
        for (auto& element : value.get_array())
            if (clean_strategic_value(element, element_info)) kept.push_back(std::move(element));
        value.get_array() = std::move(kept);
    }
    return true;
}

Result<void> merge_strategic_object(json::object& original, json::object& patch, const StrategicScope& scope) {
    if (patch.contains(kPatch)) return apply_map_directive(original, patch, scope);
    TRY(apply_retain_keys(original, patch));
    TRY(apply_element_orders(original, patch, scope));
    for (auto& change : patch)
        if (!std::string_view(change.key()).starts_with(kDeleteFromList)) TRY(merge_member(original, change, scope));
    // Last, so that the outcome does not hang on the order of the patch's members.
    for (const auto& change : patch)
        if (std::string_view(change.key()).starts_with(kDeleteFromList)) TRY(delete_from_list(original, change));
    return {};
}

Result<json::value> apply_strategic_merge(const TypeInfo& type, json::value document, const json::value& patch,
                                          const PatchLimits& limits) {
    if (!patch.is_object())
        return Error{Code::kBadRequest, "error decoding patch: a strategic merge patch must be an object, not " +
                                            std::string(dom_kind_name(patch))};
    if (dom_depth(patch, limits.depth_max) > limits.depth_max)
        return Error{Code::kBadRequest, "error decoding patch: nested too deep"};
    if (!document.is_object()) document.emplace_object();
    json::object changes(patch.get_object(), document.storage());
    TRY(merge_strategic_object(document.get_object(), changes, {.type = &type}));
    return document;
}

}  // namespace muster::api
