#include "controllers/cron_job/schedule.h"

#include <gtest/gtest.h>

#include "api/value/time.h"
#include "controllers/cron_job/cron_test_zones.h"

namespace muster::controllers {
namespace schedule_test {

using api::CronSchedule;

Instant at(std::string_view text) { return api::Time::parse(text).value().instant(); }
CronSchedule cron(std::string_view text) { return CronSchedule::parse(text).value(); }
std::string text_of(const std::optional<Instant>& instant) {
    return instant ? api::Time::from_instant(*instant).text() : "never";
}

TEST(CronNextTime, Table) {
    const TimeZone utc;
    const TimeZone new_york = testing::new_york();
    const TimeZone lord_howe = testing::lord_howe();
    struct Case {
        const char* name;
        const char* schedule;
        const TimeZone& zone;
        const char* after;
        const char* want;
    } cases[] = {
        {"every minute", "* * * * *", utc, "2024-01-01T00:00:30Z", "2024-01-01T00:01:00Z"},
        {"a time itself is not after it", "* * * * *", utc, "2024-01-01T00:01:00Z", "2024-01-01T00:02:00Z"},
        {"over the turn of the year", "0 0 * * *", utc, "2023-12-31T12:00:00Z", "2024-01-01T00:00:00Z"},
        {"a list of minutes", "15,45 3 * * *", utc, "2024-01-01T03:15:00Z", "2024-01-01T03:45:00Z"},
        {"the 29th of February", "0 0 29 2 *", utc, "2024-03-01T00:00:00Z", "2028-02-29T00:00:00Z"},
        {"a weekday", "0 9 * * 1-5", utc, "2024-01-05T10:00:00Z", "2024-01-08T09:00:00Z"},
        {"a day or a weekday when both are given", "0 0 13 * 5", utc, "2024-01-06T00:00:00Z", "2024-01-12T00:00:00Z"},
        {"and the day as well", "0 0 13 * 5", utc, "2024-01-12T00:00:00Z", "2024-01-13T00:00:00Z"},
        {"the 31st of February never comes", "0 0 31 2 *", utc, "2024-01-01T00:00:00Z", "never"},
        {"an interval runs on from where it is", "@every 90s", utc, "2024-01-01T00:00:05Z", "2024-01-01T00:01:35Z"},
        {"after the latest time nothing comes", "* * * * *", utc, "9999-12-31T23:59:59Z", "never"},
        {"nor shortly before it", "0 0 1 1 *", new_york, "2262-04-10T00:00:00Z", "never"},
        {"an interval stops at the latest time", "@every 90s", utc, "9999-12-31T23:59:59Z", "2262-04-11T23:47:16Z"},
        {"another zone's nine o'clock", "0 9 * * *", new_york, "2024-01-15T00:00:00Z", "2024-01-15T14:00:00Z"},
        {"and in its summer", "0 9 * * *", new_york, "2024-07-15T00:00:00Z", "2024-07-15T13:00:00Z"},
        {"a time that clocks skip does not come", "30 2 * * *", new_york, "2024-03-10T05:00:00Z",
         "2024-03-11T06:30:00Z"},
        {"an hour that clocks skip does not count", "0 * * * *", new_york, "2024-03-10T06:00:00Z",
         "2024-03-10T07:00:00Z"},
        {"a time that clocks show twice comes", "30 1 * * *", new_york, "2024-11-03T04:30:00Z", "2024-11-03T05:30:00Z"},
        {"twice", "30 1 * * *", new_york, "2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z"},
        {"and not three times", "30 1 * * *", new_york, "2024-11-03T06:30:00Z", "2024-11-04T06:30:00Z"},
        {"half an hour's change", "15 2 * * *", lord_howe, "2024-10-05T13:30:00Z", "2024-10-06T15:15:00Z"},
        {"half an hour twice", "45 1 * * *", lord_howe, "2024-04-06T14:45:00Z", "2024-04-06T15:15:00Z"},
    };
    for (const Case& c : cases) EXPECT_EQ(text_of(next_time(cron(c.schedule), c.zone, at(c.after))), c.want) << c.name;
}

TEST(CronNextTime, ADayMayBeginWithAChangeOfClocks) {
    // Summer begins at midnight: the day has no 00:00.
    const auto zone = TimeZone::parse(testing::make_tzif({}, {-4 * 3600}, "<-04>4<-03>,M9.1.0/24,M4.1.0/24")).value();
    EXPECT_EQ(text_of(next_time(cron("30 1 * * *"), zone, at("2024-09-01T12:00:00Z"))), "2024-09-02T04:30:00Z");
    EXPECT_EQ(text_of(next_time(cron("0 0 * * *"), zone, at("2024-09-01T12:00:00Z"))), "2024-09-03T03:00:00Z");
    // It ends at midnight: the last hour of the day comes twice.
    EXPECT_EQ(text_of(next_time(cron("30 23 * * *"), zone, at("2024-04-08T02:30:00Z"))), "2024-04-08T03:30:00Z");
}

TEST(CronUnmetTimes, Table) {
    const TimeZone utc;
    struct Case {
        const char* name;
        const char* schedule;
        const char* since;
        const char* now;
        const char* latest;
        int count;
    } cases[] = {
        {"none yet", "0 * * * *", "2024-01-01T00:00:00Z", "2024-01-01T00:59:59Z", "never", 0},
        {"the first", "0 * * * *", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z", "2024-01-01T01:00:00Z", 1},
        {"the latest of a few", "0 * * * *", "2024-01-01T00:00:00Z", "2024-01-01T05:30:00Z", "2024-01-01T05:00:00Z", 5},
        {"a hundred", "* * * * *", "2024-01-01T00:00:00Z", "2024-01-01T01:40:30Z", "2024-01-01T01:40:00Z", 100},
        {"more are not counted, but the latest is found", "* * * * *", "2001-01-01T00:00:00Z", "2024-01-01T01:41:30Z",
         "2024-01-01T01:41:00Z", 101},
        {"among uneven times, too", "30 6-16/4 * * 1-5", "2020-01-01T00:00:00Z", "2024-01-07T12:00:00Z",
         "2024-01-05T14:30:00Z", 101},
        {"and among rare ones", "* * 1 1 *", "2020-01-01T00:00:00Z", "2024-06-01T12:00:00Z", "2024-01-01T23:59:00Z",
         101},
        {"the latest may be the last one counted", "* 0-1 1 1 *", "2024-01-01T00:18:00Z", "2024-06-01T12:00:00Z",
         "2024-01-01T01:59:00Z", 101},
        {"none before the latest time", "* * * * *", "9999-12-31T23:59:59Z", "2024-01-01T00:00:00Z", "never", 0},
        {"the latest since the earliest time", "0 * * * *", "0001-01-01T00:00:00Z", "2024-01-01T00:30:00Z",
         "2024-01-01T00:00:00Z", 101},
        {"and of an interval since then", "@every 1h", "0001-01-01T00:00:00Z", "2024-01-01T00:00:00Z",
         "2023-12-31T23:12:43Z", 101},
        {"an interval counts from its start", "@every 7m", "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z",
         "2024-01-01T23:55:00Z", 101},
    };
    for (const Case& c : cases) {
        const UnmetTimes unmet = unmet_times(cron(c.schedule), utc, at(c.since), at(c.now));
        EXPECT_EQ(text_of(unmet.latest), c.latest) << c.name;
        EXPECT_EQ(unmet.count, c.count) << c.name;
    }
}

}  // namespace schedule_test
}  // namespace muster::controllers
