#include "controllers/garbage/controller.h"

#include "base/check.h"
#include "base/reached.h"
#include "os/loop/gather.h"

namespace muster::controllers {
namespace {

using api::meta::ObjectMeta;
using api::meta::OwnerReference;
using client::AnyObject;
using client::MetadataPatch;
using View = client::Client::View;

// How often an object is read again after conflicts before it is retried later with a delay.
constexpr int kConflictsMax = 3;

const ObjectMeta& as_metadata(const void* object) { return *static_cast<const ObjectMeta*>(object); }

client::ObjectName place_of(const ObjectIdentity& identity) { return {identity.namespace_, identity.name}; }

// Most changes are of a status, and mean nothing here.
bool is_same_to_owners(const ObjectMeta& was, const ObjectMeta& is) {
    return was.uid == is.uid && was.owner_references.data() == is.owner_references.data() &&
           was.deletion_timestamp.has_value() == is.deletion_timestamp.has_value() && was.finalizers == is.finalizers;
}

api::core::ObjectReference event_subject(const ObjectIdentity& identity) {
    api::core::ObjectReference about;
    about.kind = identity.kind;
    about.api_version = identity.api_version;
    about.namespace_ = identity.namespace_;
    about.name = identity.name;
    about.uid = identity.uid;
    return about;
}

}  // namespace

GarbageController::GarbageController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                     GarbageOptions options)
    : loop_(loop),
      client_(client),
      options_(std::move(options)),
      recorder_(loop, client, "garbage-collector-controller"),
      graph_(options_.kinds),
      examine_(loop, client::QueueMetrics(metrics, "garbage_collector_attempt_to_delete")),
      orphan_(loop, client::QueueMetrics(metrics, "garbage_collector_attempt_to_orphan")),
      examiners_(loop, examine_, options_.at_once_max, [this](Text uid) { return examine(std::move(uid)); }),
      orphaners_(loop, orphan_, options_.at_once_max, [this](Text uid) { return release_dependents(std::move(uid)); }),
      tasks_(loop) {
    // The kinds are known from the start, so that nothing can go wrong with finding them; dashboards ask all the same.
    metrics.counter(
        {"garbagecollector_controller_resources_sync_error_total", "Failures to find the kinds there are."});
}

void GarbageController::start() {
    for (const api::KindInfo* kind : options_.kinds) {
        auto mirror = std::make_unique<client::AnyMirror>(loop_, client_, *kind, View::kMetadata, &as_metadata);
        mirror->on_change(
            [this, kind](const AnyObject& before, const AnyObject& now) { on_change(*kind, before, now); });
        mirror->start();
        mirrors_.push_back(std::move(mirror));
    }
    tasks_.spawn(run());
}

// Until everything has been listed, an owner that was not seen is one that was not listed yet.
os::Task<void> GarbageController::run() {
    for (const auto& mirror : mirrors_) co_await mirror->wait_synced();
    examiners_.start();
    orphaners_.start();
}

void GarbageController::on_change(const api::KindInfo& kind, const AnyObject& before, const AnyObject& now) {
    const ObjectMeta* was = static_cast<const ObjectMeta*>(before.get());
    const ObjectMeta* is = static_cast<const ObjectMeta*>(now.get());
    if (was && is && is_same_to_owners(*was, *is)) return;
    // Between two looks one object may have gone and another have come under its name.
    if (was && (!is || !(was->uid == is->uid))) take(graph_.forget(was->uid));
    if (is) take(graph_.observe(identity_of(kind, *is), *is));
}

void GarbageController::take(const GraphChanges& changes) {
    for (const Text& uid : changes.examine) examine_.add(uid);
    for (const Text& uid : changes.orphan) orphan_.add(uid);
    for (const ForeignOwner& foreign : changes.foreign) {
        client::Note note;
        note.type = "Warning";
        note.reason = "OwnerRefInvalidNamespace";
        note.message = "ownerRef " + format_identity(foreign.claimed) + " does not exist in namespace \"" +
                       foreign.dependent.namespace_.str() + '"';
        recorder_.note(event_subject(foreign.dependent), std::move(note));
    }
}

