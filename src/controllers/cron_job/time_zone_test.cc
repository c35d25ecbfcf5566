#include "controllers/cron_job/time_zone.h"

#include <gtest/gtest.h>

#include "api/value/time.h"
#include "controllers/cron_job/cron_test_zones.h"
#include "controllers/cron_job/zone_table.h"

namespace muster::controllers {
namespace time_zone_test {

Instant at(const char* text) { return api::Time::parse(text).value().instant(); }

TEST(CronTimeZone, Table) {
    const TimeZone new_york = testing::new_york();
    const TimeZone lord_howe = testing::lord_howe();
    struct Case {
        const char* name;
        const TimeZone& zone;
        const char* instant;
        int minutes;
    } cases[] = {
        {"before the first change it is the first offset", new_york, "2023-01-01T00:00:00Z", -300},
        {"the last second before a change", new_york, "2023-03-12T06:59:59Z", -300},
        {"the change itself", new_york, "2023-03-12T07:00:00Z", -240},
        {"between two changes", new_york, "2023-07-01T00:00:00Z", -240},
        {"after the last change the rule counts: winter", new_york, "2024-01-15T00:00:00Z", -300},
        {"the second before summer begins by the rule", new_york, "2040-03-11T06:59:59Z", -300},
        {"summer begins by the rule", new_york, "2040-03-11T07:00:00Z", -240},
        {"the second before summer ends by the rule", new_york, "2040-11-04T05:59:59Z", -240},
        {"summer ends by the rule", new_york, "2040-11-04T06:00:00Z", -300},
        {"in the south summer runs over the turn of the year", lord_howe, "2024-01-01T00:00:00Z", 660},
        {"and winter is in July", lord_howe, "2024-07-01T00:00:00Z", 630},
        {"its summer ends in April", lord_howe, "2024-04-06T15:00:00Z", 630},
        {"not a second earlier", lord_howe, "2024-04-06T14:59:59Z", 660},
    };
    for (const Case& c : cases) EXPECT_EQ(c.zone.offset_at(at(c.instant)), c.minutes * 60) << c.name;
    EXPECT_EQ(TimeZone().offset_at(at("2024-07-01T00:00:00Z")), 0);
}

TEST(CronTimeZone, RulesMayNameDaysByTheirNumber) {
    const auto julian = ZoneRule::parse("AAA0BBB,J60/0,J365/0").value();
    EXPECT_EQ(julian.offset_at(at("2024-02-29T23:00:00Z").unix_seconds()), 0) << "29 February does not count";
    EXPECT_EQ(julian.offset_at(at("2024-03-01T00:00:00Z").unix_seconds()), 3600);
    const auto counted = ZoneRule::parse("AAA0BBB,59/0,364/0").value();
    EXPECT_EQ(counted.offset_at(at("2024-02-29T00:00:00Z").unix_seconds()), 3600) << "here it does";
    EXPECT_EQ(ZoneRule::parse("<-03>3").value().offset_at(0), -3 * 3600);
}

TEST(CronTimeZone, BrokenBytesAreRefused) {
    const std::string whole = testing::new_york_tzif();
    EXPECT_FALSE(TimeZone::parse("").ok());
    EXPECT_FALSE(TimeZone::parse("TZif").ok());
    EXPECT_FALSE(TimeZone::parse("nonsense, and long enough to hold a header of forty-four bytes").ok());
    const std::size_t rule_start = whole.find("\nEST");
    for (std::size_t size = 0; size < rule_start; ++size)
        EXPECT_FALSE(TimeZone::parse(std::string_view(whole).substr(0, size)).ok()) << size;
    for (const char* rule : {"", "E", "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3,M4",
                             "EST5EDT,M3.2.0,M11.1.0,x"})
        EXPECT_FALSE(ZoneRule::parse(rule).ok()) << rule;
}

TEST(CronZoneTable, ReadsAZoneOnceAndKnowsUtcByItself) {
    int reads = 0;
    ZoneTable zones([&](std::string_view name) -> Result<std::string> {
        ++reads;
        if (name == "America/New_York" || name == "America/Chicago") return testing::new_york_tzif();
        if (name == "Broken") return std::string("TZif");
        return Error{Code::kNotFound, "none"};
    });
    EXPECT_NE(zones.find(""), nullptr);
    EXPECT_NE(zones.find("UTC"), nullptr);
    EXPECT_EQ(reads, 0);
    EXPECT_NE(zones.find("America/New_York"), nullptr);
    EXPECT_EQ(zones.find("America/New_York"), zones.find("America/New_York"));
    EXPECT_EQ(reads, 1);
    EXPECT_EQ(zones.find("Broken"), nullptr);
    EXPECT_EQ(reads, 2);
    // There is no end of names of no zone, and none of them keeps a zone from being found.
    for (int i = 0; i < 3000; ++i) EXPECT_EQ(zones.find("Nowhere/" + std::to_string(i)), nullptr);
    EXPECT_NE(zones.find("America/New_York"), nullptr);
    EXPECT_NE(zones.find("America/Chicago"), nullptr);
}

}  // namespace time_zone_test
}  // namespace muster::controllers
