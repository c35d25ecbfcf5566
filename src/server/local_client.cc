#include "server/local_client.h"

#include <charconv>

#include "client/mirror_course.h"
#include "client/remote/requests.h"
#include "os/loop/breath.h"
#include "server/kind_object/unreadable_object.h"
#include "server/kind_object/views.h"
#include "server/objects/pod_binding.h"

namespace muster::server {
namespace {

using client::AnyEvent;
using client::AnyObject;
using client::EventType;
using View = client::Client::View;

// The typed value inside a stored object, or its metadata, kept alive by the object.
AnyObject seen_as(const KindObjectPtr& object, View view) {
    const void* value = view == View::kMetadata ? static_cast<const void*>(&object->metadata()) : object->data();
    return {object, value};
}

AnyObject stored_as(const store::ObjectPtr& object, const api::KindInfo& kind, View view) {
    return seen_as(as_kind(std::static_pointer_cast<const KindObject>(object), kind), view);
}

Result<store::Revision> parse_revision(std::string_view text) {
    store::Revision revision = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), revision);
    if (text.empty() || code != std::errc() || end != text.data() + text.size())
        return Error{Code::kBadRequest, "not a resource version: \"" + std::string(text) + '"'};
    return revision;
}

// A version of a store that has lost its last writes: who knows it has to list again.
Error too_large(const std::string& resource_version) {
    Error error{Code::kTimeout, "Too large resource version: " + resource_version};
    error.causes.push_back({client::kVersionTooLarge, "", "Too large resource version"});
    return error;
}

// A deleted object as watchers see it: as it last was, but with the deletion's version.
KindObjectPtr stamped_copy(const store::ObjectPtr& object, store::Revision revision) {
    const auto& last = static_cast<const KindObject&>(*object);
    std::shared_ptr<KindObject> copy = make_object(last.kind(), last.data());
    copy->stamp(revision);
    return copy;
}

class LocalWatch final : public client::AnyWatch {
public:
    LocalWatch(std::unique_ptr<store::Watch> watch, const api::KindInfo& kind, View view)
        : watch_(std::move(watch)), kind_(kind), view_(view) {}

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

    AnyEvent as_client_event(const store::Event& event) const {
        switch (event.type) {
            case store::EventType::kCreated: return {EventType::kAdded, stored_as(event.object, kind_, view_)};
            case store::EventType::kUpdated: return {EventType::kModified, stored_as(event.object, kind_, view_)};
            case store::EventType::kDeleted: break;
        }
        return {EventType::kDeleted, seen_as(as_kind(stamped_copy(event.previous, event.revision), kind_), view_)};
    }

    std::unique_ptr<store::Watch> watch_;
    const api::KindInfo& kind_;
    View view_;
};

Part part_of(client::Part part) {
    switch (part) {
        case client::Part::kMain: return Part::kMain;
        case client::Part::kStatus: return Part::kStatus;
        case client::Part::kFinalize: break;
    }
    return Part::kFinalize;
}

api::meta::DeleteOptions delete_options(const client::Removal& removal) {
    api::meta::DeleteOptions options;
    if (removal.uid || removal.resource_version) {
        options.preconditions.edit().uid = removal.uid;
        options.preconditions.edit().resource_version = removal.resource_version;
    }
    if (removal.propagation) options.propagation_policy = client::propagation_name(*removal.propagation);
    options.grace_period_seconds = removal.grace_seconds;
    return options;
}

}  // namespace

WriteOptions LocalClient::write_options() const {
    WriteOptions options;
    options.user = &user_;
    options.from_inside = true;
    return options;
}

os::Task<void> LocalClient::wait_for_room() {
    while (!objects_.store().has_room()) co_await objects_.store().room();
}

os::Task<Result<AnyObject>> LocalClient::finish(Result<Outcome> outcome, View view) {
    CO_TRY_ASSIGN(const Outcome done, std::move(outcome));
    if (done.revision != 0) co_await objects_.store().durable(done.revision);
    co_return seen_as(done.object, view);
}

os::Task<Result<AnyObject>> LocalClient::get_any(const api::KindInfo& kind, client::ObjectName name, View view) {
    const Place place{kind, name.namespace_, name.name};
    CO_TRY_ASSIGN(const KindObjectPtr object, objects_.get(place));
    co_return seen_as(object, view);
}

