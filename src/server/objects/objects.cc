#include "server/objects/objects.h"

#include <iterator>

#include "api/validation/rules/field_errors.h"
#include "server/kind_object/uid.h"
#include "server/kind_object/views.h"
#include "server/objects/deletion.h"

namespace muster::server {
namespace {

using api::meta::ObjectMeta;

std::string key_of(const Place& place) { return object_key(stored_kind(place.kind), place.namespace_, place.name); }

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

constexpr std::string_view kKeepsPods =
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning";

void add_warnings(std::vector<std::string> warnings, const WriteOptions& options) {
    if (!options.warnings) return;
    options.warnings->insert(options.warnings->end(), std::move_iterator(warnings.begin()),
                             std::move_iterator(warnings.end()));
}

AdmissionRequest admission_of(Operation operation, const Place& place, const WriteOptions& options) {
    AdmissionRequest request{operation, place.kind, "",           place.namespace_, place.name,
                             nullptr,   nullptr,    options.user, options.dry_run,  options.warnings};
    request.audit = options.audit;
    request.from_inside = options.from_inside;
    return request;
}

}  // namespace

Objects::Objects(os::Loop& loop, store::Store& store, AdmissionChain chain, api::RuleContext rules, std::uint64_t seed,
                 std::shared_ptr<const Kinds> kinds)
    : loop_(loop),
      store_(store),
      chain_(std::move(chain)),
      rules_(std::move(rules)),
      random_(seed),
      kinds_(std::move(kinds)) {}

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

Result<KindObjectPtr> Objects::find(const Place& place) const {
    const auto stored = store_.get(key_of(place));
    if (!stored) return not_found(place.kind, place.name);
    return as_kind(std::static_pointer_cast<const KindObject>(stored->object), place.kind);
}

Result<KindObjectPtr> Objects::get(const Place& place) const {
    TRY_ASSIGN(KindObjectPtr object, find(place));
    if (const Error* problem = object->unreadable()) return *problem;
    return object;
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
    AdmissionRequest request = admission_of(Operation::kCreate, {place.kind, place.namespace_, metadata.name}, options);
    request.object = draft.get();
    TRY(admit(chain_.mutating, request));
    rules.prepare_create(draft->data());
    if (api::FieldErrors errors = rules.validate_create(draft->data(), rules_); !errors.empty())
        return invalid_object(place.kind, metadata.name, std::move(errors));
    add_warnings(rules.warnings(draft->data(), nullptr), options);
    TRY(admit(chain_.validating, request));
    const Text name = metadata.name;
    const std::string key = key_of({place.kind, place.namespace_, name});
    if (options.dry_run) {
        if (store_.get(key)) return already_exists(place.kind, name);
        return Outcome{std::move(draft), 0, false};
    }
    Result<store::Written> written = store_.create(key, as_stored(std::move(draft)));
    if (!written.ok() && written.error().code == Code::kAlreadyExists) return already_exists(place.kind, name);
    if (!written.ok()) return std::move(written).error();
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

Result<Outcome> Objects::update_view(const Place& place, Part part, const Edit& edit, SentUid sent_uid,
                                     const WriteOptions& options) {
    const Edit edit_stored = [&](const KindObjectPtr& stored) -> Result<std::shared_ptr<KindObject>> {
        TRY_ASSIGN(std::shared_ptr<KindObject> edited, edit(as_kind(stored, place.kind)));
        return as_stored(std::move(edited));
    };
    return seen_through(update(stored_place(place), part, edit_stored, sent_uid, options), place.kind);
}

Result<Outcome> Objects::update(const Place& place, Part part, const Edit& edit, SentUid sent_uid,
                                const WriteOptions& options) {
    if (is_mere_view(place.kind)) return update_view(place, part, edit, sent_uid, options);
    TRY_ASSIGN(const KindObjectPtr before, get(place));
    TRY_ASSIGN(std::shared_ptr<KindObject> draft, edit(before));
    TRY(settle_update(place, sent_uid, draft->metadata(), before->metadata()));
    const bool releases = part == Part::kMain && only_removes_finalizers(*draft, *before);
    if (!releases) rules_of(place.kind).fill_defaults(draft->data());
    AdmissionRequest request = admission_of(Operation::kUpdate, place, options);
    if (part == Part::kStatus) request.subresource = "status";
    request.object = draft.get();
    request.before = before.get();
    TRY(admit(chain_.mutating, request));
    TRY_ASSIGN(PreparedUpdate prepared,
               prepare_update(place, part, releases ? Checks::kNone : Checks::kAll, std::move(draft), *before, rules_));
    add_warnings(std::move(prepared.warnings), options);
    request.object = prepared.object.get();
    TRY(admit(chain_.validating, request));
    if (!is_last_update(*prepared.object, *before))
        return put(place, std::move(prepared.object), before, options.dry_run);
    if (options.dry_run) return Outcome{std::move(prepared.object), 0, true};
    return take_away(place, std::move(prepared.object));
}

Result<Outcome> Objects::rewrite(const Place& place, const Edit& edit, bool dry_run) {
    TRY_ASSIGN(const KindObjectPtr before, get(place));
    TRY_ASSIGN(std::shared_ptr<KindObject> draft, edit(before));
    return put(place, std::move(draft), before, dry_run);
}

Result<> Objects::admit_delete(const Place& place, const KindObject& before, const WriteOptions& options) const {
    AdmissionRequest request = admission_of(Operation::kDelete, place, options);
    request.before = &before;
    TRY(admit(chain_.mutating, request));
    return admit(chain_.validating, request);
}

Result<Outcome> Objects::remove(const Place& place, const api::meta::DeleteOptions& asked,
                                const WriteOptions& options) {
    if (is_mere_view(place.kind)) return seen_through(remove(stored_place(place), asked, options), place.kind);
    TRY_ASSIGN(const KindObjectPtr before, find(place));
    if (before->unreadable()) return remove_unreadable(place, before, asked, options);
    const api::KindRules& rules = rules_of(place.kind);
    if (rules.spec_finalizers && !before->metadata().deletion_timestamp)
        return mark_deleted(place, before, asked, options);
    if (has_spec_finalizers(*before)) return Outcome{before, 0, false};
    TRY_ASSIGN(const DeletionPlan plan,
               decide_deletion(place.kind, before->metadata(), rules.grace(before->data()), asked, now()));
    TRY(admit_delete(place, *before, options));
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

// Nothing is known of its finalizers, its owners and its grace: the caller must know what depends on it.
Result<Outcome> Objects::remove_unreadable(const Place& place, const KindObjectPtr& before,
                                           const api::meta::DeleteOptions& asked, const WriteOptions& options) {
    TRY(check_delete_options(asked));
    if (!asked.ignore_store_read_error_with_cluster_breaking_potential.value_or(false)) {
        Error problem = *before->unreadable();
        problem.message +=
            "; to delete it without its finalizers, set ignoreStoreReadErrorWithClusterBreakingPotential";
        return problem;
    }
    TRY(admit_delete(place, *before, options));
    return take_away(place, before);
}

// The first delete only marks a namespace. The namespace controller empties it and then removes the finalizer.
Result<Outcome> Objects::mark_deleted(const Place& place, const KindObjectPtr& before,
                                      const api::meta::DeleteOptions& asked, const WriteOptions& options) {
    TRY_ASSIGN(DeletionPlan plan, decide_deletion(place.kind, before->metadata(), {}, asked, now()));
    TRY(admit_delete(place, *before, options));
    std::shared_ptr<KindObject> marked = copy_of(*before);
    marked->metadata() = plan.metadata;
    marked->metadata().deletion_timestamp = api::Time::from_instant(now());
    marked->metadata().deletion_grace_period_seconds.reset();
    rules_of(place.kind).spec_finalizers->mark_deleted(marked->data());
    return put(place, std::move(marked), before, options.dry_run);
}

}  // namespace muster::server
