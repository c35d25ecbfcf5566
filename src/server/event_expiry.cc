#include "server/event_expiry.h"

#include <algorithm>

namespace muster::server {
namespace {

using api::core::Event;

const Event& as_event(const store::Object& object) {
    return *static_cast<const Event*>(static_cast<const KindObject&>(object).data());
}

}  // namespace

bool is_event_due(const Event& event, Instant now) {
    Instant last = event.metadata.creation_timestamp.instant();
    // What claims to happen in the future would stay for ever.
    const auto consider = [&](Instant when) {
        if (when <= now) last = std::max(last, when);
    };
    if (event.last_timestamp) consider(event.last_timestamp.instant());
    if (event.event_time) consider(event.event_time.instant());
    if (const auto* series = event.series.get(); series && series->last_observed_time)
        consider(series->last_observed_time.instant());
    return last + kEventLife <= now;
}

os::Task<void> expire_events(Objects& objects) {
    constexpr std::size_t kAtOnce = 500;  // then others have their turn
    const std::string prefix = list_prefix(api::kind_info<Event>(), "");
    for (;;) {
        const auto listing = objects.store().list(prefix);
        if (!listing.ok()) co_return;
        std::size_t looked_at = 0;
        for (const store::Stored& item : listing->items) {
            if (is_event_due(as_event(*item.object), objects.now())) {
                store::Preconditions unchanged;
                unchanged.revision = item.revision;
                (void)objects.store().remove(item.key, unchanged);  // changed or gone: the next round sees
            }
            if (++looked_at % kAtOnce == 0) co_await os::yield(objects.loop());
        }
        co_await os::sleep_for(objects.loop(), 1min);
    }
}

}  // namespace muster::server
