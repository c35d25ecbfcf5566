#include "api/value/time.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace time_test {

template <class T>
std::string json_of(const T& time) {
    std::string out;
    ScalarTraits<T>::append_json(time, out);
    return out;
}

TEST(Time, ReadsRfc3339AndPrintsUtcSeconds) {
    struct Row {
        const char* sentence;
        const char* written;
        const char* printed;
    };
    const Row table[] = {
        {"UTC", "2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"},
        {"an offset to the east", "2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z"},
        {"an offset to the west", "2023-12-31T23:30:00-05:30", "2024-01-01T05:00:00Z"},
        {"an offset of zero", "2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00Z"},
        {"a fraction is dropped", "2024-01-01T00:00:00.999999999999Z", "2024-01-01T00:00:00Z"},
        {"a fraction before 1970 is dropped to the past", "1969-12-31T23:59:58.5Z", "1969-12-31T23:59:58Z"},
        {"a fraction after a comma", "2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00Z"},
        {"an hour of one digit", "2024-01-01T1:00:00Z", "2024-01-01T01:00:00Z"},
        {"an offset of a whole day", "2024-01-01T00:00:00+24:00", "2023-12-31T00:00:00Z"},
        {"a leap year of a fourth century", "2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
        {"the second after null", "0001-01-01T00:00:01Z", "0001-01-01T00:00:01Z"},
        {"the last second", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
        {"year one is null", "0001-01-01T00:00:00Z", ""},
    };
    for (const Row& row : table) {
        const auto parsed = Time::parse(row.written);
        ASSERT_TRUE(parsed.ok()) << row.sentence << ": " << parsed.error().message;
        EXPECT_EQ(parsed->text(), row.printed) << row.sentence;
    }
}

TEST(Time, RefusesWhatIsNotATimeAndNamesTheForm) {
    const std::string form = R"( as "2006-01-02T15:04:05Z07:00": cannot parse )";
    struct Row {
        const char* sentence;
        const char* written;
        std::string reason;
    };
    const Row table[] = {
        {"nothing", "", form + R"("" as "2006")"},
        {"a word", "yesterday", form + R"("yesterday" as "2006")"},
        {"a year with a letter", "20x4-01-01T00:00:00Z", form + R"("20x4-01-01T00:00:00Z" as "2006")"},
        {"a date alone", "2024-01-01", form + R"("" as "T")"},
        {"a space in place of T", "2024-01-01 00:00:00Z", form + R"(" 00:00:00Z" as "T")"},
        {"a small t", "2024-01-01t00:00:00Z", form + R"("t00:00:00Z" as "T")"},
        {"no seconds", "2024-01-01T00:00Z", form + R"("Z" as ":")"},
        {"no zone", "2024-01-01T00:00:00", form + R"("" as "Z07:00")"},
        {"a small z", "2024-01-01T00:00:00z", form + R"("z" as "Z07:00")"},
        {"an offset without a colon", "2024-01-01T00:00:00+0100", form + R"("+0100" as "Z07:00")"},
        {"a month of one digit", "2024-1-01T00:00:00Z", form + R"("1-01T00:00:00Z" as "01")"},
        {"a point without a fraction", "2024-01-01T00:00:00.Z", form + R"(".Z" as "Z07:00")"},
        {"February 30", "2024-02-30T00:00:00Z", ": day out of range"},
        {"February 29 of a common year", "2023-02-29T00:00:00Z", ": day out of range"},
        {"February 29 of a common century", "1900-02-29T00:00:00Z", ": day out of range"},
        {"day zero", "2024-01-00T00:00:00Z", ": day out of range"},
        {"month zero", "2024-00-01T00:00:00Z", ": month out of range"},
        {"month 13", "2024-13-01T00:00:00Z", ": month out of range"},
        {"hour 24", "2024-01-01T24:00:00Z", ": hour out of range"},
        {"minute 60", "2024-01-01T00:60:00Z", ": minute out of range"},
        {"second 60", "2024-01-01T00:00:60Z", ": second out of range"},
        {"an offset of 25 hours", "2024-01-01T00:00:00+25:00", ": time zone offset hour out of range"},
        {"text after the end", "2024-01-01T00:00:00Zulu", R"(: extra text: "ulu")"},
        {"year zero", "0000-01-01T00:00:00Z", ": year outside of range [1,9999]"},
        {"a year before one through its offset", "0001-01-01T00:00:00+01:00", ": year outside of range [1,9999]"},
        {"a year past 9999 through its offset", "9999-12-31T23:59:59-01:00", ": year outside of range [1,9999]"},
    };
    for (const Row& row : table) {
        const auto parsed = Time::parse(row.written);
        ASSERT_FALSE(parsed.ok()) << row.sentence;
        EXPECT_EQ(parsed.error().message, "parsing time \"" + std::string(row.written) + "\"" + row.reason)
            << row.sentence;
        EXPECT_EQ(parsed.error().code, Code::kBadRequest);
    }
}

TEST(Time, NullIsTheDefaultAndPrintsAsNull) {
    EXPECT_TRUE(Time().is_null());
    EXPECT_FALSE(Time());
    EXPECT_EQ(json_of(Time()), "null");
    EXPECT_EQ(json_of(MicroTime()), "null");
    EXPECT_EQ(json_of(Time::from_unix_seconds(0)), R"("1970-01-01T00:00:00Z")");
    EXPECT_LT(Time(), Time::from_unix_seconds(-62135596799));
    EXPECT_LT(Time::from_unix_seconds(-1), Time::from_unix_seconds(0));
}

TEST(Time, ConvertsToAndFromInstants) {
    EXPECT_EQ(Time::from_instant(Instant::from_unix(1500ms)).unix_seconds(), 1);
    EXPECT_EQ(Time::from_instant(Instant::from_unix(-1500ms)).unix_seconds(), -2);
    EXPECT_EQ(Time::from_unix_seconds(1700000000).instant(), Instant::from_unix_seconds(1700000000));
    EXPECT_EQ(MicroTime::from_instant(Instant::from_unix(-1500ns)).text(), "1969-12-31T23:59:59.999998Z");
    const Instant exact = Instant::from_unix(1700000000123456us);
    EXPECT_EQ(MicroTime::from_instant(exact).instant(), exact);
    EXPECT_EQ(Time::parse("9999-12-31T23:59:59Z")->instant(), Instant::from_unix(Duration::max()));
    EXPECT_EQ(Time().instant(), Instant::from_unix(Duration::min()));
}

TEST(Time, JsonMustBeAString) {
    Time time = Time::from_unix_seconds(7);
    std::string error;
    EXPECT_FALSE(ScalarTraits<Time>::from_json(time, {JsonToken::Kind::kNumber, "5"}, error));
    EXPECT_EQ(error, "expected a time such as 2006-01-02T15:04:05Z, got 5");
    EXPECT_FALSE(ScalarTraits<Time>::from_json(time, {JsonToken::Kind::kString, ""}, error));
    EXPECT_EQ(time.unix_seconds(), 7);
    EXPECT_TRUE(ScalarTraits<Time>::from_json(time, {JsonToken::Kind::kString, "1970-01-01T00:00:09Z"}, error));
    EXPECT_EQ(time.unix_seconds(), 9);
}

TEST(Time, ProtobufCountsSecondsAndNullIsAnEmptyMessage) {
    std::string bytes;
    ScalarTraits<Time>::append_protobuf(Time(), bytes);
    EXPECT_EQ(bytes, "");
    ScalarTraits<Time>::append_protobuf(Time::from_unix_seconds(300), bytes);
    EXPECT_EQ(bytes, std::string("\x08\xac\x02\x10\x00", 5));
    Time time;
    EXPECT_TRUE(ScalarTraits<Time>::from_protobuf(time, bytes));
    EXPECT_EQ(time.unix_seconds(), 300);
    EXPECT_TRUE(ScalarTraits<Time>::from_protobuf(time, ""));
    EXPECT_TRUE(time.is_null());
    EXPECT_TRUE(ScalarTraits<Time>::from_protobuf(time, std::string_view("\x10\x05", 2)));
    EXPECT_EQ(time.unix_seconds(), 0);
    EXPECT_FALSE(ScalarTraits<Time>::from_protobuf(time, "\x08"));
    EXPECT_FALSE(ScalarTraits<Time>::from_protobuf(time, "\x0a\x01x"));
    EXPECT_FALSE(ScalarTraits<Time>::from_protobuf(time, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f")) << "year 10000";
}

TEST(MicroTime, PrintsSixDigitsAndTakesExactlySix) {
    const auto parsed = MicroTime::parse("2024-01-01T01:00:00.000120+01:00");
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(json_of(*parsed), R"("2024-01-01T00:00:00.000120Z")");
    EXPECT_EQ(MicroTime::parse("1969-12-31T23:59:59.999999Z")->unix_micros(), -1);
    for (const char* text : {"2024-01-01T00:00:00Z", "2024-01-01T00:00:00.12345Z", "2024-01-01T00:00:00.1234567Z"})
        EXPECT_FALSE(MicroTime::parse(text).ok()) << text;
    EXPECT_EQ(
        MicroTime::parse("2024-01-01T00:00:00Z").error().message,
        R"(parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000")");
}

TEST(MicroTime, ProtobufKeepsMicroseconds) {
    for (const char* text :
         {"1969-12-31T23:59:59.999998Z", "2024-01-01T00:00:00.000001Z", "0001-01-01T00:00:00.000001Z"}) {
        const MicroTime time = MicroTime::parse(text).value();
        std::string bytes;
        ScalarTraits<MicroTime>::append_protobuf(time, bytes);
        MicroTime read;
        EXPECT_TRUE(ScalarTraits<MicroTime>::from_protobuf(read, bytes));
        EXPECT_EQ(read.text(), text);
    }
    MicroTime read;
    EXPECT_TRUE(ScalarTraits<MicroTime>::from_protobuf(read, std::string_view("\x08\x00\x10\xe7\x07", 5)));
    EXPECT_EQ(read.unix_micros(), 0) << "999 nanoseconds are no microsecond";
}

}  // namespace time_test
}  // namespace muster::api
