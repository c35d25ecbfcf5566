#include "server/event_limits.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_set>

#include "api/value/quantity.h"
#include "api/value/span.h"

namespace muster::server {
namespace {

using api::core::Event;

}  // namespace

Result<EventLimits> parse_event_limits(std::string_view life, std::int64_t count_max, std::string_view bytes_max) {
    const auto span = api::Span::parse(life);
    if (!span.ok() || span->duration() <= 0s)
        return Error{Code::kBadRequest, "--event-ttl is a length of time such as 1h, not \"" + std::string(life) + '"'};
    if (count_max < 1) return Error{Code::kBadRequest, "--events-max-count is 1 or more"};
    const auto bytes = api::Quantity::parse(bytes_max);
    if (!bytes.ok() || bytes->value() <= 0)
        return Error{Code::kBadRequest,
                     "--events-max-size is a size such as 64Mi, not \"" + std::string(bytes_max) + '"'};
    return EventLimits{span->duration(), static_cast<std::size_t>(count_max), static_cast<std::size_t>(bytes->value())};
}

Instant last_happened(const Event& event, Instant now) {
    Instant last = event.metadata.creation_timestamp.instant();
    const auto consider = [&](Instant when) {
        if (when <= now) last = std::max(last, when);
    };
    if (event.last_timestamp) consider(event.last_timestamp.instant());
    if (event.event_time) consider(event.event_time.instant());
    if (const auto* series = event.series.get(); series && series->last_observed_time)
        consider(series->last_observed_time.instant());
    return last;
}

bool is_event_due(const Event& event, Instant now, Duration life) { return last_happened(event, now) + life <= now; }

EventView view_of(const Event& event, std::size_t bytes, Instant now) {
    const auto& about = event.involved_object;
    const std::hash<std::string_view> hash;
    const std::string_view object = about.uid.empty() ? about.name : about.uid;
    return {last_happened(event, now), hash(object) * 31 + hash(event.reason), bytes};
}

std::vector<std::size_t> decide_events_to_remove(const std::vector<EventView>& events, const EventLimits& limits) {
    std::size_t count = events.size();
    std::size_t bytes = std::accumulate(events.begin(), events.end(), std::size_t{0},
                                        [](std::size_t sum, const EventView& view) { return sum + view.bytes; });
    if (count <= limits.count_max && bytes <= limits.bytes_max) return {};

    std::vector<std::pair<Instant, std::size_t>> newest_first;
    newest_first.reserve(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) newest_first.emplace_back(events[i].last, i);
    std::sort(newest_first.rbegin(), newest_first.rend());
    std::unordered_set<std::uint64_t> seen;
    seen.reserve(events.size());
    std::vector<std::size_t> repeated;
    std::vector<std::size_t> newest;
    for (const auto& [when, i] : newest_first) (seen.insert(events[i].about).second ? newest : repeated).push_back(i);

    std::vector<std::size_t> remove;
    const auto enough = [&] {
        return count <= limits.count_max - limits.count_max / 10 && bytes <= limits.bytes_max - limits.bytes_max / 10;
    };
    for (const auto* candidates : {&repeated, &newest}) {
        for (auto oldest = candidates->rbegin(); oldest != candidates->rend() && !enough(); ++oldest) {
            remove.push_back(*oldest);
            --count;
            bytes -= events[*oldest].bytes;
        }
    }
    return remove;
}

}  // namespace muster::server
