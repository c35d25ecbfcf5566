#include "server/event_expiry.h"

#include "server/kind_object/packed_object.h"

namespace muster::server {
namespace {

using api::core::Event;

constexpr std::size_t kAtOnce = 500;  // then others have their turn

const Event& as_event(const store::Object& object) { return as<Event>(object); }

const std::string& events_prefix() {
    static const std::string prefix = list_prefix(api::kind_info<Event>(), "");
    return prefix;
}

// Goes through all events, so many at once that others have their turn in between. What comes and goes meanwhile may be
// missed.
class EventPages {
public:
    explicit EventPages(const store::Store& store) : store_(store) {}

    // Empty at the end.
    std::vector<store::Stored> next() {
        if (ended_) return {};
        store::Listing page = store_.list(events_prefix(), {.start = start_, .limit = kAtOnce}).value();
        ended_ = !page.more();
        if (!ended_) start_ = page.items.back().key.str() + '\0';
        return std::move(page.items);
    }

private:
    const store::Store& store_;
    std::string start_;
    bool ended_ = false;
};

// Changed or gone: it is looked at again.
void remove_unchanged(store::Store& store, const store::Stored& item) {
    store::Preconditions unchanged;
    unchanged.revision = item.revision;
    (void)store.remove(item.key, unchanged);
}

// Its record, its key twice (the name is in the record as well), and what the index and the allocator add.
std::size_t event_bytes(const store::Object& object) {
    constexpr std::size_t kBeside = 256;
    return kBeside + dynamic_cast<const PackedObject&>(object).bytes();
}

struct EventTotals {
    std::size_t count = 0;
    std::size_t bytes = 0;

    void add(const store::ObjectPtr& object) {
        if (!object) return;
        ++count;
        bytes += event_bytes(*object);
    }
    void subtract(const store::ObjectPtr& object) {
        if (!object) return;
        --count;
        bytes -= event_bytes(*object);
    }
    bool within(const EventLimits& limits) const { return count <= limits.count_max && bytes <= limits.bytes_max; }
};

// How many it found to remove.
os::Task<std::size_t> remove_surplus(Objects& objects, EventLimits limits) {
    store::Store& store = objects.store();
    std::vector<store::Stored> items;  // without their objects, which are large when they have been read
    std::vector<EventView> views;
    EventPages pages(store);
    for (std::vector<store::Stored> page = pages.next(); !page.empty(); page = pages.next()) {
        for (const store::Stored& item : page) {
            items.push_back({item.key, item.revision, nullptr});
            views.push_back(view_of(as_event(*item.object), event_bytes(*item.object), objects.now()));
        }
        co_await os::yield(objects.loop());
    }
    std::size_t removed = 0;
    for (const std::size_t i : decide_events_to_remove(views, limits)) {
        while (!store.has_room()) co_await store.room();
        remove_unchanged(store, items[i]);
        if (++removed % kAtOnce == 0) co_await os::yield(objects.loop());
    }
    co_return removed;
}

}  // namespace

os::Task<void> expire_events(Objects& objects, Duration life) {
    for (;;) {
        EventPages pages(objects.store());
        for (std::vector<store::Stored> page = pages.next(); !page.empty(); page = pages.next()) {
            for (const store::Stored& item : page)
                if (is_event_due(as_event(*item.object), objects.now(), life)) remove_unchanged(objects.store(), item);
            co_await os::yield(objects.loop());
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
