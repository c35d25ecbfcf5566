#include "sim/world/watch_feed.h"

#include "base/reached.h"
#include "client/mirror_course.h"
#include "os/loop/within.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

using client::AnyEvent;
using client::AnyObject;
using client::AnyWatch;
using client::Client;
using client::EventType;
using PipePtr = std::shared_ptr<WatchPipe>;

class PipedWatch final : public AnyWatch {
public:
    PipedWatch(PipePtr pipe, std::function<void(const AnyEvent&)> on_read)
        : pipe_(std::move(pipe)), on_read_(std::move(on_read)) {}
    ~PipedWatch() override { pipe_->abandoned = true; }

    os::Task<Result<std::vector<AnyEvent>>> next() override {
        while (pipe_->batches.empty() && !pipe_->end) co_await pipe_->news.wait();
        if (pipe_->batches.empty()) {
            if (!pipe_->end->ok()) co_return Error(pipe_->end->error());
            co_return std::vector<AnyEvent>();
        }
        std::vector<AnyEvent> events = std::move(pipe_->batches.front());
        pipe_->batches.pop_front();
        for (const AnyEvent& event : events) on_read_(event);
        co_return events;
    }

private:
    PipePtr pipe_;
    const std::function<void(const AnyEvent&)> on_read_;
};

AnyObject as_seen(const server::KindObjectPtr& object, Client::View view) {
    if (view == Client::View::kMetadata) return {object, &object->metadata()};
    return {object, object->data()};
}

AnyEvent as_told(const store::Event& event, Client::View view) {
    if (event.type != store::EventType::kDeleted)
        return {event.type == store::EventType::kCreated ? EventType::kAdded : EventType::kModified,
                as_seen(std::static_pointer_cast<const server::KindObject>(event.object), view)};
    const auto& last = static_cast<const server::KindObject&>(*event.previous);
    std::shared_ptr<server::KindObject> copy = server::make_object(last.kind(), last.data());
    copy->stamp(event.revision);
    return {EventType::kDeleted, as_seen(std::move(copy), view)};
}

AnyEvent make_bookmark(const api::KindInfo& kind, store::Revision revision, Client::View view) {
    std::shared_ptr<server::KindObject> empty = server::make_object(kind);
    empty->stamp(revision);
    return {EventType::kBookmark, as_seen(std::move(empty), view)};
}

// Whether the events come through. They come late, or the watch ends here.
os::Task<bool> pass(World* world, os::Loop* loop, std::shared_ptr<Line> line, PipePtr pipe) {
    Duration hold{};
    const WatchFate fate = world->network.draw_watch(*line, &hold);
    if (hold > Duration()) co_await os::sleep_for(*loop, hold);
    if (fate == WatchFate::kCut || line->cut_off)
        pipe->close(Error{Code::kUnavailable, "the watch was cut"});
    else if (fate == WatchFate::kExpire)
        pipe->close(Error{Code::kExpired, "the watch has missed something"});
    co_return !pipe->end && !pipe->abandoned;
}

// Of a client in the server's own process.
os::Task<void> feed_inside(World* world, Server* server, std::shared_ptr<Line> line, PipePtr pipe,
                           std::unique_ptr<AnyWatch> watch, std::shared_ptr<std::uint64_t> id) {
    for (;;) {
        Result<std::vector<AnyEvent>> events = co_await watch->next();
        if (pipe->abandoned) break;
        if (!events.ok()) {
            pipe->close(events.error());
            break;
        }
        if (!co_await pass(world, &server->loop(), line, pipe)) break;
        pipe->tell(std::move(*events));
    }
    server->forget(*id);
}

// A watch of another process, as a cache shows it.
struct CachedWatch {
    CachedWatch(WatchOrder what, std::unique_ptr<store::Watch> over, Duration behind)
        : order(std::move(what)), watch(std::move(over)), lag(behind) {}
    WatchOrder order;
    std::unique_ptr<store::Watch> watch;
    Duration lag;
    std::optional<Duration> ends_at{};
    std::optional<Duration> bookmark_at{};

    // Everything that there is. Fails as the store's watch does.
    Result<std::vector<AnyEvent>> take() {
        std::vector<AnyEvent> events;
        for (;;) {
            TRY_ASSIGN(const store::Event* event, watch->next());
            if (!event) return events;
            events.push_back(as_told(*event, order.view));
        }
    }
    // When something is due though nothing happens.
    Duration due_in(Duration now) const {
        std::optional<Duration> due = ends_at;
        if (bookmark_at && (!due || *bookmark_at < *due)) due = bookmark_at;
        return due ? std::max<Duration>(*due - now, 1ms) : Duration();
    }
};

