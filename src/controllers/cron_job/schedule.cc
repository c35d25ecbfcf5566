#include "controllers/cron_job/schedule.h"

#include <algorithm>
#include <chrono>

namespace muster::controllers {
namespace {

using api::CronSchedule;
using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

bool has_bit(std::uint64_t set, unsigned bit) { return (set >> bit & 1) != 0; }

// What the clocks of a zone show.
struct Shown {
    sys_days day;
    std::int64_t second_of_day;
};

Shown shown_at(const TimeZone& zone, Instant instant) {
    const std::int64_t local = instant.unix_seconds() + zone.offset_at(instant);
    const auto day = std::chrono::floor<days>(std::chrono::sys_seconds(std::chrono::seconds(local)));
    return {day, local - std::chrono::duration_cast<std::chrono::seconds>(day.time_since_epoch()).count()};
}

bool matches_day(const CronSchedule& schedule, sys_days day) {
    const year_month_day date(day);
    if (!has_bit(schedule.months, static_cast<unsigned>(date.month()))) return false;
    const bool by_date = has_bit(schedule.days, static_cast<unsigned>(date.day()));
    const bool by_weekday = has_bit(schedule.weekdays, std::chrono::weekday(day).c_encoding());
    return schedule.any_day || schedule.any_weekday ? by_date && by_weekday : by_date || by_weekday;
}

// When a day begins. Clocks may change at midnight: then it begins with the change, or at the first of two midnights.
Instant day_start(const TimeZone& zone, sys_days day) {
    const auto midnight =
        Instant::from_unix_seconds(std::chrono::duration_cast<std::chrono::seconds>(day.time_since_epoch()).count());
    const Instant candidates[] = {midnight - std::chrono::seconds(zone.offset_at(midnight - 24h)),
                                  midnight - std::chrono::seconds(zone.offset_at(midnight + 24h))};
    std::optional<Instant> first;
    for (const Instant candidate : candidates)
        if (shown_at(zone, candidate).day == day && (!first || candidate < *first)) first = candidate;
    return first.value_or(candidates[1]);
}

// The first match of hours and minutes at or after `at`, while the day lasts.
std::optional<Instant> match_in_day(const CronSchedule& schedule, const TimeZone& zone, sys_days day, Instant at) {
    for (;;) {
        const Shown shown = shown_at(zone, at);
        // Nothing comes after the latest instant.
        if (shown.day > day || at == Instant::max()) return std::nullopt;
        const auto second = shown.second_of_day % 60;
        const auto minute = static_cast<unsigned>(shown.second_of_day / 60 % 60);
        const auto hour = static_cast<unsigned>(shown.second_of_day / 3600);
        const bool hour_matches = shown.day == day && has_bit(schedule.hours, hour);
        if (second != 0)
            at = at + std::chrono::seconds(60 - second);
        else if (!hour_matches)
            at = at + std::chrono::seconds((60 - minute) * 60);
        else if (!has_bit(schedule.minutes, minute))
            at = at + 60s;
        else
            return at;
    }
}

// The last of the times from `since` on, walked one by one.
std::optional<Instant> last_of(const CronSchedule& schedule, const TimeZone& zone, Instant since, Instant now) {
    std::optional<Instant> last;
    for (auto at = next_time(schedule, zone, since); at && *at <= now; at = next_time(schedule, zone, *at)) last = at;
    return last;
}

}  // namespace

std::optional<Instant> next_time(const CronSchedule& schedule, const TimeZone& zone, Instant after) {
    const Instant second = Instant::from_unix_seconds(after.unix_seconds());
    if (schedule.every > Duration(0)) return second + schedule.every;
    Instant at = second + 1s;
    sys_days day = shown_at(zone, at).day;
    const sys_days last = day + days(5 * 366);
    for (; day <= last; ++day, at = day_start(zone, day)) {
        if (!matches_day(schedule, day)) continue;
        if (const auto match = match_in_day(schedule, zone, day, at)) return match;
    }
    return std::nullopt;
}

UnmetTimes unmet_times(const CronSchedule& schedule, const TimeZone& zone, Instant since, Instant now) {
    UnmetTimes unmet;
    auto at = next_time(schedule, zone, since);
    for (; at && *at <= now && unmet.count <= kManyMissed; at = next_time(schedule, zone, *at)) {
        unmet.latest = at;
        ++unmet.count;
    }
    if (unmet.count <= kManyMissed) return unmet;
    Instant reached = *unmet.latest;
    if (schedule.every > Duration(0)) {
        // Once, or twice where the span until now is longer than the longest.
        while (now - reached >= schedule.every) reached = reached + schedule.every * ((now - reached) / schedule.every);
        unmet.latest = reached;
        return unmet;
    }
    // The latest is found from the near past, in ever longer steps back, so that years cost no more than days.
    for (const Duration back : {Duration(2h), Duration(48h), Duration(24h * 62), Duration(24h * 366 * 5)}) {
        const Instant from = std::max(reached, now - back);
        if (const auto last = last_of(schedule, zone, from, now)) {
            unmet.latest = last;
            break;
        }
        if (from == reached) break;
    }
    return unmet;
}

}  // namespace muster::controllers
