#include "api/patch/strategic_list.h"

#include <boost/json/value.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/patch/element_order.h"
#include "api/patch/json_dom.h"
#include "api/patch/strategic_merge.h"

namespace muster::api {
namespace {

namespace json = boost::json;

enum class Elements { kNone, kScalars, kObjects };

// Lists of one kind only: neither mixed nor lists of lists.
Result<Elements> elements_of(const json::array& original, const json::array& patch) {
    const json::value* first = nullptr;
    for (const json::array* list : {&original, &patch}) {
        for (const auto& element : *list) {
            if (!first) first = &element;
            if (element.is_array()) return Error{Code::kInvalid, "lists of lists are not supported"};
            const bool same = element.kind() == first->kind() || (element.is_number() && first->is_number());
            if (same && !element.is_null()) continue;
            return Error{Code::kInternal, "list element types are not identical: [" + describe_dom(original) + " " +
                                              describe_dom(patch) + "]"};
        }
    }
    if (!first) return Elements::kNone;
    return first->is_object() ? Elements::kObjects : Elements::kScalars;
}

// What identifies an element: a scalar's JSON text, or that of an object's merge key, so that 80 is not "80".
Result<std::string> element_key(const json::value& element, std::string_view merge_key) {
    if (merge_key.empty()) {
        if (!element.is_structured()) return format_dom(element);
        return Error{Code::kInternal, "cannot order a list of structs that has no merge key"};
    }
    if (!element.is_object())
        return Error{Code::kInternal, "expected an object with the merge key " + std::string(merge_key) +
                                          ", but received " + std::string(dom_kind_name(element))};
    const json::value* key = element.get_object().if_contains(merge_key);
    if (key && !key->is_null() && !key->is_structured()) return format_dom(*key);
    return Error{Code::kInternal,
                 "map: " + describe_dom(element) + " does not contain declared merge key: " + std::string(merge_key)};
}

Result<std::vector<std::string>> element_keys(const json::array& list, std::string_view merge_key) {
    std::vector<std::string> keys;
    keys.reserve(list.size());
    for (const auto& element : list) {
        TRY_ASSIGN(auto key, element_key(element, merge_key));
        keys.push_back(std::move(key));
    }
    return keys;
}

const json::value* directive_of(const json::value& element) {
    return element.is_object() ? element.get_object().if_contains("$patch") : nullptr;
}

void assign_elements(json::array& list, std::vector<KeyedElement> elements) {
    list.clear();
    for (auto& keyed : elements) list.push_back(std::move(keyed.element));
}

Result<void> merge_scalars(json::array& original, const json::array& patch) {
    TRY_ASSIGN(const auto live, element_keys(original, ""));
    TRY_ASSIGN(const auto wanted, element_keys(patch, ""));
    std::vector<KeyedElement> merged;
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < live.size(); ++i)
        if (seen.insert(live[i]).second) merged.push_back({live[i], std::move(original[i])});
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (seen.insert(wanted[i]).second) merged.push_back({wanted[i], json::value(patch[i], original.storage())});
    assign_elements(original, order_elements(std::move(merged), wanted, live));
    return {};
}

// A patch's list of objects, its directives taken out.
struct ListChanges {
    bool replace = false;
    std::unordered_set<std::string> deleted;
    std::vector<json::value*> plain;
};

Result<ListChanges> parse_list_changes(json::array& patch, std::string_view merge_key) {
    ListChanges changes;
    for (auto& element : patch) {
        const json::value* directive = directive_of(element);
        if (!directive) {
            changes.plain.push_back(&element);
        } else if (*directive == "delete") {
            TRY_ASSIGN(auto key, element_key(element, merge_key));
            changes.deleted.insert(std::move(key));
        } else if (*directive == "replace") {
            changes.replace = true;
        } else if (*directive == "merge") {
            return Error{Code::kInternal, "merging lists cannot yet be specified in the patch"};
        } else {
            return unknown_directive(*directive, element.get_object());
        }
    }
    return changes;
}

Result<void> merge_objects(json::array& original, json::array& patch, const StrategicRule& rule) {
    TRY_ASSIGN(const ListChanges changes, parse_list_changes(patch, rule.merge_key));
    if (changes.replace) original.clear();

    std::vector<KeyedElement> merged;
    std::vector<std::string> live;
    std::unordered_map<std::string, std::size_t> first;
    for (auto& element : original) {
        TRY_ASSIGN(auto key, element_key(element, rule.merge_key));
        if (changes.deleted.contains(key)) continue;
        first.try_emplace(key, merged.size());
        live.push_back(key);
        merged.push_back({std::move(key), std::move(element)});
    }
    const StrategicScope scope = element_scope(rule);
    const ValueInfo* element_info = rule.value && rule.value->shape == Shape::kList ? rule.value->element : nullptr;
    std::vector<std::string> wanted;
    for (json::value* change : changes.plain) {
        TRY_ASSIGN(auto key, element_key(*change, rule.merge_key));
        wanted.push_back(key);
        const auto [at, added] = first.try_emplace(key, merged.size());
        if (!added) {
            TRY(merge_strategic_object(merged[at->second].element.get_object(), change->get_object(), scope));
        } else {
            clean_strategic_value(*change, element_info);
            merged.push_back({std::move(key), std::move(*change)});
        }
    }
    assign_elements(original, order_elements(std::move(merged), wanted, live));
    return {};
}

// The elements of the patch must all be in the order list, and in its order.
Result<void> check_order(const json::array& patch, const json::array& order, std::string_view merge_key) {
    if (patch.empty() || order.empty()) return {};
    TRY_ASSIGN(const auto ordered, element_keys(order, merge_key));
    auto at = ordered.begin();
    for (const auto& element : patch) {
        if (!merge_key.empty() && directive_of(element)) continue;
        TRY_ASSIGN(const auto key, element_key(element, merge_key));
        while (at != ordered.end() && *at != key) ++at;
        if (at == ordered.end())
            return Error{Code::kInternal, "The order in patch list:\n" + describe_dom(patch) +
                                              "\n doesn't match $setElementOrder list:\n" + describe_dom(order) + "\n"};
        ++at;
    }
    return {};
}

Result<json::array*> list_member(json::object& object, std::string_view name) {
    json::value* member = object.if_contains(name);
    if (!member || member->is_array()) return member ? &member->get_array() : nullptr;
    return Error{Code::kInternal,
                 std::string(name) + ": expected an array, but received " + std::string(dom_kind_name(*member))};
}

Result<StrategicRule> find_list_rule(const StrategicScope& scope, std::string_view name) {
    const StrategicRule rule = find_rule(scope, name);
    if (!rule.value)
        return Error{Code::kInternal, "unable to find api field in struct " + (scope.type ? scope.type->name : "") +
                                          " for the json field \"" + std::string(name) + "\""};
    if (rule.value->shape == Shape::kList) return rule;
    return Error{Code::kInternal, "$setElementOrder/" + std::string(name) + ": the field is not a list"};
}

}  // namespace

