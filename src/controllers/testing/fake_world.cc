#include "controllers/testing/fake_world.h"

#include <algorithm>
#include <new>

#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/event.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/core/pod_phase.h"
#include "api/kinds/core/quota.h"
#include "api/kinds/core/service_account.h"
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/runtime.h"
#include "api/kinds/scheduling.h"
#include "client/mirror.h"

namespace muster::controllers {

using api::KindInfo;
using api::core::Namespace;
using api::core::Pod;
using api::meta::ObjectMeta;
using client::AnyEvent;
using client::AnyObject;
using client::EventType;

namespace {

// What is done with an object whose type only its kind tells.
struct FakeOps {
    std::shared_ptr<void> (*make)();
    std::shared_ptr<void> (*clone)(const void*);
    ObjectMeta& (*metadata)(void*);
    void (*copy_status)(void* to, const void* from);
};

template <class K>
const FakeOps& ops_for() {
    static const FakeOps ops{
        []() -> std::shared_ptr<void> { return std::make_shared<K>(); },
        [](const void* object) -> std::shared_ptr<void> { return std::make_shared<K>(*static_cast<const K*>(object)); },
        [](void* object) -> ObjectMeta& { return static_cast<K*>(object)->metadata; },
        [](void* to, const void* from) {
            if constexpr (requires(K & k) { k.status; })
                static_cast<K*>(to)->status = static_cast<const K*>(from)->status;
        },
    };
    return ops;
}

const FakeOps& ops_of(const KindInfo& kind) {
    static const std::map<const KindInfo*, const FakeOps*> all{
        {&api::kind_info<api::batch::Job>(), &ops_for<api::batch::Job>()},
        {&api::kind_info<api::batch::CronJob>(), &ops_for<api::batch::CronJob>()},
        {&api::kind_info<api::core::ConfigMap>(), &ops_for<api::core::ConfigMap>()},
        {&api::kind_info<api::core::Event>(), &ops_for<api::core::Event>()},
        {&api::kind_info<Namespace>(), &ops_for<Namespace>()},
        {&api::kind_info<api::core::LimitRange>(), &ops_for<api::core::LimitRange>()},
        {&api::kind_info<api::core::Node>(), &ops_for<api::core::Node>()},
        {&api::kind_info<Pod>(), &ops_for<Pod>()},
        {&api::kind_info<api::core::ResourceQuota>(), &ops_for<api::core::ResourceQuota>()},
        {&api::kind_info<api::core::ServiceAccount>(), &ops_for<api::core::ServiceAccount>()},
        {&api::kind_info<api::kueue::AdmissionCheck>(), &ops_for<api::kueue::AdmissionCheck>()},
        {&api::kind_info<api::kueue::ClusterQueue>(), &ops_for<api::kueue::ClusterQueue>()},
        {&api::kind_info<api::kueue::Cohort>(), &ops_for<api::kueue::Cohort>()},
        {&api::kind_info<api::kueue::LocalQueue>(), &ops_for<api::kueue::LocalQueue>()},
        {&api::kind_info<api::kueue::ResourceFlavor>(), &ops_for<api::kueue::ResourceFlavor>()},
        {&api::kind_info<api::kueue::Workload>(), &ops_for<api::kueue::Workload>()},
        {&api::kind_info<api::kueue::WorkloadPriorityClass>(), &ops_for<api::kueue::WorkloadPriorityClass>()},
        {&api::kind_info<api::runtime::RuntimeClass>(), &ops_for<api::runtime::RuntimeClass>()},
        {&api::kind_info<api::scheduling::PriorityClass>(), &ops_for<api::scheduling::PriorityClass>()},
    };
    const auto found = all.find(&kind);
    CHECK(found != all.end(), "the fake world does not know this kind");
    return *found->second;
}

const ObjectMeta& metadata_in(const KindInfo& kind, const AnyObject& object) {
    return ops_of(kind).metadata(const_cast<void*>(object.get()));
}

AnyObject viewed(const KindInfo& kind, AnyObject object, client::Client::View view) {
    if (view == client::Client::View::kObject) return object;
    const ObjectMeta* metadata = &metadata_in(kind, object);
    return {std::move(object), metadata};
}

bool is_held(const KindInfo& kind, const void* object, const ObjectMeta& metadata) {
    if (!metadata.finalizers.empty() || metadata.deletion_grace_period_seconds.value_or(0) > 0) return true;
    return &kind == &api::kind_info<Namespace>() && !static_cast<const Namespace*>(object)->spec.finalizers.empty();
}

// Pods on a node get their time; what has ended or runs nowhere needs none.
std::int64_t grace_of(const KindInfo& kind, const void* object, const client::Removal& removal) {
    if (&kind != &api::kind_info<Pod>()) return 0;
    const auto& pod = *static_cast<const Pod*>(object);
    if (has_ended(pod) || pod.spec.node_name.empty()) return 0;
    return removal.grace_seconds.value_or(pod.spec.termination_grace_period_seconds.value_or(30));
}

void set_held(ObjectMeta& metadata, const char* finalizer, bool wanted) {
    auto& finalizers = metadata.finalizers.edit();
    finalizers.erase(std::remove(finalizers.begin(), finalizers.end(), Text(finalizer)), finalizers.end());
    if (wanted) finalizers.push_back(finalizer);
}

std::string target(const KindInfo& kind, const client::ObjectName& name) {
    return std::string(kind.options.plural) + " " + client::format_name(name);
}

Error fake_not_found(const KindInfo& kind, const client::ObjectName& name) {
    return {Code::kNotFound, target(kind, name) + " not found"};
}

Result<void> check_version(const ObjectMeta& held, const Text& uid, const Text& version) {
    if (!uid.empty() && !(uid == held.uid)) return Error{Code::kConflict, "another UID"};
    if (!version.empty() && !(version == held.resource_version)) return Error{Code::kConflict, "another version"};
    return {};
}

}  // namespace

class FakeWatch final : public client::AnyWatch {
public:
    FakeWatch(FakeWorld& world, const KindInfo& kind, std::string in_namespace, std::size_t from,
              client::Client::View view)
        : world_(world), kind_(kind), namespace_(std::move(in_namespace)), at_(from), view_(view) {}

