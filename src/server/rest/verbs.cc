#include "server/rest/verbs.h"

#include <boost/json/value.hpp>

#include "api/codec/dom.h"
#include "api/kinds/meta/status.h"
#include "api/validation/rules/field_errors.h"
#include "server/objects/deletion.h"
#include "server/rest/patch_body.h"

namespace muster::server {
namespace {

using api::KindInfo;

Part part_of(const Call& call) {
    if (!call.route.part) return Part::kMain;
    return call.route.part->name == "finalize" ? Part::kFinalize : Part::kStatus;
}

// Names no object, as upstream: what came out of the patch is none. Nor is it shown, as it could be a secret.
Error unreadable_patch(const std::string& why) {
    const KindInfo nothing{"", "", "", {}, nullptr};
    api::FieldErrors errors;
    errors.add_invalid(api::FieldPath("patch"), api::Shown::nothing(), why);
    return invalid_object(nothing, "", std::move(errors));
}

// The object after the patch, read as any body is.
Result<std::shared_ptr<KindObject>> apply(const PatchBody& patch, Call& call, const KindObject& before) {
    const KindInfo& kind = before.kind();
    if (!patch.document.ok()) return patch.document.error();
    TRY_ASSIGN(const boost::json::value document, api::to_dom(kind.type(), before.data(), &kind));
    TRY_ASSIGN(const boost::json::value patched,
               api::apply_parsed_patch(patch.how, kind.type(), document, *patch.document, {}));
    std::shared_ptr<KindObject> now = make_object(kind);
    Result<api::Decoded> decoded = api::decode_dom(kind.type(), now->data(), patched);
    if (!decoded.ok()) return unreadable_patch(decoded.error().message);
    // What a strategic merge makes of them is passed over, as upstream.
    if (patch.how != api::PatchKind::kStrategic)
        if (const auto same = check_sent_kind(kind, decoded->api_version, decoded->kind); !same.ok())
            return unreadable_patch(same.error().message);
    decoded->complaints.insert(decoded->complaints.end(), patch.duplicates.begin(), patch.duplicates.end());
    if (call.write.validation == FieldValidation::kStrict)
        if (const auto strict = check_strict(*decoded); !strict.ok()) return unreadable_patch(strict.error().message);
    if (call.write.validation == FieldValidation::kWarn)
        call.warnings.insert(call.warnings.end(), decoded->complaints.begin(), decoded->complaints.end());
    return now;
}

api::meta::Status deleted_status(const Call& call, const KindObject& object) {
    api::meta::Status status;
    status.status = "Success";
    api::meta::StatusDetails& details = status.details.edit();
    details.name = object.metadata().name;
    details.group = call.resource_kind().group;
    details.kind = call.resource_kind().options.plural;
    details.uid = object.metadata().uid;
    return status;
}

}  // namespace

Place place_of(const Call& call) { return {call.resource_kind(), call.route.namespace_, call.route.name}; }

WriteOptions write_options(Call& call) {
    WriteOptions options{&call.user, call.write.dry_run, &call.warnings};
    options.audit = &call.audit;
    return options;
}

Result<> check_reached(const Objects& objects, store::Revision wanted) {
    if (wanted <= objects.store().revision()) return {};
    const store::Revision newest = objects.store().durable_revision();
    Error error{Code::kTimeout,
                "Too large resource version: " + std::to_string(wanted) + ", current: " + std::to_string(newest)};
    error.causes.push_back({"ResourceVersionTooLarge", "", "Too large resource version"});
    error.retry_after_seconds = 1;
    return error;
}

Result<Answer> get_object(const Objects& objects, const Call& call) {
    TRY_ASSIGN(const auto wanted, parse_version(call.query.get("resourceVersion")));
    TRY(check_reached(objects, wanted.value_or(0)));
    TRY_ASSIGN(KindObjectPtr object, objects.get(place_of(call)));
    TRY_ASSIGN(const auto revision, parse_version(object->metadata().resource_version));
    return answer_object(std::move(object), call.as, 200, revision.value_or(0));
}

Result<Answer> create_object(Objects& objects, Call& call) {
    call.warnings.insert(call.warnings.end(), call.body->warnings.begin(), call.body->warnings.end());
    TRY_ASSIGN(Outcome outcome, objects.create(place_of(call), std::move(call.body->object), write_options(call)));
    return answer_object(std::move(outcome.object), call.as, 201, outcome.revision);
}

Result<Answer> update_object(Objects& objects, Call& call) {
    call.warnings.insert(call.warnings.end(), call.body->warnings.begin(), call.body->warnings.end());
    const Place place = place_of(call);
    if (!call.route.part && place.kind.options.created_by_update && !objects.get(place).ok()) {
        api::meta::ObjectMeta& metadata = call.body->object->metadata();
        if (metadata.name.empty()) metadata.name = call.route.name;
        if (!(metadata.name == call.route.name))
            return Error{Code::kBadRequest, "the name of the object (" + metadata.name.str() +
                                                ") does not match the name on the URL (" + call.route.name + ")"};
        return create_object(objects, call);
    }
    const auto replace = [&](const KindObjectPtr&) -> Result<std::shared_ptr<KindObject>> {
        return std::move(call.body->object);
    };
    TRY_ASSIGN(Outcome outcome,
               objects.update(place, part_of(call), replace, SentUid::kPrecondition, write_options(call)));
    return answer_object(std::move(outcome.object), call.as, 200, outcome.revision);
}

Result<Answer> patch_object(Objects& objects, Call& call) {
    const auto patch = [&](const KindObjectPtr& before) { return apply(*call.patch, call, *before); };
    TRY_ASSIGN(Outcome outcome,
               objects.update(place_of(call), part_of(call), patch, SentUid::kField, write_options(call)));
    return answer_object(std::move(outcome.object), call.as, 200, outcome.revision);
}

Result<Answer> delete_object(Objects& objects, Call& call) {
    const api::meta::DeleteOptions& asked = *call.delete_options;
    TRY(check_delete_options(asked));
    call.write.dry_run = !asked.dry_run.empty();
    TRY_ASSIGN(Outcome outcome, objects.remove(place_of(call), asked, write_options(call)));
    if (!outcome.gone || call.resource_kind().options.returned_by_delete)
        return answer_object(std::move(outcome.object), call.as, 200, outcome.revision);
    return answer_status(deleted_status(call, *outcome.object), call.as.form, outcome.revision);
}

}  // namespace muster::server