Result<void> merge_strategic_list(json::array& original, json::array& patch, const StrategicRule& rule) {
    if (!rule.merges) {
        original = std::move(patch);
        return {};
    }
    TRY_ASSIGN(const Elements kind, elements_of(original, patch));
    switch (kind) {
        case Elements::kNone: return {};
        case Elements::kScalars: return merge_scalars(original, patch);
        case Elements::kObjects: break;
    }
    if (rule.merge_key.empty()) return Error{Code::kInternal, "cannot merge lists without merge key for struct"};
    return merge_objects(original, patch, rule);
}

Result<void> delete_scalars(json::array& original, const json::array& doomed) {
    TRY_ASSIGN(const Elements kind, elements_of(original, doomed));
    if (kind == Elements::kNone) return {};
    if (kind == Elements::kObjects) return Error{Code::kBadRequest, "invalid patch format of primitive list"};
    TRY_ASSIGN(const auto keys, element_keys(doomed, ""));
    const std::unordered_set<std::string> gone(keys.begin(), keys.end());
    json::array kept(original.storage());
    for (auto& element : original)
        if (!gone.contains(format_dom(element))) kept.push_back(std::move(element));
    original = std::move(kept);
    return {};
}

Result<void> merge_in_order(json::object& original, json::object& patch, std::string_view name,
                            const json::array& order, const StrategicScope& scope) {
    TRY_ASSIGN(json::array * live, list_member(original, name));
    TRY_ASSIGN(json::array * change, list_member(patch, name));
    TRY_ASSIGN(const StrategicRule rule, find_list_rule(scope, name));
    if (change) TRY(check_order(*change, order, rule.merge_key));
    if (!live && !change) return {};

    TRY_ASSIGN(const auto wanted, element_keys(order, rule.merge_key));
    std::vector<std::string> live_keys;
    if (live) {
        TRY_ASSIGN(live_keys, element_keys(*live, rule.merge_key));
        if (change) TRY(merge_strategic_list(*live, *change, rule));
    } else {
        json::value added = std::move(patch.at(name));
        clean_strategic_value(added, rule.value);
        live = &original.insert_or_assign(name, std::move(added)).first->value().get_array();
    }
    patch.erase(name);

    TRY_ASSIGN(auto keys, element_keys(*live, rule.merge_key));
    std::vector<KeyedElement> merged;
    merged.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) merged.push_back({std::move(keys[i]), std::move((*live)[i])});
    assign_elements(*live, order_elements(std::move(merged), wanted, live_keys));
    return {};
}

}  // namespace muster::api
