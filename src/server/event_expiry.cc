#include "server/event_expiry.h"

#include <optional>

namespace muster::server {
namespace {

using api::core::Event;

constexpr std::size_t kAtOnce = 500;  // then others have their turn

const Event& as_event(const store::Object& object) {
    return *static_cast<const Event*>(static_cast<const KindObject&>(object).data());
}

const std::string& events_prefix() {
    static const std::string prefix = list_prefix(api::kind_info<Event>(), "");
    return prefix;
}

// Changed or gone: it is looked at again.
void remove_unchanged(store::Store& store, const store::Stored& item) {
    store::Preconditions unchanged;
    unchanged.revision = item.revision;
    (void)store.remove(item.key, unchanged);
}

struct EventTotals {
    std::size_t count = 0;
    std::size_t bytes = 0;

    void add(const store::ObjectPtr& object) {
        if (!object) return;
        ++count;
        bytes += object->weight(nullptr);
    }
    void subtract(const store::ObjectPtr& object) {
        if (!object) return;
        --count;
        bytes -= object->weight(nullptr);
    }
    bool within(const EventLimits& limits) const { return count <= limits.count_max && bytes <= limits.bytes_max; }
};

std::vector<EventView> views_of(const store::Listing& listing) {
    std::vector<EventView> views;
    views.reserve(listing.items.size());
    for (const store::Stored& item : listing.items)
        views.push_back({&as_event(*item.object), item.object->weight(nullptr)});
    return views;
}

// How many it found to remove.
os::Task<std::size_t> remove_surplus(Objects& objects, EventLimits limits) {
    store::Store& store = objects.store();
    const auto listing = store.list(events_prefix());
    if (!listing.ok()) co_return 0;
    std::size_t removed = 0;
    for (const std::size_t i : decide_events_to_remove(views_of(*listing), limits, objects.now())) {
        while (!store.has_room()) co_await store.room();
        remove_unchanged(store, listing->items[i]);
        if (++removed % kAtOnce == 0) co_await os::yield(objects.loop());
    }
    co_return removed;
}

}  // namespace

os::Task<void> expire_events(Objects& objects, Duration life) {
    for (;;) {
        const auto listing = objects.store().list(events_prefix());
        if (!listing.ok()) co_return;
        std::size_t looked_at = 0;
        for (const store::Stored& item : listing->items) {
            if (is_event_due(as_event(*item.object), objects.now(), life)) remove_unchanged(objects.store(), item);
            if (++looked_at % kAtOnce == 0) co_await os::yield(objects.loop());
        }
        co_await os::sleep_for(objects.loop(), 1min);
    }
}

os::Task<void> bound_events(Objects& objects, EventLimits limits) {
    constexpr Duration kCollect = 100ms;  // many events are counted together
    store::Store& store = objects.store();
    std::unique_ptr<store::Watch> watch;
    EventTotals totals;
    for (;;) {
        if (!watch) {
            const auto listing = store.list(events_prefix());
            if (!listing.ok()) co_return;
            totals = {};
            for (const store::Stored& item : listing->items) totals.add(item.object);
            auto started = store.watch(events_prefix(), listing->revision, store::Visibility::kAtOnce);
            if (!started.ok()) co_return;
            watch = std::move(*started);
        }
        const auto next = watch->next();
        if (!next.ok() && next.error().code != Code::kExpired) co_return;
        if (!next.ok()) {
            watch.reset();  // it fell behind: counted from the beginning
        } else if (const store::Event* event = *next) {
            totals.add(event->object);
            totals.subtract(event->previous);
        } else if (!totals.within(limits)) {
            auto removing = remove_surplus(objects, limits);
            const std::size_t removed = co_await std::move(removing);
            if (removed == 0) co_return;  // the counting is wrong, and would never end
        } else {
            co_await watch->ready();
            co_await os::sleep_for(objects.loop(), kCollect);
        }
    }
}

}  // namespace muster::server
