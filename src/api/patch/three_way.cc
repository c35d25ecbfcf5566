#include "api/patch/three_way.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "api/patch/json_dom.h"
#include "api/patch/strategic_scope.h"

namespace muster::api {
namespace {

namespace json = boost::json;

const json::value* find_element(const json::array& list, std::string_view key, const json::value& value) {
    for (const json::value& item : list)
        if (item.is_object())
            if (const json::value* found = item.as_object().if_contains(key); found && dom_equal(*found, value))
                return &item;
    return nullptr;
}

bool has_scalar(const json::array& list, const json::value& value) {
    return std::ranges::any_of(list, [&](const json::value& item) { return dom_equal(item, value); });
}

bool keyed(const json::array& list, std::string_view key) {
    return std::ranges::all_of(
        list, [&](const json::value& item) { return item.is_object() && item.as_object().contains(key); });
}

const json::array& array_or_empty(const json::value* value) {
    static const json::array empty;
    return value && value->is_array() ? value->as_array() : empty;
}
const json::object& object_or_empty(const json::value* value) {
    static const json::object empty;
    return value && value->is_object() ? value->as_object() : empty;
}

bool retains_keys(const StrategicScope& scope, std::string_view name) {
    const FieldInfo* field = scope.type ? scope.type->find(name) : nullptr;
    return field && (field->options.patch == Patch::kRetainKeys || field->options.patch == Patch::kMergeRetainKeys);
}

json::array member_names(const json::object& object) {
    std::vector<std::string> names;
    for (const auto& member : object)
        if (!member.value().is_null()) names.emplace_back(member.key());
    std::ranges::sort(names);
    return json::array(names.begin(), names.end());
}

json::object diff_objects(const StrategicScope& scope, const json::object& before, const json::object& wanted,
                          const json::object& live);

// A list of structs that merges by key.
void diff_keyed(const StrategicRule& rule, std::string_view name, bool retain, const json::array& before,
                const json::array& wanted, const json::array& live, json::object& patch) {
    const StrategicScope scope = element_scope(rule);
    json::array changes;
    bool reordered = live.size() != wanted.size();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const json::object& item = wanted[i].as_object();
        const json::value& key = item.at(rule.merge_key);
        const json::value* current = find_element(live, rule.merge_key, key);
        if (i < live.size() && live[i].is_object())
            reordered = reordered || !dom_equal(object_or_empty(&live[i]).contains(rule.merge_key)
                                                    ? live[i].as_object().at(rule.merge_key)
                                                    : json::value(),
                                                key);
        if (!current) {
            changes.emplace_back(item);
            continue;
        }
        const json::object& previous = object_or_empty(find_element(before, rule.merge_key, key));
        json::object change = diff_objects(scope, previous, item, current->as_object());
        if (change.empty()) continue;
        if (retain) change["$retainKeys"] = member_names(item);
        change[rule.merge_key] = key;
        changes.emplace_back(std::move(change));
    }
    for (const json::value& old : before) {
        if (!old.is_object() || !old.as_object().contains(rule.merge_key)) continue;
        const json::value& key = old.as_object().at(rule.merge_key);
        if (find_element(wanted, rule.merge_key, key) || !find_element(live, rule.merge_key, key)) continue;
        changes.emplace_back(json::object{{"$patch", "delete"}, {rule.merge_key, key}});
    }
    if (changes.empty() && !reordered) return;
    json::array order;
    for (const json::value& item : wanted)
        order.emplace_back(json::object{{rule.merge_key, item.as_object().at(rule.merge_key)}});
    // What others added stands in live and not here: then the order differs without anybody having asked for it.
    if (changes.empty() && live.size() > wanted.size()) return;
    patch["$setElementOrder/" + std::string(name)] = std::move(order);
    if (!changes.empty()) patch[name] = std::move(changes);
}

// A list of scalars that merges as a set.
void diff_set(std::string_view name, const json::array& before, const json::array& wanted, const json::array& live,
              json::object& patch) {
    json::array added;
    json::array removed;
    for (const json::value& item : wanted)
        if (!has_scalar(live, item)) added.push_back(item);
    for (const json::value& item : before)
        if (!has_scalar(wanted, item) && has_scalar(live, item)) removed.push_back(item);
    if (!added.empty()) patch[name] = std::move(added);
    if (!removed.empty()) patch["$deleteFromPrimitiveList/" + std::string(name)] = std::move(removed);
}

void diff_member(const StrategicScope& scope, std::string_view name, const json::value* before,
                 const json::value& wanted, const json::value* live, json::object& patch) {
    const StrategicRule rule = find_rule(scope, name);
    const bool retain = retains_keys(scope, name);
    if (wanted.is_object() && live && live->is_object()) {
        const StrategicScope inner = is_raw(rule.value) ? StrategicScope() : scope_of(rule.value);
        json::object change = diff_objects(inner, object_or_empty(before), wanted.as_object(), live->as_object());
        if (change.empty()) return;
        if (retain) change["$retainKeys"] = member_names(wanted.as_object());
        patch[name] = std::move(change);
        return;
    }
    if (wanted.is_array() && rule.merges && live && live->is_array()) {
        const json::array& old = array_or_empty(before);
        if (rule.merge_key.empty()) {
            diff_set(name, old, wanted.as_array(), live->as_array(), patch);
            return;
        }
        if (keyed(wanted.as_array(), rule.merge_key)) {
            diff_keyed(rule, name, retain, old, wanted.as_array(), live->as_array(), patch);
            return;
        }
    }
    if (!live || !dom_equal(wanted, *live)) patch[name] = wanted;
}

json::object diff_objects(const StrategicScope& scope, const json::object& before, const json::object& wanted,
                          const json::object& live) {
    json::object patch;
    for (const auto& member : wanted) {
        if (member.value().is_null()) continue;
        diff_member(scope, member.key(), before.if_contains(member.key()), member.value(),
                    live.if_contains(member.key()), patch);
    }
    for (const auto& member : before) {
        const json::value* kept = wanted.if_contains(member.key());
        if ((!kept || kept->is_null()) && live.contains(member.key())) patch[member.key()] = nullptr;
    }
    return patch;
}

}  // namespace

json::object three_way_patch(const TypeInfo* type, const json::object& last_applied, const json::object& manifest,
                             const json::object& live) {
    return diff_objects({.type = type}, last_applied, manifest, live);
}

}  // namespace muster::api