// A long list is gone through in pages of one state, so that others have the loop in between.
os::Task<Result<client::AnyListing>> LocalClient::list_any(const api::KindInfo& kind, std::string namespace_,
                                                           View view) {
    constexpr std::size_t kPage = 250;
    const std::string prefix = list_prefix(stored_kind(kind), namespace_);
    client::AnyListing out;
    std::string start;
    store::ListOptions page;
    page.limit = kPage;
    os::Breath breath(objects_.loop());
    for (;;) {
        Result<store::Listing> listing = objects_.store().list(prefix, page);
        if (!listing.ok() && listing.error().code == Code::kExpired && page.at) {
            // So much is written that this state is past before it was read: then all at once.
            out.items.clear();
            page = store::ListOptions();
            listing = objects_.store().list(prefix, page);
        }
        if (!listing.ok()) co_return listing.error();
        CO_TRY(check_readable(kind, *listing));
        out.items.reserve(out.items.size() + listing->items.size());
        for (const store::Stored& item : listing->items) out.items.push_back(stored_as(item.object, kind, view));
        out.resource_version = std::to_string(listing->revision);
        if (!listing->more()) co_return out;
        start = listing->items.back().key.str() + '\0';
        page.at = listing->revision;
        page.start = start;
        co_await breath.take();
    }
}

os::Task<Result<std::unique_ptr<client::AnyWatch>>> LocalClient::watch_any(const api::KindInfo& kind,
                                                                           std::string namespace_,
                                                                           std::string resource_version, View view) {
    CO_TRY_ASSIGN(const store::Revision from, parse_revision(resource_version));
    if (from > objects_.store().revision()) co_return too_large(resource_version);
    const std::string prefix = list_prefix(stored_kind(kind), namespace_);
    CO_TRY_ASSIGN(auto watch, objects_.store().watch(prefix, from, store::Visibility::kAtOnce));
    co_return std::unique_ptr<client::AnyWatch>(std::make_unique<LocalWatch>(std::move(watch), kind, view));
}

os::Task<Result<AnyObject>> LocalClient::create_any(const api::KindInfo& kind, AnyObject draft) {
    if (!objects_.store().has_room()) co_await wait_for_room();
    std::shared_ptr<KindObject> object = take_object(kind, std::move(draft));
    const Text namespace_ = object->metadata().namespace_;
    const Text name = object->metadata().name;
    const Place place{kind, namespace_, name};
    co_return co_await finish(objects_.create(place, std::move(object), write_options()), View::kObject);
}

// With a version the new state is stored as it is, without a patch: the store compares the version.
os::Task<Result<AnyObject>> LocalClient::change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                                    client::Part part) {
    if (!objects_.store().has_room()) co_await wait_for_room();
    std::shared_ptr<KindObject> object = take_object(kind, std::move(after));
    const Text namespace_ = object->metadata().namespace_;
    const Text name = object->metadata().name;
    const Place place{kind, namespace_, name};
    const Objects::Edit replace = [&](const KindObjectPtr& present) -> Result<std::shared_ptr<KindObject>> {
        if (!object->metadata().resource_version.empty()) return std::move(object);
        std::shared_ptr<KindObject> changed = make_object(kind);
        TRY(client::apply_change(kind, before.get(), object->data(), present->data(), changed->data()));
        changed->metadata().resource_version = Text();
        return changed;
    };
    co_return co_await finish(objects_.update(place, part_of(part), replace, SentUid::kPrecondition, write_options()),
                              View::kObject);
}

os::Task<Result<AnyObject>> LocalClient::patch_any(const api::KindInfo& kind, client::ObjectName name,
                                                   client::MetadataPatch patch, View view) {
    if (!objects_.store().has_room()) co_await wait_for_room();
    const Place place{kind, name.namespace_, name.name};
    const Objects::Edit edit = [&](const KindObjectPtr& before) -> Result<std::shared_ptr<KindObject>> {
        std::shared_ptr<KindObject> object = make_object(kind, before->data());
        apply_metadata_patch(patch, object->metadata());
        if (!patch.uid.empty()) object->metadata().uid = patch.uid;
        object->metadata().resource_version = patch.resource_version;
        return object;
    };
    co_return co_await finish(objects_.update(place, Part::kMain, edit, SentUid::kPrecondition, write_options()), view);
}

os::Task<Result<void>> LocalClient::remove_any(const api::KindInfo& kind, client::ObjectName name,
                                               client::Removal removal) {
    if (!objects_.store().has_room()) co_await wait_for_room();
    const Place place{kind, name.namespace_, name.name};
    CO_TRY_ASSIGN(const Outcome done, objects_.remove(place, delete_options(removal), write_options()));
    if (done.revision != 0) co_await objects_.store().durable(done.revision);
    co_return Result<void>();
}

os::Task<Result<void>> LocalClient::bind(client::ObjectName pod, Text uid, Text node) {
    if (!objects_.store().has_room()) co_await wait_for_room();
    api::core::Binding binding;
    binding.metadata.name = pod.name;
    binding.metadata.uid = std::move(uid);
    binding.target.name = std::move(node);
    CO_TRY_ASSIGN(const Outcome done, bind_stored_pod(objects_, pod.namespace_, binding, false));
    co_await objects_.store().durable(done.revision);
    co_return Result<void>();
}

User controller_user(std::string_view name) {
    User user;
    user.name = "system:serviceaccount:kube-system:" + std::string(name);
    user.groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"};
    return user;
}

}  // namespace muster::server
