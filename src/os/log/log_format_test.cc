#include "os/log/log_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace muster::os {
namespace log_format_test {

constexpr LogSite kSite{"src/controllers/job/controller.cc", 210};
// 2026-11-18 06:00:00.000042 UTC.
const LogMoment kMoment{Instant::from_unix_seconds(1'794'981'600) + 42us, {}, 1234};

struct Named {
    Text namespace_;
    Text name;
};

struct Case {
    const char* sentence;
    LogLevel level;
    int verbosity;
    std::string message;
    std::vector<LogField> fields;
    const char* text;
    const char* json;
};

const Case kCases[] = {
    {"a line without fields is a quoted sentence",
     LogLevel::kInfo,
     0,
     "Started",
     {},
     R"(I1118 06:00:00.000042    1234 job/controller.cc:210] "Started")",
     R"({"ts":1794981600000.042,"level":"info","caller":"job/controller.cc:210","msg":"Started","v":0})"},
    {"texts are quoted and numbers are not",
     LogLevel::kInfo,
     2,
     "Created pods",
     {{"job", "pi"}, {"count", 5}, {"share", 0.5}, {"all", true}, {"version", 18446744073709551615u}, {"off", -3}},
     R"(I1118 06:00:00.000042    1234 job/controller.cc:210] "Created pods" job="pi" count=5 share=0.5 all=true version=18446744073709551615 off=-3)",
     R"({"ts":1794981600000.042,"level":"info","caller":"job/controller.cc:210","msg":"Created pods","v":2,"job":"pi","count":5,"share":0.5,"all":true,"version":18446744073709551615,"off":-3})"},
    {"an object is its namespace and name, as klog prints references",
     LogLevel::kInfo,
     4,
     "Decided",
     {{"job", Named{"default", "pi"}}, {"node", Named{"", "n1"}}},
     R"(I1118 06:00:00.000042    1234 job/controller.cc:210] "Decided" job="default/pi" node="n1")",
     R"({"ts":1794981600000.042,"level":"info","caller":"job/controller.cc:210","msg":"Decided","v":4,"job":{"name":"pi","namespace":"default"},"node":{"name":"n1"}})"},
    {"a warning has no verbosity",
     LogLevel::kWarning,
     0,
     "The token file holds no tokens",
     {{"took", Duration(1500ms)}},
     R"(W1118 06:00:00.000042    1234 job/controller.cc:210] "The token file holds no tokens" took="1.5s")",
     R"({"ts":1794981600000.042,"level":"warning","caller":"job/controller.cc:210","msg":"The token file holds no tokens","took":"1.5s"})"},
    {"an error keeps quotes, line ends and odd bytes on one line",
     LogLevel::kError,
     0,
     "Cannot write",
     {{"err", "said \"no\"\n\tand\x01 \\ \xff é"}},
     R"(E1118 06:00:00.000042    1234 job/controller.cc:210] "Cannot write" err="said \"no\"\n\tand\x01 \\ \xff é")",
     R"({"ts":1794981600000.042,"level":"error","caller":"job/controller.cc:210","msg":"Cannot write","err":"said \"no\"\n\tand\u0001 \\ \ufffd é"})"},
};

TEST(LogFormat, LinesAreKlogsTextAndComponentBasesJson) {
    for (const Case& one : kCases) {
        SCOPED_TRACE(one.sentence);
        const LogRecord record{one.level, one.verbosity, &kSite, one.message, one.fields};
        EXPECT_EQ(format_log_text(record, kMoment), one.text);
        EXPECT_EQ(format_log_json(record, kMoment), one.json);
    }
}

TEST(LogFormat, TheTextHasLocalTimeAndTheJsonHasNone) {
    const LogRecord record{LogLevel::kInfo, 0, &kSite, "x", {}};
    const LogMoment east{kMoment.at, -7h, 1};
    EXPECT_THAT(format_log_text(record, east), testing::StartsWith("I1117 23:00:00.000042       1 job/"));
    EXPECT_THAT(format_log_json(record, east), testing::StartsWith("{\"ts\":1794981600000.042,"));
}

TEST(LogFormat, ALongValueIsCut) {
    const std::vector<LogField> fields{{"err", std::string(1u << 20, 'x')}};
    const LogRecord record{LogLevel::kError, 0, &kSite, "x", fields};
    EXPECT_LT(format_log_text(record, kMoment).size(), kLogValueMax + 200);
    EXPECT_THAT(format_log_text(record, kMoment), testing::EndsWith("xxx…\""));
    EXPECT_THAT(format_log_json(record, kMoment), testing::EndsWith("xxx…\"}"));
}

TEST(LogFormat, SpansAreWrittenAsGoWritesThem) {
    const std::pair<Duration, const char*> cases[] = {{0s, "0s"},          {7ns, "7ns"},          {1500ns, "1.5µs"},
                                                      {12ms, "12ms"},      {1500ms, "1.5s"},      {90s, "1m30s"},
                                                      {3h + 1s, "3h0m1s"}, {-90500ms, "-1m30.5s"}};
    for (const auto& [span, text] : cases) EXPECT_EQ(format_span(span), text);
}

TEST(LogFormat, AFormatThatIsNoneIsNamed) {
    EXPECT_EQ(*parse_log_format("json"), LogFormat::kJson);
    EXPECT_EQ(*parse_log_format("text"), LogFormat::kText);
    EXPECT_EQ(parse_log_format("xml").error().message, "--log-format is text or json, not \"xml\"");
}

}  // namespace log_format_test
}  // namespace muster::os
