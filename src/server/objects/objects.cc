#include "server/objects/objects.h"

#include <algorithm>
#include <iterator>

#include "api/schema/walk.h"
#include "api/validation/rules/field_errors.h"
#include "server/kind_object/uid.h"
#include "server/kind_object/views.h"
#include "server/objects/deletion.h"

namespace muster::server {
namespace {

using api::meta::ObjectMeta;

std::string key_of(const Place& place) { return object_key(stored_kind(place.kind), place.namespace_, place.name); }

const api::KindRules& rules_of(const api::KindInfo& kind) {
    const api::KindRules* rules = api::find_rules(kind);
    CHECK(rules, kind.kind);
    return *rules;
}

// An older version of a kind has no rules of its own: it is converted on the way in and out, and everything between
// sees the stored kind.
bool is_mere_view(const api::KindInfo& kind) { return &stored_kind(kind) != &kind && !api::find_rules(kind); }

Place stored_place(const Place& place) { return {stored_kind(place.kind), place.namespace_, place.name}; }

Result<Outcome> seen_through(Result<Outcome> outcome, const api::KindInfo& kind) {
    if (outcome.ok()) outcome->object = as_kind(std::move(outcome->object), kind);
    return outcome;
}

// A private copy to change.
std::shared_ptr<KindObject> copy_of(const KindObject& object) { return make_object(object.kind(), object.data()); }

std::string resource_of(const api::KindInfo& kind) {
    return std::string(kind.options.plural) + (*kind.group ? "." : "") + kind.group;
}

constexpr std::string_view kKeepsPods =
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning";

void add_warnings(std::vector<std::string> warnings, const WriteOptions& options) {
    if (!options.warnings) return;
    options.warnings->insert(options.warnings->end(), std::move_iterator(warnings.begin()),
                             std::move_iterator(warnings.end()));
}

// What the client may have left out or got wrong about where the object is.
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

Result<> check_name(const Place& place, const ObjectMeta& metadata) {
    if (metadata.name == place.name) return {};
    if (metadata.name.empty())
        return Error{Code::kBadRequest, "the name of the object (" + std::string(place.name) +
                                            " based on URL) was undeterminable: name must be provided"};
    return Error{Code::kBadRequest, "the name of the object (" + metadata.name.str() +
                                        ") does not match the name on the URL (" + std::string(place.name) + ")"};
}

Result<> check_version(const Place& place, const ObjectMeta& now, const ObjectMeta& before) {
    const bool unsaid = now.resource_version.empty() || now.resource_version == "0";
    if (unsaid && place.kind.options.version_required) {
        api::FieldErrors errors;
        errors.add_invalid(api::FieldPath("metadata").child("resourceVersion"), 0, "must be specified for an update");
        return invalid_object(place.kind, place.name, std::move(errors));
    }
    if (unsaid || now.resource_version == before.resource_version) return {};
    return conflict(place.kind, place.name,
                    "the object has been modified; please apply your changes to the latest version and try again");
}

Result<> check_uid(const Place& place, const ObjectMeta& now, const ObjectMeta& before) {
    if (now.uid.empty() || now.uid == before.uid) return {};
    return conflict(
        place.kind, place.name,
        "Precondition failed: UID in precondition: " + now.uid.str() + ", UID in object meta: " + before.uid.str());
}

// A namespace has finalizers in its spec beside those of the metadata.
bool has_spec_finalizers(const api::KindRules& rules, const KindObject& object) {
    return rules.spec_finalizers && rules.spec_finalizers->any(object.data());
}

bool is_last_update(const api::KindRules& rules, const KindObject& now, const KindObject& before) {
    return goes_with_update(now.metadata(), before.metadata()) && !has_spec_finalizers(rules, now);
}

// Whether the draft is the stored object without some of its finalizers. Removing finalizers must always be possible,
// even for an object that validation would refuse today.
bool only_lets_go(const KindObject& draft, const KindObject& before) {
    const ObjectMeta& now = draft.metadata();
    const ObjectMeta& then = before.metadata();
    if (now.finalizers.size() >= then.finalizers.size()) return false;
    const auto is_held = [&](const Text& finalizer) {
        return std::find(then.finalizers.begin(), then.finalizers.end(), finalizer) != then.finalizers.end();
    };
    if (!std::all_of(now.finalizers.begin(), now.finalizers.end(), is_held)) return false;
    ObjectMeta restored = now;
    restored.finalizers = then.finalizers;
    restored.resource_version = then.resource_version;
    if (now.uid.empty()) restored.uid = then.uid;
    if (!(restored == then)) return false;
    const api::TypeInfo& type = draft.kind().type();
    return std::all_of(type.fields.begin(), type.fields.end(), [&](const api::FieldInfo& field) {
        const void* place = static_cast<const char*>(draft.data()) + field.offset;
        return place == static_cast<const void*>(&now) || api::is_equal(field, draft.data(), before.data());
    });
}

}  // namespace

Error not_found(const api::KindInfo& kind, std::string_view name) {
    return {Code::kNotFound,
            resource_of(kind) + " \"" + std::string(name) + "\" not found",
            {},
            {std::string(name), kind.group, kind.options.plural}};
}

Error conflict(const api::KindInfo& kind, std::string_view name, std::string_view why) {
    return {
        Code::kConflict,
        "Operation cannot be fulfilled on " + resource_of(kind) + " \"" + std::string(name) + "\": " + std::string(why),
        {},
        {std::string(name), kind.group, kind.options.plural}};
}

Objects::Objects(os::Loop& loop, store::Store& store, AdmissionChain chain, api::RuleContext rules, std::uint64_t seed)
    : loop_(loop), store_(store), chain_(std::move(chain)), rules_(std::move(rules)), random_(seed) {}

std::string Objects::random_suffix() {
    // Without vowels and look-alikes: no words, no mistakes in reading.
    static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
    std::string suffix(5, ' ');
    for (char& c : suffix) c = kAlphabet[random_.below(kAlphabet.size())];
    return suffix;
}

Result<> Objects::admit(const std::vector<AdmissionStep>& steps, AdmissionRequest& request) const {
    for (const AdmissionStep& step : steps) TRY(step(request, *this));
    return {};
}

void Objects::tell_written(const store::Object* before, const store::Object* after) const noexcept {
    for (const WriteListener& listener : chain_.written)
        listener(static_cast<const KindObject*>(before), static_cast<const KindObject*>(after));
}

Result<KindObjectPtr> Objects::get(const Place& place) const {
    const auto stored = store_.get(key_of(place));
    if (!stored) return not_found(place.kind, place.name);
    return as_kind(std::static_pointer_cast<const KindObject>(stored->object), place.kind);
}

Result<Outcome> Objects::create(const Place& place, std::shared_ptr<KindObject> draft, const WriteOptions& options) {
    if (is_mere_view(place.kind))
        return seen_through(create(stored_place(place), as_stored(std::move(draft)), options), place.kind);
    ObjectMeta& metadata = draft->metadata();
    TRY(settle_namespace(place, metadata));
    if (!metadata.name.empty() || metadata.generate_name.empty()) return create_once(place, draft, options);
    // Random names can meet; the client should not have to try again for that.
    constexpr int kAttemptsMax = 8;
    constexpr std::size_t kPrefixMax = 58;
    const std::string prefix(metadata.generate_name.view().substr(0, kPrefixMax));
    const std::shared_ptr<KindObject> original = copy_of(*draft);
    for (int attempt = 1;; ++attempt) {
        std::shared_ptr<KindObject> named = attempt == 1 ? std::move(draft) : copy_of(*original);
        named->metadata().name = prefix + random_suffix();
        Result<Outcome> outcome = create_once(place, named, options);
        if (outcome.ok() || outcome.error().code != Code::kAlreadyExists || attempt == kAttemptsMax) return outcome;
    }
}

Result<Outcome> Objects::create_once(const Place& place, std::shared_ptr<KindObject>& draft,
                                     const WriteOptions& options) {
    const api::KindRules& rules = rules_of(place.kind);
    ObjectMeta& metadata = draft->metadata();
    metadata.uid = make_uid(random_);
    metadata.creation_timestamp = api::Time::from_instant(now());
    rules.fill_defaults(draft->data());
    AdmissionRequest request{Operation::kCreate, place.kind, "",           place.namespace_, metadata.name,
                             draft.get(),        nullptr,    options.user, options.dry_run,  options.warnings};
    request.audit = options.audit;
    request.from_inside = options.from_inside;
    TRY(admit(chain_.mutating, request));
    rules.prepare_create(draft->data());
    if (api::FieldErrors errors = rules.validate_create(draft->data(), rules_); !errors.empty())
        return invalid_object(place.kind, metadata.name, std::move(errors));
    add_warnings(rules.warnings(draft->data(), nullptr), options);
    TRY(admit(chain_.validating, request));
    const Text name = metadata.name;
    const std::string key = key_of({place.kind, place.namespace_, name});
    const auto exists = [&] {
        return Error{Code::kAlreadyExists,
                     resource_of(place.kind) + " \"" + name.str() + "\" already exists",
                     {},
                     {name.str(), place.kind.group, place.kind.options.plural}};
    };
    if (options.dry_run) {
        if (store_.get(key)) return exists();
        return Outcome{std::move(draft), 0, false};
    }
    Result<store::Written> written = store_.create(key, as_stored(std::move(draft)));
    if (!written.ok()) return written.error().code == Code::kAlreadyExists ? exists() : std::move(written).error();
    tell_written(nullptr, written->object.get());
    return Outcome{as_kind(std::static_pointer_cast<const KindObject>(written->object), place.kind), written->revision,
                   false};
}

Result<Outcome> Objects::put(const Place& place, std::shared_ptr<KindObject> draft, const KindObjectPtr& before,
                             bool dry_run) {
    if (dry_run) {
        draft->metadata().resource_version = before->metadata().resource_version;
        return Outcome{std::move(draft), 0, false};
    }
    TRY_ASSIGN(const store::Written written, store_.update(key_of(place), as_stored(std::move(draft))));
    tell_written(before.get(), written.object.get());
    return Outcome{as_kind(std::static_pointer_cast<const KindObject>(written.object), place.kind), written.revision,
                   false};
}

Result<Outcome> Objects::take_away(const Place& place, KindObjectPtr last) {
    TRY_ASSIGN(const store::Removed removed, store_.remove(key_of(place)));
    tell_written(removed.previous.get(), nullptr);
    return Outcome{std::move(last), removed.revision, true};
}

Result<Outcome> Objects::update(const Place& place, Part part, const Edit& edit, bool uid_is_precondition,
                                const WriteOptions& options) {
    if (is_mere_view(place.kind)) {
        const Edit edit_stored = [&](const KindObjectPtr& stored) -> Result<std::shared_ptr<KindObject>> {
            TRY_ASSIGN(std::shared_ptr<KindObject> edited, edit(as_kind(stored, place.kind)));
            return as_stored(std::move(edited));
        };
        return seen_through(update(stored_place(place), part, edit_stored, uid_is_precondition, options), place.kind);
    }
    const api::KindRules& rules = rules_of(place.kind);
    TRY_ASSIGN(const KindObjectPtr before, get(place));
    TRY_ASSIGN(std::shared_ptr<KindObject> draft, edit(before));
    ObjectMeta& metadata = draft->metadata();
    TRY(check_name(place, metadata));
    TRY(settle_namespace(place, metadata));
    if (uid_is_precondition) TRY(check_uid(place, metadata, before->metadata()));
    TRY(check_version(place, metadata, before->metadata()));
    if (metadata.resource_version == "0") metadata.resource_version = {};
    const bool lets_go = part == Part::kMain && only_lets_go(*draft, *before);
    if (!lets_go) rules.fill_defaults(draft->data());
    AdmissionRequest request{Operation::kUpdate, place.kind,   part == Part::kStatus ? "status" : "",
                             place.namespace_,   place.name,   draft.get(),
                             before.get(),       options.user, options.dry_run,
                             options.warnings};
    request.audit = options.audit;
    request.from_inside = options.from_inside;
    TRY(admit(chain_.mutating, request));
    if (part == Part::kFinalize) {
        // Only the finalizers of the spec are written here.
        CHECK(rules.spec_finalizers, place.kind.kind);
        std::shared_ptr<KindObject> finalized = copy_of(*before);
        rules.spec_finalizers->copy(finalized->data(), draft->data());
        draft = std::move(finalized);
    } else if (part == Part::kStatus) {
        rules.prepare_status_update(draft->data(), before->data());
        if (api::FieldErrors errors = rules.validate_status_update(draft->data(), before->data(), rules_);
            !errors.empty())
            return invalid_object(place.kind, place.name, std::move(errors));
    } else {
        rules.prepare_update(draft->data(), before->data());
        api::FieldErrors errors;
        if (!lets_go) errors = rules.validate_update(draft->data(), before->data(), rules_);
        if (!errors.empty()) return invalid_object(place.kind, place.name, std::move(errors));
        if (!lets_go) add_warnings(rules.warnings(draft->data(), before->data()), options);
    }
    request.object = draft.get();
    TRY(admit(chain_.validating, request));
    if (is_last_update(rules, *draft, *before)) {
        if (options.dry_run) return Outcome{std::move(draft), 0, true};
        return take_away(place, std::move(draft));
    }
    return put(place, std::move(draft), before, options.dry_run);
}

Result<Outcome> Objects::rewrite(const Place& place, const Edit& edit, bool dry_run) {
    TRY_ASSIGN(const KindObjectPtr before, get(place));
    TRY_ASSIGN(std::shared_ptr<KindObject> draft, edit(before));
    return put(place, std::move(draft), before, dry_run);
}

Result<Outcome> Objects::remove(const Place& place, const api::meta::DeleteOptions& asked,
                                const WriteOptions& options) {
    if (is_mere_view(place.kind)) return seen_through(remove(stored_place(place), asked, options), place.kind);
    TRY_ASSIGN(const KindObjectPtr before, get(place));
    const api::KindRules& rules = rules_of(place.kind);
    if (rules.spec_finalizers && !before->metadata().deletion_timestamp)
        return mark_deleted(place, before, asked, options);
    if (has_spec_finalizers(rules, *before)) return Outcome{before, 0, false};
    TRY_ASSIGN(const DeletionPlan plan,
               decide_deletion(place.kind, before->metadata(), rules.grace(before->data()), asked, now()));
    AdmissionRequest request{Operation::kDelete, place.kind,      "",           place.namespace_,
                             place.name,         nullptr,         before.get(), options.user,
                             options.dry_run,    options.warnings};
    request.audit = options.audit;
    request.from_inside = options.from_inside;
    TRY(admit(chain_.mutating, request));
    TRY(admit(chain_.validating, request));
    if (plan.orphans_by_default && options.warnings) options.warnings->emplace_back(kKeepsPods);
    Outcome outcome{before, 0, false};
    if (plan.mark) {
        std::shared_ptr<KindObject> marked = copy_of(*before);
        marked->metadata() = plan.metadata;
        TRY_ASSIGN(outcome, put(place, std::move(marked), before, options.dry_run));
    }
    if (!plan.remove) return outcome;
    if (options.dry_run) return Outcome{outcome.object, 0, true};
    return take_away(place, outcome.object);
}

// The first delete only marks a namespace. The namespace controller empties it and then removes the finalizer.
Result<Outcome> Objects::mark_deleted(const Place& place, const KindObjectPtr& before,
                                      const api::meta::DeleteOptions& asked, const WriteOptions& options) {
    TRY_ASSIGN(DeletionPlan plan, decide_deletion(place.kind, before->metadata(), {}, asked, now()));
    AdmissionRequest request{Operation::kDelete, place.kind,      "",           place.namespace_,
                             place.name,         nullptr,         before.get(), options.user,
                             options.dry_run,    options.warnings};
    request.audit = options.audit;
    request.from_inside = options.from_inside;
    TRY(admit(chain_.mutating, request));
    TRY(admit(chain_.validating, request));
    std::shared_ptr<KindObject> marked = copy_of(*before);
    marked->metadata() = plan.metadata;
    marked->metadata().deletion_timestamp = api::Time::from_instant(now());
    marked->metadata().deletion_grace_period_seconds.reset();
    rules_of(place.kind).spec_finalizers->mark_deleted(marked->data());
    return put(place, std::move(marked), before, options.dry_run);
}

}  // namespace muster::server
