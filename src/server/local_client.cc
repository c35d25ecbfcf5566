#include "server/local_client.h"

#include <charconv>

#include "api/value/time.h"
#include "server/kind_object.h"
#include "server/objects/uid.h"

namespace muster::server {
namespace {

using client::AnyEvent;
using client::AnyObject;
using client::EventType;

// The typed value inside a stored object, kept alive by it.
AnyObject value_of(const store::ObjectPtr& object) {
    const auto& kind_object = static_cast<const KindObject&>(*object);
    return {object, kind_object.data()};
}

Result<store::Revision> parse_revision(std::string_view text) {
    store::Revision revision = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), revision);
    if (text.empty() || code != std::errc() || end != text.data() + text.size())
        return Error{Code::kBadRequest, "not a resource version: \"" + std::string(text) + '"'};
    return revision;
}

// A deleted object as watchers see it: as it last was, but with the deletion's version.
AnyObject stamped_copy(const store::ObjectPtr& object, store::Revision revision) {
    const auto& last = static_cast<const KindObject&>(*object);
    std::shared_ptr<KindObject> copy = make_object(last.kind(), last.data());
    copy->stamp(revision);
    const void* value = copy->data();
    return {std::move(copy), value};
}

AnyEvent as_client_event(const store::Event& event) {
    switch (event.type) {
        case store::EventType::kCreated: return {EventType::kAdded, value_of(event.object)};
        case store::EventType::kUpdated: return {EventType::kModified, value_of(event.object)};
        case store::EventType::kDeleted: break;
    }
    return {EventType::kDeleted, stamped_copy(event.previous, event.revision)};
}

class LocalWatch final : public client::AnyWatch {
public:
    explicit LocalWatch(std::unique_ptr<store::Watch> watch) : watch_(std::move(watch)) {}

    os::Task<Result<std::vector<AnyEvent>>> next() override {
        std::vector<AnyEvent> events;
        for (;;) {
            CO_TRY_ASSIGN(const store::Event* event, watch_->next());
            if (event) {
                events.push_back(as_client_event(*event));
            } else if (events.empty()) {
                co_await watch_->ready();
                continue;
            }
            if (!event || events.size() == kBatchMax) co_return events;
        }
    }

private:
    static constexpr std::size_t kBatchMax = 512;
    std::unique_ptr<store::Watch> watch_;
};

}  // namespace

os::Task<Result<AnyObject>> LocalClient::get_any(const api::KindInfo& kind, client::ObjectName name) {
    const auto stored = store_.get(object_key(kind, name.namespace_, name.name));
    if (!stored)
        co_return Error{Code::kNotFound, std::string(kind.options.plural) + " \"" + name.name.str() + "\" not found"};
    co_return value_of(stored->object);
}

os::Task<Result<client::AnyListing>> LocalClient::list_any(const api::KindInfo& kind, std::string namespace_) {
    CO_TRY_ASSIGN(const store::Listing listing, store_.list(list_prefix(kind, namespace_)));
    client::AnyListing out{{}, std::to_string(listing.revision)};
    for (const store::Stored& item : listing.items) out.items.push_back(value_of(item.object));
    co_return out;
}

os::Task<Result<std::unique_ptr<client::AnyWatch>>> LocalClient::watch_any(const api::KindInfo& kind,
                                                                           std::string namespace_,
                                                                           std::string resource_version) {
    CO_TRY_ASSIGN(const store::Revision from, parse_revision(resource_version));
    CO_TRY_ASSIGN(auto watch, store_.watch(list_prefix(kind, namespace_), from, store::Visibility::kAtOnce));
    co_return std::unique_ptr<client::AnyWatch>(std::make_unique<LocalWatch>(std::move(watch)));
}

os::Task<Result<AnyObject>> LocalClient::create_any(const api::KindInfo& kind, AnyObject draft) {
    std::shared_ptr<KindObject> object = make_object(kind, draft.get());
    api::meta::ObjectMeta& metadata = object->metadata();
    metadata.uid = make_uid(random_);
    metadata.creation_timestamp = api::Time::from_instant(loop_.now());
    const std::string key = object_key(kind, metadata.namespace_, metadata.name);
    CO_TRY_ASSIGN(const store::Written written, store_.create(key, std::move(object)));
    co_await store_.durable(written.revision);
    co_return value_of(written.object);
}

os::Task<Result<AnyObject>> LocalClient::update_any(const api::KindInfo& kind, AnyObject draft) {
    std::shared_ptr<KindObject> object = make_object(kind, draft.get());
    const api::meta::ObjectMeta& metadata = object->metadata();
    store::Preconditions preconditions;
    if (!metadata.resource_version.empty()) {
        CO_TRY_ASSIGN(preconditions.revision, parse_revision(metadata.resource_version));
    }
    const Text uid = metadata.uid;
    if (!uid.empty()) preconditions.uid = uid.view();
    const std::string key = object_key(kind, metadata.namespace_, metadata.name);
    CO_TRY_ASSIGN(const store::Written written, store_.update(key, std::move(object), preconditions));
    co_await store_.durable(written.revision);
    co_return value_of(written.object);
}

os::Task<Result<void>> LocalClient::remove_any(const api::KindInfo& kind, client::ObjectName name,
                                               client::RemovePreconditions preconditions) {
    store::Preconditions held;
    if (preconditions.resource_version) {
        CO_TRY_ASSIGN(held.revision, parse_revision(*preconditions.resource_version));
    }
    if (preconditions.uid) held.uid = preconditions.uid->view();
    CO_TRY_ASSIGN(const store::Removed removed, store_.remove(object_key(kind, name.namespace_, name.name), held));
    co_await store_.durable(removed.revision);
    co_return Result<void>();
}

}  // namespace muster::server
