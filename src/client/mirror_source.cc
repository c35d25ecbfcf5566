#include "client/mirror_source.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "os/loop/breath.h"

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

MirrorSource::MirrorSource(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view,
                           MetadataOf metadata_of)
    : loop_(loop),
      client_(client),
      kind_(kind),
      view_(view),
      metadata_of_(metadata_of),
      progress_(loop),
      tasks_(loop) {}

void MirrorSource::add(Viewer& viewer) {
    for (const auto& [name, object] : objects_) viewer.on_change(name, nullptr, object);
    viewers_.push_back(&viewer);
    if (!std::exchange(started_, true)) tasks_.spawn(run());
}

void MirrorSource::remove(Viewer& viewer) { std::erase(viewers_, &viewer); }

os::Task<void> MirrorSource::wait_synced() {
    while (!synced_) co_await progress_.wait();
}

os::Task<void> MirrorSource::wait_reached(std::uint64_t version) {
    while (!reached(version)) co_await progress_.wait();
}

os::Task<void> MirrorSource::run() {
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

os::Task<Result<void>> MirrorSource::follow() {
    CO_TRY_ASSIGN(const std::string from, co_await list_all());
    CO_TRY_ASSIGN(auto watch, co_await client_.watch_any(kind_, "", from, view_));
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

// Gives the version of what was listed.
os::Task<Result<std::string>> MirrorSource::list_all() {
    CO_TRY_ASSIGN(const AnyListing listing, co_await client_.list_any(kind_, "", view_));
    if (!objects_.empty()) drop_unlisted(listing.items);
    os::Breath breath(loop_);
    for (const AnyObject& object : listing.items) {
        put(object);
        co_await breath.take();
    }
    ++listings_;
    advance(parse_version(listing.resource_version));
    synced_ = true;
    progress_.notify();
    co_return listing.resource_version;
}

void MirrorSource::drop_unlisted(const std::vector<AnyObject>& listed) {
    std::set<ObjectName> there;
    for (const AnyObject& object : listed) there.insert(name_of_metadata(metadata_of_(object.get())));
    std::vector<ObjectName> gone;
    for (const auto& [name, object] : objects_)
        if (!there.contains(name)) gone.push_back(name);
    for (const ObjectName& name : gone) drop(name);
}

void MirrorSource::take(const AnyEvent& event) {
    const api::meta::ObjectMeta& metadata = metadata_of_(event.object.get());
    if (event.type == EventType::kDeleted) {
        drop(name_of_metadata(metadata));
    } else if (event.type != EventType::kBookmark) {
        put(event.object);
    }
    advance(parse_version(metadata.resource_version));
}

void MirrorSource::advance(std::uint64_t version) { version_ = std::max(version_, version); }

void MirrorSource::put(const AnyObject& object) {
    const api::meta::ObjectMeta& metadata = metadata_of_(object.get());
    const ObjectName name = name_of_metadata(metadata);
    AnyObject& slot = objects_[name];
    if (slot) {
        const api::meta::ObjectMeta& known = metadata_of_(slot.get());
        if (known.resource_version == metadata.resource_version) return;
        // Gone and made again between two lists: the first one's end must be told, too.
        if (!(known.uid == metadata.uid)) tell(name, std::exchange(slot, nullptr), nullptr);
    }
    const AnyObject before = std::exchange(slot, object);
    tell(name, before, object);
}

void MirrorSource::drop(const ObjectName& name) {
    const auto found = objects_.find(name);
    if (found == objects_.end()) return;
    const AnyObject before = std::move(found->second);
    objects_.erase(found);
    tell(name, before, nullptr);
}

void MirrorSource::tell(const ObjectName& name, const AnyObject& before, const AnyObject& now) {
    for (Viewer* viewer : viewers_) viewer->on_change(name, before, now);
}

std::shared_ptr<MirrorSource> SharedMirrors::source(const api::KindInfo& kind, Client::View view,
                                                    MirrorSource::MetadataOf metadata_of) {
    std::weak_ptr<MirrorSource>& known = sources_[{&kind, view}];
    if (auto source = known.lock()) return source;
    auto source = std::make_shared<MirrorSource>(loop_, reader_, kind, view, metadata_of);
    known = source;
    return source;
}

}  // namespace muster::client