os::Task<Worked> GarbageController::examine(Text uid) {
    const ObjectIdentity* known = graph_.identity(uid);
    if (!known) co_return Worked::kDone;
    if (graph_.is_phantom(uid)) co_return co_await look_for_owner(uid);
    const ObjectIdentity identity = *known;
    if (graph_.waits_for_dependents(uid)) co_return co_await settle_waiting(identity);
    if (graph_.being_deleted(uid)) co_return Worked::kDone;
    co_return co_await settle_dependent(identity);
}

// One that exists is looked for again until a mirror shows it: it might have gone before its first event came.
os::Task<Worked> GarbageController::look_for_owner(Text uid) {
    bool retry = false;
    const std::vector<ObjectIdentity> claims = graph_.claims(uid);
    for (const ObjectIdentity& claim : claims) {
        const auto standing = co_await read_standing(claim);
        if (!standing.ok())
            retry = retry || standing.error().code != Code::kForbidden;
        else if (*standing == OwnerStanding::kGone)
            take(graph_.mark_absent(claim));
        else
            retry = true;
    }
    co_return retry&& graph_.is_phantom(uid) ? Worked::kRetry : Worked::kDone;
}

os::Task<Worked> GarbageController::settle_dependent(ObjectIdentity identity) {
    const api::KindInfo& kind = *find_kind_of(identity.api_version, identity.kind, options_.kinds);
    for (int conflicts = 0; conflicts < kConflictsMax; ++conflicts) {
        auto latest = co_await read(identity);
        if (!latest.ok()) co_return is_gone(latest.error()) ? Worked::kDone : Worked::kRetry;
        const auto standings = co_await read_standings(identity, *latest);
        if (!standings.ok()) co_return standings.error().code == Code::kForbidden ? Worked::kDone : Worked::kRetry;
        const DependentPlan plan = decide_dependent(
            {**latest, *standings, graph_.has_dependents(identity.uid), graph_.has_waiting_dependent(identity.uid)});
        if (!plan.drop_owners.empty()) {
            MetadataPatch dropping(identity.uid);
            dropping.remove_owners = plan.drop_owners;
            const auto dropped = co_await patch(identity, std::move(dropping));
            co_return dropped.ok() || is_gone(dropped.error()) ? Worked::kDone : Worked::kRetry;
        }
        if (!plan.remove) co_return Worked::kDone;
        if (plan.unblock_owners) {
            latest = co_await unblock(identity, *latest);
            if (!latest.ok()) co_return is_gone(latest.error()) ? Worked::kDone : Worked::kRetry;
        }
        client::Removal removal(identity.uid, (*latest)->resource_version);
        removal.propagation = plan.remove;
        const auto removed = co_await client_.remove_any(kind, place_of(identity), std::move(removal));
        if (removed.ok() || is_gone(removed.error())) co_return Worked::kDone;
        if (removed.error().code != Code::kConflict) co_return Worked::kRetry;
        REACHED("a dependent changed between its reading and its removal");
    }
    co_return Worked::kRetry;
}

os::Task<Worked> GarbageController::settle_waiting(ObjectIdentity identity) {
    const WaitingPlan plan =
        decide_waiting({graph_.is_blocked(identity.uid), graph_.is_in_waiting_cycle(identity.uid)});
    if (plan.unblock_owners) {
        auto latest = co_await read(identity);
        if (latest.ok()) latest = co_await unblock(identity, *latest);
        if (!latest.ok() && !is_gone(latest.error())) co_return Worked::kRetry;
    }
    if (!plan.release) co_return Worked::kDone;
    MetadataPatch release(identity.uid);
    release.remove_finalizers.push_back(kDeleteDependents);
    const auto released = co_await patch(identity, std::move(release));
    co_return released.ok() || is_gone(released.error()) ? Worked::kDone : Worked::kRetry;
}

