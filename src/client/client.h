// How controllers, scheduler and node see the world, whether it is the server in this process or a cluster far away.
// Objects come as shared pointers to immutable values; nothing here knows a store or a server.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/schema/kind_info.h"
#include "base/result.h"
#include "os/task.h"

namespace muster::client {

// What coroutines take by value has a constructor: see os/task.h.
struct ObjectName {
    ObjectName(Text in_namespace, Text object_name)
        : namespace_(std::move(in_namespace)), name(std::move(object_name)) {}
    Text namespace_;  // empty for kinds that have none
    Text name;
    bool operator==(const ObjectName&) const = default;
};

enum class EventType { kAdded, kModified, kDeleted };

// What must hold of the object for a removal to happen; kConflict if not.
struct RemovePreconditions {
    explicit RemovePreconditions(std::optional<Text> with_uid = {}, std::optional<Text> with_resource_version = {})
        : uid(std::move(with_uid)), resource_version(std::move(with_resource_version)) {}
    std::optional<Text> uid;
    std::optional<Text> resource_version;
};

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
    // Waits for the next events, at least one. kExpired: some were missed; list again.
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

class Client {
public:
    virtual ~Client() = default;

    template <class K>
    os::Task<Result<Ref<K>>> get(ObjectName name) {
        CO_TRY_ASSIGN(AnyObject object, co_await get_any(api::kind_info<K>(), std::move(name)));
        co_return std::static_pointer_cast<const K>(std::move(object));
    }
    // Everything in a namespace, or in all when it is empty.
    template <class K>
    os::Task<Result<ListingOf<K>>> list(std::string namespace_) {
        CO_TRY_ASSIGN(AnyListing listing, co_await list_any(api::kind_info<K>(), std::move(namespace_)));
        ListingOf<K> typed{{}, std::move(listing.resource_version)};
        for (AnyObject& item : listing.items) typed.items.push_back(std::static_pointer_cast<const K>(std::move(item)));
        co_return typed;
    }
    // What happens strictly after a list's or an object's resource version.
    template <class K>
    os::Task<Result<WatchOf<K>>> watch(std::string namespace_, std::string resource_version) {
        CO_TRY_ASSIGN(auto watch,
                      co_await watch_any(api::kind_info<K>(), std::move(namespace_), std::move(resource_version)));
        co_return WatchOf<K>(std::move(watch));
    }
    // The object as it was stored. kAlreadyExists, kInvalid, …
    template <class K>
    os::Task<Result<Ref<K>>> create(K draft) {
        auto shared = std::make_shared<const K>(std::move(draft));
        CO_TRY_ASSIGN(AnyObject object, co_await create_any(api::kind_info<K>(), std::move(shared)));
        co_return std::static_pointer_cast<const K>(std::move(object));
    }
    // With metadata.resourceVersion set, kConflict when somebody else wrote since.
    template <class K>
    os::Task<Result<Ref<K>>> update(K draft) {
        auto shared = std::make_shared<const K>(std::move(draft));
        CO_TRY_ASSIGN(AnyObject object, co_await update_any(api::kind_info<K>(), std::move(shared)));
        co_return std::static_pointer_cast<const K>(std::move(object));
    }
    template <class K>
    os::Task<Result<void>> remove(ObjectName name, RemovePreconditions preconditions = RemovePreconditions()) {
        return remove_any(api::kind_info<K>(), std::move(name), std::move(preconditions));
    }

protected:
    virtual os::Task<Result<AnyObject>> get_any(const api::KindInfo& kind, ObjectName name) = 0;
    virtual os::Task<Result<AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_) = 0;
    virtual os::Task<Result<std::unique_ptr<AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version) = 0;
    virtual os::Task<Result<AnyObject>> create_any(const api::KindInfo& kind, AnyObject draft) = 0;
    virtual os::Task<Result<AnyObject>> update_any(const api::KindInfo& kind, AnyObject draft) = 0;
    virtual os::Task<Result<void>> remove_any(const api::KindInfo& kind, ObjectName name,
                                              RemovePreconditions preconditions) = 0;
};

}  // namespace muster::client
