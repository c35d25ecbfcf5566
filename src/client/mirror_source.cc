#include "client/mirror_source.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/reached.h"
#include "os/log/log.h"
#include "os/loop/breath.h"

namespace muster::client {
std::uint64_t parse_version(std::string_view resource_version) {
    std::uint64_t version = 0;
    const char* end = resource_version.data() + resource_version.size();
    const auto [stop, code] = std::from_chars(resource_version.data(), end, version);
    return code == std::errc() && stop == end ? version : 0;
}

MirrorSource::MirrorSource(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view,
                           MetadataOf metadata_of, Log log, std::function<void()> restored)
    : loop_(loop),
      client_(client),
      kind_(kind),
      view_(view),
      metadata_of_(metadata_of),
      course_(static_cast<std::uint64_t>(loop.now().since_epoch().count())),
      log_(std::move(log)),
      restored_(std::move(restored)),
      synced_at_(loop.uptime()),
      heard_at_(loop.uptime()),
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
    const AwaitedVersion awaited{version, epoch_};
    while (!reached(awaited)) co_await progress_.wait();
}

os::Task<void> MirrorSource::run() {
    for (;;) {
        const MirrorCourse::Next next = course_.next();
        if (next.wait > Duration()) co_await os::sleep_for(loop_, next.wait);
        if (next.list)
            co_await list_all();
        else
            co_await follow();
    }
}

os::Task<void> MirrorSource::follow() {
    const Duration began = loop_.uptime();
    std::size_t events = 0;
    const Result<void> ended = co_await read_events(events);
    metrics_.watched(loop_.uptime() - began, events);
    LOG_INFO(4, "A watch has ended", {"kind", kind_.options.plural}, {"events", events},
             {"took", loop_.uptime() - began}, {"err", ended.ok() ? std::string() : ended.error().message});
    if (!course_.next().list) course_.watch_ended(ended.ok() ? nullptr : &ended.error(), loop_.uptime() - began);
}

// Until the watch ends, or an event says that it is of no use.
os::Task<Result<void>> MirrorSource::read_events(std::size_t& count) {
    CO_TRY_ASSIGN(auto watch, co_await client_.watch_any(kind_, "", course_.from(), view_));
    for (;;) {
        CO_TRY_ASSIGN(const std::vector<AnyEvent> events, co_await watch->next());
        if (events.empty()) co_return Result<void>();
        count += events.size();
        heard_at_ = loop_.uptime();
        os::Breath breath(loop_);
        for (const AnyEvent& event : events) {
            if (!take(event)) {
                course_.went_back();
                co_return Result<void>();
            }
            co_await breath.take();
        }
        course_.progressed(metadata_of_(events.back().object.get()).resource_version.str());
        metrics_.set_version(version_);
        progress_.notify();
    }
}

os::Task<void> MirrorSource::list_all() {
    const Duration began = loop_.uptime();
    Result<AnyListing> listing = co_await client_.list_any(kind_, "", view_);
    if (!listing.ok()) {
        LOG_WARNING("Cannot list", {"kind", kind_.options.plural}, {"err", listing.error().message});
        course_.list_failed(listing.error());
        co_return;
    }
    const std::uint64_t version = parse_version(listing->resource_version);
    const bool restored = version < version_;
    if (restored) begin_epoch(version);
    if (!objects_.empty()) drop_unlisted(listing->items);
    os::Breath breath(loop_);
    for (const AnyObject& object : listing->items) {
        put(object, restored);
        co_await breath.take();
    }
    ++listings_;
    version_ = version;
    heard_at_ = loop_.uptime();
    if (!std::exchange(synced_, true)) synced_at_ = heard_at_;
    metrics_.listed(heard_at_ - began, listing->items.size());
    metrics_.set_version(version_);
    LOG_INFO(2, "Listed", {"kind", kind_.options.plural}, {"objects", listing->items.size()},
             {"version", listing->resource_version}, {"took", heard_at_ - began});
    course_.listed(std::move(listing->resource_version));
    progress_.notify();
}

void MirrorSource::begin_epoch(std::uint64_t version) {
    REACHED("the versions of a kind went back");
    ++epoch_;
    if (restored_) restored_();
    if (!log_) return;
    log_("the resource version of " + std::string(kind_.options.plural) + " went back from " +
         std::to_string(version_) + " to " + std::to_string(version) +
         ": the API server's data was restored from a backup; what was remembered of writes is forgotten");
}

void MirrorSource::drop_unlisted(const std::vector<AnyObject>& listed) {
    std::set<ObjectName> there;
    for (const AnyObject& object : listed) there.insert(name_of_metadata(metadata_of_(object.get())));
    std::vector<ObjectName> gone;
    for (const auto& [name, object] : objects_)
        if (!there.contains(name)) gone.push_back(name);
    for (const ObjectName& name : gone) drop(name);
}

bool MirrorSource::take(const AnyEvent& event) {
    const api::meta::ObjectMeta& metadata = metadata_of_(event.object.get());
    const std::uint64_t version = parse_version(metadata.resource_version);
    if (version != 0 && version < version_) return false;
    if (event.type == EventType::kDeleted) {
        drop(name_of_metadata(metadata));
    } else if (event.type != EventType::kBookmark) {
        put(event.object, false);
    }
    version_ = std::max(version_, version);
    return true;
}

void MirrorSource::put(const AnyObject& object, bool even_if_same) {
    const api::meta::ObjectMeta& metadata = metadata_of_(object.get());
    const ObjectName name = name_of_metadata(metadata);
    AnyObject& slot = objects_[name];
    if (slot) {
        const api::meta::ObjectMeta& known = metadata_of_(slot.get());
        if (known.resource_version == metadata.resource_version && !even_if_same) return;
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
                                                    MirrorSource::MetadataOf metadata_of, std::string_view labels) {
    Client* const selecting = labels.empty() || !select_ ? nullptr : select_(kind, labels);
    std::weak_ptr<MirrorSource>& known = sources_[{&kind, view, std::string(selecting ? labels : std::string_view())}];
    if (auto source = known.lock()) return source;
    Client& reader = selecting ? *selecting : reader_;
    auto source = std::make_shared<MirrorSource>(loop_, reader, kind, view, metadata_of, log_, restored_);
    if (metrics_) source->count_in(ReflectorMetrics(metrics_, kind.options.plural));
    known = source;
    return source;
}

void SharedMirrors::for_each(
    const std::function<void(const MirrorSource& source, const std::string& labels)>& visit) const {
    for (const auto& [which, known] : sources_)
        if (const auto source = known.lock()) visit(*source, which.labels);
}

void SharedMirrors::report(Inspection::Rows& rows) const {
    const Duration now = loop_.uptime();
    for_each([&](const MirrorSource& source, const std::string& labels) {
        rows.push_back({{"resource", source.kind().options.plural},
                        {"view", source.view() == Client::View::kObject ? "object" : "metadata"},
                        {"labels", labels},
                        {"objects", source.objects().size()},
                        {"version", source.version()},
                        {"synced", source.synced()},
                        {"since", now - source.synced_at()},
                        {"lastHeard", now - source.heard_at()},
                        {"lists", source.listings()},
                        {"epoch", source.epoch()}});
    });
}

}  // namespace muster::client
