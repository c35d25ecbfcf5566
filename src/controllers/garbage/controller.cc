#include "controllers/garbage/controller.h"

#include <algorithm>
#include <functional>

#include "base/reached.h"
#include "controllers/deletable_kinds.h"
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

Error unknown_kind(const ObjectIdentity& identity) {
    return {Code::kUnavailable, "no kind " + identity.kind.str() + " of " + identity.api_version.str()};
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
      examined_(loop, client::QueueMetrics(metrics, "garbage_collector_attempt_to_delete"), options_.at_once_max,
                [this](Text uid) { return examine(std::move(uid)); }),
      orphaned_(loop, client::QueueMetrics(metrics, "garbage_collector_attempt_to_orphan"), options_.at_once_max,
                [this](Text uid) { return release_dependents(std::move(uid)); }) {
    // The client knows the kinds, so that nothing can go wrong with finding them; dashboards ask all the same.
    metrics.counter(
        {"garbagecollector_controller_resources_sync_error_total", "Failures to find the kinds there are."});
}

GarbageController::Watched::Watched(GarbageController& controller, const api::KindInfo& of)
    : kind(of),
      mirror(controller.loop_, controller.client_, of, View::kMetadata, &as_metadata),
      tasks(controller.loop_) {}

void GarbageController::start() {
    if (options_.kinds.empty()) listening_ = client_.kinds().listen([this] { follow_kinds(); });
    follow_kinds();
}

void GarbageController::follow_kinds() {
    kinds_ = options_.kinds.empty() ? owning_kinds(client_.kinds().stored()) : options_.kinds;
    graph_.set_kinds(kinds_);
    const auto is_gone = [&](const auto& watched) {
        return std::find(kinds_.begin(), kinds_.end(), &watched->kind) == kinds_.end();
    };
    const auto gone = std::stable_partition(watched_.begin(), watched_.end(), std::not_fn(is_gone));
    for (auto at = gone; at != watched_.end(); ++at) stop_watching(**at);
    watched_.erase(gone, watched_.end());
    const std::size_t known = watched_.size();
    for (const api::KindInfo* kind : kinds_) {
        const auto is_it = [&](const auto& watched) { return &watched->kind == kind; };
        if (std::none_of(watched_.begin(), watched_.begin() + static_cast<std::ptrdiff_t>(known), is_it))
            watched_.push_back(std::make_unique<Watched>(*this, *kind));
    }
    // None is started before all are there: what has been listed at once must not start the collection.
    for (std::size_t i = known; i < watched_.size(); ++i) {
        Watched& watched = *watched_[i];
        watched.mirror.on_change([this, &kind = watched.kind](const AnyObject& before, const AnyObject& now) {
            on_change(kind, before, now);
        });
        watched.mirror.start();
        watched.tasks.spawn(await_list(&watched));
        if (watched.kind.is_defined()) watched.tasks.spawn(limit_wait(&watched));
    }
    start_if_listed();
}

// Whether its objects exist is not known from now on: what they own stays.
void GarbageController::stop_watching(const Watched& watched) {
    for (const auto& [name, object] : watched.mirror.all())
        take(graph_.lose_sight(static_cast<const ObjectMeta*>(object.get())->uid));
}

os::Task<void> GarbageController::await_list(Watched* watched) {
    co_await watched->mirror.wait_synced();
    watched->awaited = false;
    start_if_listed();
}

os::Task<void> GarbageController::limit_wait(Watched* watched) {
    co_await os::sleep_for(loop_, options_.list_time_max);
    watched->awaited = false;
    start_if_listed();
}

// Until everything has been listed, an owner that was not seen is one that was not listed yet.
void GarbageController::start_if_listed() {
    const auto is_awaited = [](const auto& watched) { return watched->awaited; };
    if (started_ || std::any_of(watched_.begin(), watched_.end(), is_awaited)) return;
    started_ = true;
    examined_.start();
    orphaned_.start();
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
    for (const Text& uid : changes.examine) examined_.add(uid);
    for (const Text& uid : changes.orphan) orphaned_.add(uid);
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
    const api::KindInfo* kind = find_kind_of(identity.api_version, identity.kind, kinds_);
    if (!kind) co_return Worked::kDone;  // it has gone since the object was seen
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
        const auto removed = co_await client_.remove_any(*kind, place_of(identity), std::move(removal));
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
        const ObjectIdentity owner = claimed_owner(reference, identity.namespace_, kinds_);
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
    const api::KindInfo* kind = find_kind_of(owner.api_version, owner.kind, kinds_);
    if (!kind || !kind->options.plural) co_return unknown_kind(owner);
    if (kind->options.namespaced && owner.namespace_.empty())
        co_return Error{Code::kForbidden, "an object without namespace cannot have an owner in one"};
    const auto metadata = co_await read(owner);
    if (metadata.ok()) co_return standing_of(**metadata);
    if (is_gone(metadata.error())) co_return OwnerStanding::kGone;
    co_return metadata.error();
}

os::Task<Result<GarbageController::Metadata>> GarbageController::read(ObjectIdentity identity) {
    const api::KindInfo* kind = find_kind_of(identity.api_version, identity.kind, kinds_);
    if (!kind) co_return unknown_kind(identity);
    CO_TRY_ASSIGN(const AnyObject object, co_await client_.get_any(*kind, place_of(identity), View::kMetadata));
    auto metadata = std::static_pointer_cast<const ObjectMeta>(object);
    if (!(metadata->uid == identity.uid)) co_return Error{Code::kNotFound, "another object has its name"};
    co_return metadata;
}

// The UID is the patch's condition: another object under that name is as good as none.
os::Task<Result<GarbageController::Metadata>> GarbageController::patch(ObjectIdentity identity, MetadataPatch patch) {
    const api::KindInfo* kind = find_kind_of(identity.api_version, identity.kind, kinds_);
    if (!kind) co_return unknown_kind(identity);
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
