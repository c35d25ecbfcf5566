// How controllers, scheduler and node see the world, whether it is the server in this process or a cluster far away.
// Objects come as shared pointers to immutable values; nothing here knows a store or a server.
// Many writes at once are many Tasks at once (os/loop/gather.h): in the process they share one sync of the disk.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "base/result.h"
#include "client/change.h"
#include "client/metadata_patch.h"
#include "client/object_name.h"
#include "os/loop/task.h"

namespace muster::client {

enum class EventType {
    kAdded,
    kModified,
    kDeleted,
    kBookmark,  // nothing happened up to that version
};

// How dependents fare when their owner goes. The kind's own way when unset.
enum class Propagation { kOrphan, kBackground, kForeground };

struct Removal {
    explicit Removal(std::optional<Text> with_uid = {}, std::optional<Text> with_resource_version = {})
        : uid(std::move(with_uid)), resource_version(std::move(with_resource_version)) {}
    // What must hold of the object for it to go; kConflict if not.
    std::optional<Text> uid;
    std::optional<Text> resource_version;
    std::optional<Propagation> propagation;
    std::optional<std::int64_t> grace_seconds;
    Text flow;  // see flow_of; empty: not known
};

// Requests to a cluster take turns by what they are about, their flow: the UID of the object's controller, such as the
// Job of a pod, or its own when it has none. Who patches or removes an object by its name says what flow that is.
inline Text flow_of(const api::meta::ObjectMeta& metadata) {
    for (const api::meta::OwnerReference& owner : metadata.owner_references)
        if (owner.controller.value_or(false)) return owner.uid;
    return metadata.uid;
}

// An immutable object of a kind known from context.
using AnyObject = std::shared_ptr<const void>;
template <class K>
using Ref = std::shared_ptr<const K>;

struct AnyEvent {
    EventType type;
    AnyObject object;  // of a deletion: the last state, stamped with the deletion's version
};
template <class K>
struct EventOf {
    EventType type;
    Ref<K> object;
};

struct AnyListing {
    std::vector<AnyObject> items;
    std::string resource_version;  // where a watch goes on
};
template <class K>
struct ListingOf {
    std::vector<Ref<K>> items;
    std::string resource_version;
};

class AnyWatch {
public:
    virtual ~AnyWatch() = default;
    // Waits for the next events. None: the server has ended the watch, and a watch from the last event's version goes
    // on. kExpired: some were missed; list again.
    virtual os::Task<Result<std::vector<AnyEvent>>> next() = 0;
};

template <class K>
class WatchOf {
public:
    explicit WatchOf(std::unique_ptr<AnyWatch> watch) : watch_(std::move(watch)) {}
    os::Task<Result<std::vector<EventOf<K>>>> next() {
        CO_TRY_ASSIGN(const std::vector<AnyEvent> events, co_await watch_->next());
        std::vector<EventOf<K>> typed;
        for (const AnyEvent& event : events)
            typed.push_back({event.type, std::static_pointer_cast<const K>(event.object)});
        co_return typed;
    }

private:
    std::unique_ptr<AnyWatch> watch_;
};

class SharedMirrors;
class KindSource;

class Client {
public:
    virtual ~Client() = default;

    // Whether a write may be sent at this moment.
    using WriteCheck = std::function<Result<>()>;
    // Asked by each write of this client at the moment when it is sent, after all waits, and when it is sent again. An
    // error is the write's result, and nothing is sent. A client whose writes never wait need not ask.
    virtual void check_writes(WriteCheck) {}

    // What is known already to those who read as this client does (client/mirror_source.h); null: it shares nothing.
    virtual SharedMirrors* shared_mirrors() { return nullptr; }
    // The kinds that it can read (client/kinds/kind_source.h).
    virtual const KindSource& kinds() const;

