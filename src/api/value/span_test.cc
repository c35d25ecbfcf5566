#include "api/value/span.h"

#include <gtest/gtest.h>

#include <limits>

namespace muster::api {
namespace span_test {

TEST(Span, ReadsAndPrintsLikeGo) {
    struct Row {
        const char* sentence;
        const char* written;
        std::int64_t nanos;
        const char* printed;
    };
    const Row table[] = {
        {"zero without a unit", "0", 0, "0s"},
        {"minus zero", "-0", 0, "0s"},
        {"hours, minutes and a fraction of seconds", "1h2m3.5s", 3723500000000, "1h2m3.5s"},
        {"a negative fraction of hours", "-1.5h", -5400000000000, "-1h30m0s"},
        {"milliseconds", "100ms", 100000000, "100ms"},
        {"microseconds print with the micro sign", "1us", 1000, "1µs"},
        {"the micro sign", "1.5µs", 1500, "1.5µs"},
        {"the Greek letter", "1μs", 1000, "1µs"},
        {"nanoseconds", "7ns", 7, "7ns"},
        {"a plus sign", "+5s", 5000000000, "5s"},
        {"a leading point", ".5s", 500000000, "500ms"},
        {"a trailing point", "5.s", 5000000000, "5s"},
        {"units may repeat in any order", "1s1h1s", 3602000000000, "1h0m2s"},
        {"minutes carry", "90m", 5400000000000, "1h30m0s"},
        {"a second and a nanosecond", "1000000001ns", 1000000001, "1.000000001s"},
        {"a fraction finer than a nanosecond", "0.3333333333333333333h", 1200000000000, "20m0s"},
        {"a fraction of many digits", "0.9223372036854775807h", 3320413933267, "55m20.413933267s"},
        {"a fraction beyond 64 bits", "0.100000000000000000000h", 360000000000, "6m0s"},
        {"the longest", "9223372036854775807ns", std::numeric_limits<std::int64_t>::max(), "2562047h47m16.854775807s"},
        {"the most negative", "-9223372036854775808ns", std::numeric_limits<std::int64_t>::min(),
         "-2562047h47m16.854775808s"},
    };
    for (const Row& row : table) {
        const auto parsed = Span::parse(row.written);
        ASSERT_TRUE(parsed.ok()) << row.sentence << ": " << parsed.error().message;
        EXPECT_EQ(parsed->duration().count(), row.nanos) << row.sentence;
        EXPECT_EQ(parsed->text(), row.printed) << row.sentence;
        EXPECT_EQ(Span::parse(parsed->text())->duration(), parsed->duration()) << row.sentence;
    }
}

TEST(Span, RefusesWhatGoRefusesInItsWords) {
    struct Row {
        const char* sentence;
        const char* written;
        const char* error;
    };
    const Row table[] = {
        {"nothing", "", R"(time: invalid duration "")"},
        {"a sign alone", "-", R"(time: invalid duration "-")"},
        {"a number without a unit", "3", R"(time: missing unit in duration "3")"},
        {"a unit without a number", "s", R"(time: invalid duration "s")"},
        {"a point without digits", ".s", R"(time: invalid duration ".s")"},
        {"a word", "soon", R"(time: invalid duration "soon")"},
        {"days", "1d", R"(time: unknown unit "d" in duration "1d")"},
        {"a sign inside", "1h-5m", R"(time: unknown unit "h-" in duration "1h-5m")"},
        {"a space inside", "1h 5m", R"(time: unknown unit "h " in duration "1h 5m")"},
        {"one nanosecond too long", "9223372036854775808ns", R"(time: invalid duration "9223372036854775808ns")"},
        {"too many hours", "3000000h", R"(time: invalid duration "3000000h")"},
        {"a sum too long", "9223372036854775807ns1ns", R"(time: invalid duration "9223372036854775807ns1ns")"},
        {"a sum that would wrap", "-9223372036854775808ns9223372036854775808ns",
         R"(time: invalid duration "-9223372036854775808ns9223372036854775808ns")"},
    };
    for (const Row& row : table) {
        const auto parsed = Span::parse(row.written);
        ASSERT_FALSE(parsed.ok()) << row.sentence;
        EXPECT_EQ(parsed.error().message, row.error) << row.sentence;
    }
}

TEST(Span, TravelsInJsonAndProtobuf) {
    Span span;
    std::string error;
    std::string out;
    EXPECT_TRUE(ScalarTraits<Span>::from_json(span, {JsonToken::Kind::kString, "90s"}, error));
    ScalarTraits<Span>::append_json(span, out);
    EXPECT_EQ(out, R"("1m30s")");
    EXPECT_FALSE(ScalarTraits<Span>::from_json(span, {JsonToken::Kind::kNumber, "90"}, error));
    EXPECT_EQ(error, "expected a duration such as 1h30m or 500ms, got 90");

    for (const Span value : {Span(), Span(5s), Span(-1ns)}) {
        std::string bytes;
        ScalarTraits<Span>::append_protobuf(value, bytes);
        Span read(7s);
        EXPECT_TRUE(ScalarTraits<Span>::from_protobuf(read, bytes));
        EXPECT_EQ(read, value);
    }
    EXPECT_FALSE(ScalarTraits<Span>::from_protobuf(span, "\x08"));
}

}  // namespace span_test
}  // namespace muster::api
