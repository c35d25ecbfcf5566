#include "server/objects/update_steps.h"

#include <algorithm>

#include "api/schema/walk.h"
#include "api/validation/rules/field_errors.h"
#include "server/objects/deletion.h"

namespace muster::server {
namespace {

using api::meta::ObjectMeta;

Result<> check_name(const Place& place, const ObjectMeta& metadata) {
    if (metadata.name == place.name) return {};
    if (metadata.name.empty())
        return Error{Code::kBadRequest, "the name of the object (" + std::string(place.name) +
                                            " based on URL) was undeterminable: name must be provided"};
    return Error{Code::kBadRequest, "the name of the object (" + metadata.name.str() +
                                        ") does not match the name on the URL (" + std::string(place.name) + ")"};
}

Result<> check_uid(const Place& place, const ObjectMeta& now, const ObjectMeta& before) {
    if (now.uid.empty() || now.uid == before.uid) return {};
    return conflict(
        place.kind, place.name,
        "Precondition failed: UID in precondition: " + now.uid.str() + ", UID in object meta: " + before.uid.str());
}

Result<> settle_version(const Place& place, ObjectMeta& now, const ObjectMeta& before) {
    if (now.resource_version == "0") now.resource_version = {};
    const bool unsaid = now.resource_version.empty();
    if (unsaid && place.kind.options.version_required) {
        api::FieldErrors errors;
        errors.add_invalid(api::FieldPath("metadata").child("resourceVersion"), 0, "must be specified for an update");
        return invalid_object(place.kind, place.name, std::move(errors));
    }
    if (unsaid || now.resource_version == before.resource_version) return {};
    return conflict(place.kind, place.name,
                    "the object has been modified; please apply your changes to the latest version and try again");
}

bool holds_all(const List<Text>& held, const List<Text>& some) {
    return std::all_of(some.begin(), some.end(), [&](const Text& finalizer) {
        return std::find(held.begin(), held.end(), finalizer) != held.end();
    });
}

Result<PreparedUpdate> prepare_finalize(const Place& place, const KindObject& draft, const KindObject& before) {
    const api::SpecFinalizers* finalizers = rules_of(place.kind).spec_finalizers;
    CHECK(finalizers, place.kind.kind);
    if (api::FieldErrors errors = finalizers->validate(draft.data()); !errors.empty())
        return invalid_object(place.kind, place.name, std::move(errors));
    PreparedUpdate prepared{make_object(before.kind(), before.data())};
    finalizers->copy(prepared.object->data(), draft.data());
    return prepared;
}

Result<PreparedUpdate> prepare_status(const Place& place, std::shared_ptr<KindObject> draft, const KindObject& before,
                                      const api::RuleContext& context) {
    const api::KindRules& rules = rules_of(place.kind);
    rules.prepare_status_update(draft->data(), before.data());
    if (api::FieldErrors errors = rules.validate_status_update(draft->data(), before.data(), context); !errors.empty())
        return invalid_object(place.kind, place.name, std::move(errors));
    return PreparedUpdate{std::move(draft)};
}

}  // namespace

Result<> settle_namespace(const Place& place, ObjectMeta& metadata) {
    if (!place.kind.options.namespaced) {
        metadata.namespace_ = {};
        return {};
    }
    if (!metadata.namespace_.empty() && !(metadata.namespace_ == place.namespace_))
        return Error{Code::kBadRequest,
                     "the namespace of the provided object does not match the namespace sent on the request"};
    metadata.namespace_ = place.namespace_;
    return {};
}

Result<> settle_update(const Place& place, SentUid sent_uid, ObjectMeta& now, const ObjectMeta& before) {
    TRY(check_name(place, now));
    TRY(settle_namespace(place, now));
    if (sent_uid == SentUid::kPrecondition) TRY(check_uid(place, now, before));
    return settle_version(place, now, before);
}

bool only_removes_finalizers(const KindObject& now, const KindObject& before) {
    const ObjectMeta& is = now.metadata();
    const ObjectMeta& was = before.metadata();
    if (is.finalizers.size() >= was.finalizers.size() || !holds_all(was.finalizers, is.finalizers)) return false;
    ObjectMeta restored = is;
    restored.finalizers = was.finalizers;
    restored.resource_version = was.resource_version;
    if (is.uid.empty()) restored.uid = was.uid;
    if (!(restored == was)) return false;
    const api::TypeInfo& type = now.kind().type();
    return std::all_of(type.fields.begin(), type.fields.end(), [&](const api::FieldInfo& field) {
        const void* place = static_cast<const char*>(now.data()) + field.offset;
        return place == static_cast<const void*>(&is) || api::is_equal(field, now.data(), before.data());
    });
}

Result<PreparedUpdate> prepare_update(const Place& place, Part part, Checks checks, std::shared_ptr<KindObject> draft,
                                      const KindObject& before, const api::RuleContext& context) {
    if (part == Part::kFinalize) return prepare_finalize(place, *draft, before);
    if (part == Part::kStatus) return prepare_status(place, std::move(draft), before, context);
    const api::KindRules& rules = rules_of(place.kind);
    rules.prepare_update(draft->data(), before.data());
    if (checks == Checks::kNone) return PreparedUpdate{std::move(draft)};
    if (api::FieldErrors errors = rules.validate_update(draft->data(), before.data(), context); !errors.empty())
        return invalid_object(place.kind, place.name, std::move(errors));
    std::vector<std::string> warnings = rules.warnings(draft->data(), before.data());
    return PreparedUpdate{std::move(draft), std::move(warnings)};
}

bool has_spec_finalizers(const KindObject& object) {
    const api::SpecFinalizers* finalizers = rules_of(object.kind()).spec_finalizers;
    return finalizers && finalizers->any(object.data());
}

bool is_last_update(const KindObject& now, const KindObject& before) {
    return goes_with_update(now.metadata(), before.metadata()) && !has_spec_finalizers(now);
}

}  // namespace muster::server
