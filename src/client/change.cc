#include "client/change.h"

#include <boost/json/serialize.hpp>

#include "api/codec/dom.h"
#include "api/patch/strategic_merge.h"
#include "api/patch/three_way.h"

namespace muster::client {
namespace {

namespace json = boost::json;

// What is printed as null is absent: a patch must not name it.
void drop_nulls(json::value& value) {
    if (json::array* list = value.if_array()) {
        for (json::value& item : *list) drop_nulls(item);
    } else if (json::object* object = value.if_object()) {
        for (auto member = object->begin(); member != object->end();) {
            drop_nulls(member->value());
            member = member->value().is_null() ? object->erase(member) : std::next(member);
        }
    }
}

Result<json::object> tree_of(const api::KindInfo& kind, const void* object) {
    TRY_ASSIGN(json::value tree, api::to_dom(kind.type(), object));
    if (!tree.is_object()) return Error{Code::kInternal, std::string(kind.kind) + " is not printed as an object"};
    drop_nulls(tree);
    return std::move(tree.as_object());
}

json::value take_version(json::object& object) {
    json::value* metadata = object.if_contains("metadata");
    if (!metadata || !metadata->is_object()) return {};
    json::object& members = metadata->as_object();
    const json::value* found = members.if_contains("resourceVersion");
    json::value version = found ? *found : json::value();
    members.erase("resourceVersion");
    return version;
}

// Leaves only what belongs to the part.
void keep_part(Part part, json::object& object) {
    if (part != Part::kStatus) {
        object.erase("status");
        return;
    }
    json::object kept;
    if (json::value* status = object.if_contains("status")) kept["status"] = std::move(*status);
    object = std::move(kept);
}

}  // namespace

PatchForm patch_form_of(const api::KindInfo& kind) {
    const std::string_view group = kind.group;
    const bool built_in = group.find('.') == std::string_view::npos || group.ends_with(".k8s.io");
    return built_in ? PatchForm::kStrategicMerge : PatchForm::kMerge;
}

const char* content_type_of(PatchForm form) {
    return form == PatchForm::kMerge ? "application/merge-patch+json" : "application/strategic-merge-patch+json";
}

Result<std::string> format_change(const api::KindInfo& kind, const void* before, const void* after, Part part,
                                  PatchForm form) {
    TRY_ASSIGN(json::object old_state, tree_of(kind, before));
    TRY_ASSIGN(json::object new_state, tree_of(kind, after));
    take_version(old_state);
    const json::value version = take_version(new_state);
    keep_part(part, old_state);
    keep_part(part, new_state);
    const api::TypeInfo* type = form == PatchForm::kMerge ? nullptr : &kind.type();
    json::object patch = api::three_way_patch(type, old_state, new_state, old_state);
    if (!version.is_null()) {
        json::value& metadata = patch["metadata"];
        if (!metadata.is_object()) metadata = json::object();
        metadata.as_object()["resourceVersion"] = version;
    }
    return json::serialize(patch);
}

Result<void> apply_change(const api::KindInfo& kind, const void* before, const void* after, const void* present,
                          void* result) {
    TRY_ASSIGN(const json::object old_state, tree_of(kind, before));
    TRY_ASSIGN(const json::object new_state, tree_of(kind, after));
    TRY_ASSIGN(json::object state, tree_of(kind, present));
    json::value patch = api::three_way_patch(&kind.type(), old_state, new_state, old_state);
    TRY_ASSIGN(const json::value merged, api::apply_strategic_merge(kind.type(), std::move(state), patch, {}));
    TRY(api::decode_dom(kind.type(), result, merged));
    return {};
}

}  // namespace muster::client