    os::Task<Result<std::vector<AnyEvent>>> next() override {
        std::vector<AnyEvent> events;
        for (;;) {
            for (; at_ < world_.history_.size() && !world_.held_[&kind_]; ++at_) {
                const auto& happened = world_.history_[at_];
                if (happened.kind != &kind_) continue;
                const bool inside =
                    namespace_.empty() || metadata_in(kind_, happened.event.object).namespace_ == namespace_;
                if (inside) events.push_back({happened.event.type, viewed(kind_, happened.event.object, view_)});
            }
            if (!events.empty()) co_return events;
            co_await world_.changed_.wait();
        }
    }

private:
    FakeWorld& world_;
    const KindInfo& kind_;
    std::string namespace_;
    std::size_t at_;
    client::Client::View view_;
};

void FakeWorld::tell(const KindInfo& kind, EventType type, AnyObject object) {
    history_.push_back({&kind, {type, std::move(object)}});
    changed_.notify();
}

AnyObject FakeWorld::store(const KindInfo& kind, Held object) {
    ObjectMeta& metadata = ops_of(kind).metadata(object.get());
    metadata.resource_version = std::to_string(history_.size() + 1);
    const Key key{&kind, {metadata.namespace_, metadata.name}};
    const bool existed = objects_.contains(key);
    if (metadata.deletion_timestamp && !is_held(kind, object.get(), metadata)) {
        objects_.erase(key);
        if (existed) tell(kind, EventType::kDeleted, object);
        return object;
    }
    objects_[key] = object;
    tell(kind, existed ? EventType::kModified : EventType::kAdded, object);
    return object;
}

void FakeWorld::put_any(const KindInfo& kind, Held object) {
    ObjectMeta& metadata = ops_of(kind).metadata(object.get());
    const AnyObject before = find_any(kind, metadata.namespace_, metadata.name);
    if (metadata.uid.empty() && before) {
        metadata.uid = metadata_in(kind, before).uid;
        metadata.creation_timestamp = metadata_in(kind, before).creation_timestamp;
    }
    if (metadata.uid.empty()) metadata.uid = "uid-" + std::to_string(++uids_);
    if (metadata.creation_timestamp.is_null()) metadata.creation_timestamp = api::Time::from_instant(loop.now());
    store(kind, std::move(object));
}

AnyObject FakeWorld::find_any(const KindInfo& kind, std::string_view namespace_, std::string_view name) const {
    const auto found = objects_.find(Key{&kind, {namespace_, name}});
    return found == objects_.end() ? nullptr : AnyObject(found->second);
}

std::vector<AnyObject> FakeWorld::all_any(const KindInfo& kind) const {
    std::vector<AnyObject> out;
    for (const auto& [key, object] : objects_)
        if (key.first == &kind) out.push_back(object);
    return out;
}

void FakeWorld::erase_any(const KindInfo& kind, std::string_view namespace_, std::string_view name) {
    const auto found = objects_.find(Key{&kind, {namespace_, name}});
    CHECK(found != objects_.end(), name);
    Held last = ops_of(kind).clone(found->second.get());
    ops_of(kind).metadata(last.get()).resource_version = std::to_string(history_.size() + 1);
    objects_.erase(found);
    tell(kind, EventType::kDeleted, std::move(last));
}

Result<void> FakeWorld::remove_at_once(const KindInfo& kind, const client::ObjectName& name,
                                       const client::Removal& removal) {
    const AnyObject before = find_any(kind, name.namespace_, name.name);
    if (!before) return fake_not_found(kind, name);
    TRY(check_version(metadata_in(kind, before), removal.uid.value_or(""), removal.resource_version.value_or("")));
    Held object = ops_of(kind).clone(before.get());
    ObjectMeta& metadata = ops_of(kind).metadata(object.get());
    if (removal.propagation) {
        set_held(metadata, "orphan", *removal.propagation == client::Propagation::kOrphan);
        set_held(metadata, "foregroundDeletion", *removal.propagation == client::Propagation::kForeground);
    }
    const std::int64_t grace = grace_of(kind, object.get(), removal);
    if (!metadata.deletion_timestamp) metadata.deletion_timestamp = api::Time::from_instant(loop.now());
    const std::int64_t given = metadata.deletion_grace_period_seconds.value_or(grace);
    metadata.deletion_grace_period_seconds = std::min(given, grace);
    store(kind, std::move(object));
    return {};
}

void FakeWorld::check_broken(const std::string& call) {
    for (Failure& failure : broken_) {
        if (failure.times == 0 || !call.starts_with(failure.call)) continue;
        --failure.times;
        throw std::bad_alloc();
    }
}

Result<void> FakeWorld::called(std::string call) {
    calls.push_back(call);
    check_broken(call);
    for (Failure& failure : failures_) {
        if (failure.times == 0 || !call.starts_with(failure.call)) continue;
        --failure.times;
        return Error{failure.code, "ordered to fail: " + call};
    }
    return {};
}

Result<AnyObject> FakeWorld::answered(const std::string& call, AnyObject object) {
    for (Failure& failure : lost_) {
        if (failure.times == 0 || !call.starts_with(failure.call)) continue;
        --failure.times;
        return Error{failure.code, "the answer was lost: " + call};
    }
    return object;
}

os::Task<Result<AnyObject>> FakeWorld::get_any(const KindInfo& kind, client::ObjectName name, View view) {
    co_await os::yield(loop);
    check_broken("get " + target(kind, name));
    AnyObject object = find_any(kind, name.namespace_, name.name);
    if (!object) co_return fake_not_found(kind, name);
    co_return viewed(kind, std::move(object), view);
}

os::Task<Result<client::AnyListing>> FakeWorld::list_any(const KindInfo& kind, std::string namespace_, View view) {
    co_await os::yield(loop);
    client::AnyListing listing{{}, std::to_string(history_.size())};
    for (AnyObject& object : all_any(kind))
        if (namespace_.empty() || metadata_in(kind, object).namespace_ == namespace_)
            listing.items.push_back(viewed(kind, std::move(object), view));
    co_return listing;
}

os::Task<Result<std::unique_ptr<client::AnyWatch>>> FakeWorld::watch_any(const KindInfo& kind, std::string namespace_,
                                                                         std::string resource_version, View view) {
    co_await os::yield(loop);
    const std::size_t from = client::parse_version(resource_version);
    co_return std::unique_ptr<client::AnyWatch>(
        std::make_unique<FakeWatch>(*this, kind, std::move(namespace_), from, view));
}

os::Task<Result<AnyObject>> FakeWorld::patch_any(const KindInfo& kind, client::ObjectName name,
                                                 client::MetadataPatch patch, View view) {
    co_await os::yield(loop);
    const std::string call = "patch " + target(kind, name);
    CO_TRY(called(call));
    const AnyObject before = find_any(kind, name.namespace_, name.name);
    if (!before) co_return fake_not_found(kind, name);
    CO_TRY(check_version(metadata_in(kind, before), patch.uid, patch.resource_version));
    Held object = ops_of(kind).clone(before.get());
    client::apply_metadata_patch(patch, ops_of(kind).metadata(object.get()));
    co_return answered(call, viewed(kind, store(kind, std::move(object)), view));
}

os::Task<Result<void>> FakeWorld::remove_any(const KindInfo& kind, client::ObjectName name, client::Removal removal) {
    co_await os::yield(loop);
    std::string call = "remove " + target(kind, name);
    if (removal.propagation) {
        const char* names[] = {" Orphan", " Background", " Foreground"};
        call += names[static_cast<int>(*removal.propagation)];
    }
    if (removal.grace_seconds) call += " grace " + std::to_string(*removal.grace_seconds);
    CO_TRY(called(std::move(call)));
    co_return remove_at_once(kind, name, removal);
}

os::Task<Result<AnyObject>> FakeWorld::create_any(const KindInfo& kind, AnyObject draft) {
    co_await os::yield(loop);
    Held object = ops_of(kind).clone(draft.get());
    ObjectMeta& metadata = ops_of(kind).metadata(object.get());
    if (metadata.name.empty()) metadata.name = metadata.generate_name.str() + std::to_string(++names_);
    const client::ObjectName name(metadata.namespace_, metadata.name);
    // Events are told of beside the work, and tests look at them where they are stored.
    const std::string call = "create " + target(kind, name);
    if (&kind != &api::kind_info<api::core::Event>()) CO_TRY(called(call));
    if (find_any(kind, name.namespace_, name.name)) co_return Error{Code::kAlreadyExists, "already exists"};
    metadata.uid = "uid-" + std::to_string(++uids_);
    metadata.creation_timestamp = api::Time::from_instant(loop.now());
    co_return answered(call, store(kind, std::move(object)));
}

os::Task<Result<AnyObject>> FakeWorld::change_any(const KindInfo& kind, AnyObject before, AnyObject after,
                                                  client::Part part) {
    const auto delay = slow.find(&kind);
    if (delay == slow.end())
        co_await os::yield(loop);
    else
        co_await os::sleep_for(loop, delay->second);
    const ObjectMeta& wanted = metadata_in(kind, after);
    const client::ObjectName name(wanted.namespace_, wanted.name);
    const char* verbs[] = {"update ", "status ", "finalize "};
    const std::string call = verbs[static_cast<int>(part)] + target(kind, name);
    if (&kind != &api::kind_info<api::core::Event>()) CO_TRY(called(call));
    const AnyObject present = find_any(kind, name.namespace_, name.name);
    if (!present) co_return fake_not_found(kind, name);
    CO_TRY(check_version(metadata_in(kind, present), wanted.uid, wanted.resource_version));
    if (part == client::Part::kStatus) {
        Held object = ops_of(kind).clone(present.get());
        ops_of(kind).copy_status(object.get(), after.get());
        co_return answered(call, store(kind, std::move(object)));
    }
    Held object = ops_of(kind).clone(after.get());
    if (wanted.resource_version.empty()) {
        object = ops_of(kind).make();
        CO_TRY(client::apply_change(kind, before.get(), after.get(), present.get(), object.get()));
    }
    ops_of(kind).copy_status(object.get(), present.get());
    co_return answered(call, store(kind, std::move(object)));
}

}  // namespace muster::controllers
