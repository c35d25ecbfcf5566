#include "node/logs/cri_log.h"

#include <gtest/gtest.h>

namespace muster::node {
namespace cri_log_test {

std::string select_log(std::string_view log, const LogSelection& selection) {
    std::string_view entries = log.substr(0, log.rfind('\n') + 1);
    std::size_t lines = selection.tail_lines.value_or(0);
    const auto from = selection.tail_lines ? find_tail(entries, lines, true) : std::nullopt;
    // However it is cut into pieces.
    std::string whole;
    for (const std::size_t size : {log.size(), std::size_t{1}, std::size_t{7}}) {
        LogText text(selection);
        std::string out;
        for (std::string_view rest = log.substr(from.value_or(0)); !rest.empty() && !text.full();) {
            out += text.add(rest.substr(0, size));
            rest.remove_prefix(std::min(size, rest.size()));
        }
        if (size == log.size()) whole = out;
        EXPECT_EQ(out, whole) << "in pieces of " << size;
    }
    return whole;
}

const Instant kAt = Instant::from_unix_seconds(0) + 1ms;
constexpr const char* kTime = "1970-01-01T00:00:00.001000000Z";

TEST(LineCutter, WritesOneEntryForEachLine) {
    LineCutter cutter("stdout");
    EXPECT_EQ(cutter.add("one\ntw", kAt), std::string(kTime) + " stdout F one\n");
    EXPECT_EQ(cutter.add("o\n\n", kAt), std::string(kTime) + " stdout F two\n" + kTime + " stdout F \n");
    EXPECT_EQ(cutter.finish(kAt), "");
    EXPECT_EQ(cutter.add("rest", kAt), "");
    EXPECT_EQ(cutter.finish(kAt), std::string(kTime) + " stdout P rest\n");
}

TEST(LineCutter, CutsLongLinesAndLosesNothing) {
    LineCutter cutter("stderr");
    const std::string text = std::string(40000, 'x') + '\n';
    std::string log;
    for (std::size_t at = 0; at < text.size(); at += 777)
        log += cutter.add(std::string_view(text).substr(at, 777), kAt);
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 3);
    EXPECT_EQ(select_log(log, {}), text);
}

constexpr const char* kLog =
    "2026-01-01T00:00:01.000000000Z stdout F one\n"
    "2026-01-01T00:00:02.000000000Z stderr F two\n"
    "2026-01-01T00:00:03.000000000Z stdout P thr\n"
    "2026-01-01T00:00:03.500000000Z stdout F ee\n"
    "2026-01-01T00:00:04.000000000Z stdout P four\n"
    "2026-01-01T00:00:05.0000";

struct LogCase {
    const char* sentence;
    LogSelection selection;
    const char* text;
};

TEST(LogText, GivesWhatIsAskedFor) {
    const LogCase cases[] = {
        {"all of it, without a torn last entry", {}, "one\ntwo\nthree\nfour"},
        {"the last lines, where pieces are one line", {.tail_lines = 2}, "three\nfour"},
        {"no lines", {.tail_lines = 0}, ""},
        {"more lines than there are", {.tail_lines = 99}, "one\ntwo\nthree\nfour"},
        {"since a time", {.since = Instant::from_unix_seconds(1767225602)}, "two\nthree\nfour"},
        {"a number of bytes", {.limit_bytes = 5}, "one\nt"},
        {"one stream", {.stream = "stderr"}, "two\n"},
        {"times, once a line",
         {.tail_lines = 2, .timestamps = true},
         "2026-01-01T00:00:03.000000000Z three\n2026-01-01T00:00:04.000000000Z four"},
    };
    for (const LogCase& each : cases) EXPECT_EQ(select_log(kLog, each.selection), each.text) << each.sentence;
}

}  // namespace cri_log_test
}  // namespace muster::node