os::Task<bool> wait_ready(store::Watch* watch) {
    co_await watch->ready();
    co_return true;
}

os::Task<void> feed_outside(World* world, Server* server, std::shared_ptr<CachedWatch> cached, PipePtr pipe,
                            std::shared_ptr<std::uint64_t> id) {
    os::Loop& loop = server->loop();
    const std::shared_ptr<Line> line = cached->order.line;
    const Duration every = world->api.ways.bookmark;
    if (every > Duration()) cached->bookmark_at = loop.uptime() + every;
    if (const auto life = world->api.draw_watch_life()) cached->ends_at = loop.uptime() + *life;
    while (!pipe->abandoned) {
        Result<std::vector<AnyEvent>> events = cached->take();
        if (!events.ok()) {
            pipe->close(events.error());
            break;
        }
        const store::Revision seen = cached->watch->seen();
        const bool over = cached->ends_at && *cached->ends_at <= loop.uptime();
        const bool mark = cached->bookmark_at && (over || *cached->bookmark_at <= loop.uptime());
        if (events->empty() && !mark && !over) {
            (void)co_await os::within(loop, cached->due_in(loop.uptime()), wait_ready(cached->watch.get()));
            continue;
        }
        if (cached->lag > Duration()) co_await os::sleep_for(loop, cached->lag);
        if (!co_await pass(world, &loop, line, pipe)) break;
        if (mark) {
            cached->bookmark_at = loop.uptime() + every;
            events->push_back(make_bookmark(*cached->order.kind, seen, cached->order.view));
        }
        if (!events->empty()) pipe->tell(std::move(*events));
        if (over) {
            REACHED("the server ends a watch");
            pipe->close({});
            break;
        }
    }
    server->forget(*id);
}

Error too_large() {
    Error error{Code::kTimeout, "Too large resource version"};
    error.causes.push_back({client::kVersionTooLarge, "", "Too large resource version"});
    return error;
}

// The cache waits a while until it shows the version.
os::Task<bool> reaches(World* world, os::Loop* loop, Duration lag, store::Revision version) {
    constexpr Duration kFreshMax = 3s;
    constexpr Duration kLook = 100ms;
    for (Duration waited{}; world->api.shown(lag) < version; waited += kLook) {
        if (waited >= kFreshMax) co_return false;
        co_await os::sleep_for(*loop, kLook);
    }
    co_return true;
}

}  // namespace

std::unique_ptr<AnyWatch> make_piped_watch(PipePtr pipe, std::function<void(const AnyEvent& event)> on_read) {
    return std::make_unique<PipedWatch>(std::move(pipe), std::move(on_read));
}

os::Task<Result<bool>> open_watch(World* world, server::LocalClient* client, WatchOrder order, PipePtr pipe) {
    Server* server = world->server();
    if (std::exchange(pipe->opened, true)) co_return Error{Code::kConflict, "the request came twice"};
    auto id = std::make_shared<std::uint64_t>(0);
    const std::function<void()> on_death = [pipe] {
        pipe->close(Error{Code::kUnavailable, "the connection was lost"});
    };
    if (!order.line->outside) {
        CO_TRY_ASSIGN(auto inner, co_await client->watch_any(*order.kind, order.namespace_, order.from, order.view));
        server->feed(feed_inside(world, server, order.line, pipe, std::move(inner), id), on_death, id.get());
        co_return true;
    }
    const store::Revision from = std::stoull(order.from);
    const Duration lag = world->api.draw_lag();
    if (lag > Duration() && !co_await reaches(world, &server->loop(), lag, from)) {
        REACHED("a watch begins at a version that the cache does not show yet");
        co_return too_large();
    }
    if (from > server->store().revision()) co_return too_large();
    if (from < world->api.oldest()) {
        REACHED("a watch begins at a version that is no longer kept");
        co_return Error{Code::kExpired, "too old resource version"};
    }
    const std::string prefix = server::list_prefix(*order.kind, order.namespace_);
    CO_TRY_ASSIGN(auto watch, server->store().watch(prefix, from, store::Visibility::kDurable));
    auto cached = std::make_shared<CachedWatch>(std::move(order), std::move(watch), lag);
    server->feed(feed_outside(world, server, std::move(cached), pipe, id), on_death, id.get());
    co_return true;
}

}  // namespace muster::sim
