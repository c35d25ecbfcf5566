#include "api/value/cron_schedule.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace cron_schedule_test {

std::string print_bits(std::uint64_t bits) {
    std::string out;
    for (int i = 0; i < 64; ++i)
        if (bits >> i & 1) out.append(out.empty() ? "" : " ").append(std::to_string(i));
    return out;
}

TEST(CronSchedule, ReadsTheFiveFields) {
    const auto schedule = CronSchedule::parse("0,30 8-10 1/10 jan-MAR mon-fri/2").value();
    EXPECT_EQ(print_bits(schedule.minutes), "0 30");
    EXPECT_EQ(print_bits(schedule.hours), "8 9 10");
    EXPECT_EQ(print_bits(schedule.days), "1 11 21 31");
    EXPECT_EQ(print_bits(schedule.months), "1 2 3");
    EXPECT_EQ(print_bits(schedule.weekdays), "1 3 5");
    EXPECT_FALSE(schedule.any_day);
    EXPECT_FALSE(schedule.any_weekday);
}

TEST(CronSchedule, KnowsWhenADayIsLeftOpen) {
    EXPECT_TRUE(CronSchedule::parse("* * * * 1").value().any_day);
    EXPECT_TRUE(CronSchedule::parse("* * ? * 1").value().any_day);
    EXPECT_FALSE(CronSchedule::parse("* * */2 * 1").value().any_day);
    EXPECT_TRUE(CronSchedule::parse("* * 1 * *").value().any_weekday);
}

TEST(CronSchedule, ReadsNamedSchedules) {
    EXPECT_EQ(CronSchedule::parse("@daily").value(), CronSchedule::parse("0 0 * * *").value());
    EXPECT_EQ(CronSchedule::parse("@annually").value(), CronSchedule::parse("0 0 1 1 *").value());
    EXPECT_EQ(CronSchedule::parse("@every 90m").value().every, std::chrono::minutes(90));
    EXPECT_EQ(CronSchedule::parse("@every 1ms").value().every, std::chrono::seconds(1));
    EXPECT_EQ(CronSchedule::parse("TZ=UTC 0 0 * * *").value(), CronSchedule::parse("0 0 * * *").value());
}

TEST(CronSchedule, SaysWhatIsWrong) {
    const struct {
        const char* name;
        const char* text;
        const char* problem;
    } cases[] = {
        {"nothing", "", "empty spec string"},
        {"too few fields", "every day", "expected exactly 5 fields, found 2: [every day]"},
        {"too many fields", "0 0 0 * * *", "expected exactly 5 fields, found 6: [0 0 0 * * *]"},
        {"only blanks", "  ", "expected exactly 5 fields, found 0: []"},
        {"a word", "x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
        {"a number too long", "99999999999999999999 * * * *",
         "failed to parse int from 99999999999999999999: strconv.Atoi: parsing \"99999999999999999999\": value out of "
         "range"},
        {"minute 60", "60 * * * *", "end of range (60) above maximum (59): 60"},
        {"day 0", "* * 0 * *", "beginning of range (0) below minimum (1): 0"},
        {"weekday 7", "* * * * 7", "end of range (7) above maximum (6): 7"},
        {"a range backwards", "5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"},
        {"two hyphens", "1-2-3 * * * *", "too many hyphens: 1-2-3"},
        {"two slashes", "1/2/3 * * * *", "too many slashes: 1/2/3"},
        {"step zero", "*/0 * * * *", "step of range should be a positive number: */0"},
        {"a negative step", "*/-2 * * * *", "negative number (-2) not allowed: -2"},
        {"an unknown name", "@often", "unrecognized descriptor: @often"},
        {"a duration that is none", "@every x", "failed to parse duration @every x: time: invalid duration \"x\""},
        {"only a time zone", "TZ=UTC", "no schedule after the time zone"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.name);
        const auto parsed = CronSchedule::parse(test.text);
        ASSERT_FALSE(parsed.ok());
        EXPECT_EQ(parsed.error().message, test.problem);
    }
}

}  // namespace cron_schedule_test
}  // namespace muster::api
