#include "client/mirror.h"

#include <algorithm>
#include <charconv>

#include "os/breath.h"

namespace muster::client {
namespace {

constexpr Duration kRetryDelayMin = 100ms;
constexpr Duration kRetryDelayMax = 30s;

}  // namespace

std::uint64_t parse_version(std::string_view resource_version) {
    std::uint64_t version = 0;
    const char* end = resource_version.data() + resource_version.size();
    const auto [stop, code] = std::from_chars(resource_version.data(), end, version);
    return code == std::errc() && stop == end ? version : 0;
}

AnyMirror::AnyMirror(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view,
                     MetadataOf metadata_of)
    : loop_(loop),
      client_(client),
      kind_(kind),
      view_(view),
      metadata_of_(metadata_of),
      progress_(loop),
      tasks_(loop) {}

os::Task<void> AnyMirror::wait_synced() {
    while (!synced_) co_await progress_.wait();
}

os::Task<void> AnyMirror::wait_reached(std::uint64_t version) {
    while (!reached(version)) co_await progress_.wait();
}

AnyObject AnyMirror::get(const ObjectName& name) const {
    const auto found = objects_.find(name);
    return found == objects_.end() ? nullptr : found->second;
}

const AnyMirror::Bucket& AnyMirror::indexed(IndexId index, const Text& key) const {
    static const Bucket kNone;
    const auto& buckets = indexes_[index].buckets;
    const auto found = buckets.find(key);
    return found == buckets.end() ? kNone : found->second;
}

os::Task<void> AnyMirror::run() {
    Duration delay = kRetryDelayMin;
    for (;;) {
        const std::uint64_t before = version_;
        const Result<void> ended = co_await follow();
        // A watch whose history has expired got somewhere; one that fails at once is asked less and less often.
        if (version_ != before) delay = kRetryDelayMin;
        if (!ended.ok() && ended.error().code == Code::kExpired) continue;
        co_await os::sleep_for(loop_, delay);
        delay = std::min(2 * delay, kRetryDelayMax);
    }
}

os::Task<Result<void>> AnyMirror::follow() {
    CO_TRY_ASSIGN(const AnyListing listing, co_await client_.list_any(kind_, "", view_));
    if (objects_.empty()) {
        os::Breath breath(loop_);
        for (const AnyObject& object : listing.items) {
            put(object);
            co_await breath.take();
        }
    } else {
        replace_all(listing);
    }
    ++relists_;
    advance(parse_version(listing.resource_version));
    synced_ = true;
    progress_.notify();
    CO_TRY_ASSIGN(auto watch, co_await client_.watch_any(kind_, "", listing.resource_version, view_));
    for (;;) {
        CO_TRY_ASSIGN(const std::vector<AnyEvent> events, co_await watch->next());
        os::Breath breath(loop_);
        for (const AnyEvent& event : events) {
            take(event);
            co_await breath.take();
        }
        progress_.notify();
    }
}

void AnyMirror::replace_all(const AnyListing& listing) {
    std::map<ObjectName, const AnyObject*> listed;
    for (const AnyObject& object : listing.items) listed.emplace(name_of_metadata(metadata_of_(object.get())), &object);
    std::vector<ObjectName> gone;
    for (const auto& [name, object] : objects_)
        if (!listed.contains(name)) gone.push_back(name);
    for (const ObjectName& name : gone) drop(name);
    for (const auto& [name, object] : listed) put(*object);
}

void AnyMirror::take(const AnyEvent& event) {
    const api::meta::ObjectMeta& metadata = metadata_of_(event.object.get());
    if (event.type == EventType::kDeleted) {
        drop(name_of_metadata(metadata));
    } else if (event.type != EventType::kBookmark) {
        put(event.object);
    }
    advance(parse_version(metadata.resource_version));
}

void AnyMirror::advance(std::uint64_t version) { version_ = std::max(version_, version); }

void AnyMirror::put(const AnyObject& object) {
    const api::meta::ObjectMeta& metadata = metadata_of_(object.get());
    const ObjectName name = name_of_metadata(metadata);
    AnyObject& slot = objects_[name];
    if (slot) {
        const api::meta::ObjectMeta& known = metadata_of_(slot.get());
        if (known.resource_version == metadata.resource_version) return;
        // Gone and made again between two lists: the first one's end must be told, too.
        if (!(known.uid == metadata.uid)) change(name, std::exchange(slot, nullptr), nullptr);
    }
    const AnyObject before = std::exchange(slot, object);
    change(name, before, object);
}

void AnyMirror::drop(const ObjectName& name) {
    const auto found = objects_.find(name);
    if (found == objects_.end()) return;
    const AnyObject before = std::move(found->second);
    objects_.erase(found);
    change(name, before, nullptr);
}

void AnyMirror::change(const ObjectName& name, const AnyObject& before, const AnyObject& now) {
    for (Index& index : indexes_) {
        const Text from = before ? index.key(before.get()) : Text();
        const Text to = now ? index.key(now.get()) : Text();
        if (!from.empty() && !(from == to)) {
            const auto bucket = index.buckets.find(from);
            bucket->second.erase(name);
            if (bucket->second.empty()) index.buckets.erase(bucket);
        }
        if (!to.empty()) index.buckets[to].insert_or_assign(name, now);
    }
    for (const Change& listener : listeners_) listener(before, now);
}

}  // namespace muster::client