    template <class K>
    os::Task<Result<Ref<K>>> get(ObjectName name) {
        CO_TRY_ASSIGN(AnyObject object, co_await get_any(api::kind_info<K>(), std::move(name), View::kObject));
        co_return std::static_pointer_cast<const K>(std::move(object));
    }
    // Everything in a namespace, or in all when it is empty.
    template <class K>
    os::Task<Result<ListingOf<K>>> list(std::string namespace_) {
        CO_TRY_ASSIGN(AnyListing listing, co_await list_any(api::kind_info<K>(), std::move(namespace_), View::kObject));
        ListingOf<K> typed{{}, std::move(listing.resource_version)};
        for (AnyObject& item : listing.items) typed.items.push_back(std::static_pointer_cast<const K>(std::move(item)));
        co_return typed;
    }
    // What happens strictly after a list's or an object's resource version.
    template <class K>
    os::Task<Result<WatchOf<K>>> watch(std::string namespace_, std::string resource_version) {
        CO_TRY_ASSIGN(auto watch, co_await watch_any(api::kind_info<K>(), std::move(namespace_),
                                                     std::move(resource_version), View::kObject));
        co_return WatchOf<K>(std::move(watch));
    }
    // The object as it was stored. kAlreadyExists, kInvalid, …
    template <class K>
    os::Task<Result<Ref<K>>> create(K draft) {
        auto shared = std::make_shared<K>(std::move(draft));
        CO_TRY_ASSIGN(AnyObject object, co_await create_any(api::kind_info<K>(), std::move(shared)));
        co_return std::static_pointer_cast<const K>(std::move(object));
    }
    // Writes what differs between `before`, the object as it was read, and `after`; other fields stay as they are. When
    // `after` has a resource version, kConflict when the object has changed since that version.
    template <class K>
    os::Task<Result<Ref<K>>> change(Ref<K> before, K after) {
        return change_part<K>(std::move(before), std::move(after), Part::kMain);
    }
    template <class K>
    os::Task<Result<Ref<K>>> change_status(Ref<K> before, K after) {
        return change_part<K>(std::move(before), std::move(after), Part::kStatus);
    }
    template <class K>
    os::Task<Result<Ref<K>>> change_part(Ref<K> before, K after, Part part) {
        auto shared = std::make_shared<K>(std::move(after));
        CO_TRY_ASSIGN(AnyObject object,
                      co_await change_any(api::kind_info<K>(), std::move(before), std::move(shared), part));
        co_return std::static_pointer_cast<const K>(std::move(object));
    }
    // The object as it is then, or as it last was when the patch let it go.
    template <class K>
    os::Task<Result<Ref<K>>> patch_metadata(ObjectName name, MetadataPatch patch) {
        CO_TRY_ASSIGN(AnyObject object,
                      co_await patch_any(api::kind_info<K>(), std::move(name), std::move(patch), View::kObject));
        co_return std::static_pointer_cast<const K>(std::move(object));
    }
    template <class K>
    os::Task<Result<void>> remove(ObjectName name, Removal removal = Removal()) {
        return remove_any(api::kind_info<K>(), std::move(name), std::move(removal));
    }

    // For those who deal with objects of any kind: their metadata is an api::meta::ObjectMeta in place of the object.
    enum class View { kObject, kMetadata };
    virtual os::Task<Result<AnyObject>> get_any(const api::KindInfo& kind, ObjectName name, View view) = 0;
    virtual os::Task<Result<AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_, View view) = 0;
    virtual os::Task<Result<std::unique_ptr<AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version, View view) = 0;
    virtual os::Task<Result<AnyObject>> patch_any(const api::KindInfo& kind, ObjectName name, MetadataPatch patch,
                                                  View view) = 0;
    virtual os::Task<Result<void>> remove_any(const api::KindInfo& kind, ObjectName name, Removal removal) = 0;
    // `draft` and `after` were not made const. One to which the caller keeps no reference may be taken apart.
    virtual os::Task<Result<AnyObject>> create_any(const api::KindInfo& kind, AnyObject draft) = 0;
    virtual os::Task<Result<AnyObject>> change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                                   Part part) = 0;

    // Gives the pod a node, once: kConflict when it has one, is another than `uid` says or is being deleted, and while
    // a scheduling gate holds it back.
    virtual os::Task<Result<void>> bind(ObjectName pod, Text uid, Text node) = 0;
};

}  // namespace muster::client