os::Task<Worked> GarbageController::release_dependents(Text uid) {
    const ObjectIdentity* known = graph_.identity(uid);
    if (!known) co_return Worked::kDone;
    const ObjectIdentity owner = *known;
    std::vector<os::Task<Result<Metadata>>> releases;
    for (const ObjectIdentity& dependent : graph_.dependents(uid)) {
        MetadataPatch releasing(dependent.uid);
        releasing.remove_owners.push_back(uid);
        releases.push_back(patch(dependent, std::move(releasing)));
    }
    const auto released = co_await os::gather(loop_, std::move(releases), options_.at_once_max);
    for (const auto& each : released)
        if (!each.ok() && !is_gone(each.error())) co_return Worked::kRetry;
    MetadataPatch finishing(uid);
    finishing.remove_finalizers.push_back(kOrphanDependents);
    const auto finished = co_await patch(owner, std::move(finishing));
    co_return finished.ok() || is_gone(finished.error()) ? Worked::kDone : Worked::kRetry;
}

os::Task<Result<std::vector<OwnerStanding>>> GarbageController::read_standings(ObjectIdentity identity,
                                                                               Metadata latest) {
    std::vector<OwnerStanding> standings;
    for (const OwnerReference& reference : latest->owner_references) {
        const ObjectIdentity owner = claimed_owner(reference, identity.namespace_, options_.kinds);
        if (graph_.is_known_absent(owner)) {
            standings.push_back(OwnerStanding::kGone);
            continue;
        }
        CO_TRY_ASSIGN(const OwnerStanding standing, co_await read_standing(owner));
        if (standing == OwnerStanding::kGone) take(graph_.mark_absent(owner));
        standings.push_back(standing);
    }
    co_return standings;
}

os::Task<Result<OwnerStanding>> GarbageController::read_standing(ObjectIdentity owner) {
    const api::KindInfo* kind = find_kind_of(owner.api_version, owner.kind, options_.kinds);
    if (!kind || !kind->options.plural)
        co_return Error{Code::kUnavailable, "no kind " + owner.kind.str() + " of " + owner.api_version.str()};
    if (kind->options.namespaced && owner.namespace_.empty())
        co_return Error{Code::kForbidden, "an object without namespace cannot have an owner in one"};
    const auto metadata = co_await read(owner);
    if (metadata.ok()) co_return standing_of(**metadata);
    if (is_gone(metadata.error())) co_return OwnerStanding::kGone;
    co_return metadata.error();
}

os::Task<Result<GarbageController::Metadata>> GarbageController::read(ObjectIdentity identity) {
    const api::KindInfo* kind = find_kind_of(identity.api_version, identity.kind, options_.kinds);
    CHECK(kind);
    CO_TRY_ASSIGN(const AnyObject object, co_await client_.get_any(*kind, place_of(identity), View::kMetadata));
    auto metadata = std::static_pointer_cast<const ObjectMeta>(object);
    if (!(metadata->uid == identity.uid)) co_return Error{Code::kNotFound, "another object has its name"};
    co_return metadata;
}

// The UID is the patch's condition: another object under that name is as good as none.
os::Task<Result<GarbageController::Metadata>> GarbageController::patch(ObjectIdentity identity, MetadataPatch patch) {
    const api::KindInfo* kind = find_kind_of(identity.api_version, identity.kind, options_.kinds);
    CHECK(kind);
    auto patched = co_await client_.patch_any(*kind, place_of(identity), std::move(patch), View::kMetadata);
    if (patched.ok()) co_return std::static_pointer_cast<const ObjectMeta>(*std::move(patched));
    if (patched.error().code == Code::kConflict) {
        CO_TRY(co_await read(identity));  // kNotFound when that was the reason
    }
    co_return std::move(patched).error();
}

os::Task<Result<GarbageController::Metadata>> GarbageController::unblock(ObjectIdentity identity, Metadata latest) {
    MetadataPatch opening(identity.uid);
    opening.resource_version = latest->resource_version;
    const auto free = unblocked(latest->owner_references);
    for (std::size_t i = 0; i < free.size(); ++i)
        if (!(free[i] == latest->owner_references[i])) opening.add_owners.push_back(free[i]);
    if (opening.add_owners.empty()) co_return latest;
    co_return co_await patch(identity, std::move(opening));
}

}  // namespace muster::controllers
