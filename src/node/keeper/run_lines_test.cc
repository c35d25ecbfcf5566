#include "node/keeper/run_lines.h"

#include <gtest/gtest.h>

#include "node/keeper/wire.h"

namespace muster::node {
namespace run_lines_test {

RunRecord record_of(const char* pod, RunState state, int pid = 7) {
    RunRecord record;
    record.key = {pod, "c", 0};
    record.state = state;
    record.pid = pid;
    return record;
}

// "a:1 b:2": the states of the runs.
std::string states(const ReadRuns& read) {
    std::string out;
    for (const auto* run : in_order(read.records))
        out += (out.empty() ? "" : " ") + run->first.pod_uid.str() + ':' +
               std::to_string(static_cast<int>(run->second.state));
    return out;
}

std::string three_lines() {
    return format_message(record_of("a", RunState::kIntended)) + format_message(record_of("b", RunState::kRunning)) +
           format_message(record_of("a", RunState::kRunning));
}

TEST(RunLines, AreReadAsTheyWereWritten) {
    const ReadRuns read = read_run_lines(seal_lines(three_lines()));
    EXPECT_EQ(states(read), "a:1 b:1");
    EXPECT_EQ(read.records.at({"b", "c", 0}), record_of("b", RunState::kRunning));
    EXPECT_EQ(read.damaged_lines, 0u);
}

TEST(RunLines, ForgottenPodsAreLeftOut) {
    ForgetRequest forgotten;
    forgotten.pod_uid = "a";
    EXPECT_EQ(states(read_run_lines(seal_lines(three_lines() + format_message(forgotten)))), "b:1");
}

TEST(RunLines, OfALastLineThatIsCutNothingIsSaid) {
    const std::string text = seal_lines(three_lines());
    const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
    for (std::size_t size = last; size < text.size(); ++size) {
        const ReadRuns read = read_run_lines(text.substr(0, size));
        EXPECT_EQ(states(read), "a:0 b:1") << size;
        EXPECT_EQ(read.damaged_lines, 0u) << size;
        EXPECT_EQ(read.whole_bytes, last) << size;
    }
}

TEST(RunLines, AnyOtherChangeIsNoticed) {
    const std::string text = seal_lines(three_lines());
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        for (const char change : {'\x01', '\x10', '\x40'}) {
            std::string damaged = text;
            damaged[at] = static_cast<char>(damaged[at] ^ change);
            const ReadRuns read = read_run_lines(damaged);
            EXPECT_GE(read.damaged_lines, 1u) << "byte " << at;
            EXPECT_LE(read.records.size(), 2u);
        }
    }
    EXPECT_EQ(read_run_lines("nonsense\n").damaged_lines, 1u);
}

TEST(RunLines, ACopyTellsWhatIsMissing) {
    const RunKey key = record_of("a", RunState::kIntended).key;
    const struct {
        const char* sentence;
        std::optional<RunState> here;
        RunState there;
        std::size_t added;
        RunState expected;
    } cases[] = {
        {"a run of which nothing is known", {}, RunState::kEnded, 1, RunState::kEnded},
        {"how a run ended", RunState::kIntended, RunState::kEnded, 1, RunState::kEnded},
        {"that a run began", RunState::kIntended, RunState::kRunning, 1, RunState::kRunning},
        {"an older state changes nothing", RunState::kEnded, RunState::kRunning, 0, RunState::kEnded},
        {"nor does the same", RunState::kLost, RunState::kEnded, 0, RunState::kLost},
    };
    for (const auto& one : cases) {
        RunMap<RunRecord> records;
        if (one.here) records[key] = record_of("a", *one.here);
        EXPECT_EQ(add_missing_runs(records, {{key, record_of("a", one.there)}}), one.added) << one.sentence;
        EXPECT_EQ(records.at(key).state, one.expected) << one.sentence;
    }
}

TEST(RunLines, FilesOfEarlierVersionsAreReadAsTheyAre) {
    const ReadRuns whole = read_run_lines(three_lines());
    EXPECT_EQ(states(whole), "a:1 b:1");
    EXPECT_EQ(whole.damaged_lines, 0u);
    const std::string cut = format_message(record_of("a", RunState::kIntended)).substr(0, 12) + '\n';
    const ReadRuns read = read_run_lines(cut + three_lines() + "rec");
    EXPECT_EQ(states(read), "a:1 b:1") << "a full disk cut a line";
    EXPECT_EQ(read.damaged_lines, 0u);
}

TEST(RunLines, TheFileSaysSinceWhenItIsComplete) {
    EXPECT_FALSE(read_run_lines(seal_lines("forget\tu\n")).complete_since);
    const Instant at = Instant::from_unix_seconds(1'700'000'000);
    EXPECT_EQ(read_run_lines(seal_lines(format_message(CompleteSince{at}))).complete_since, at);
}

TEST(RunLines, WhichRunsMayHaveHappenedBeforeTheRecordWasDamaged) {
    const Instant damaged = Instant::from_unix_seconds(1'000);
    const RunKey key{"u", "c", 1};
    struct Case {
        const char* what;
        RunKey known;
        RunState state;
        std::int64_t ended;
        bool expected;
    };
    const Case cases[] = {
        {"nothing is known of the pod", {"v", "c", 0}, RunState::kEnded, 1'001, true},
        {"nothing is known of the container", {"u", "d", 0}, RunState::kEnded, 1'001, true},
        {"the attempt before ended before the damage", {"u", "c", 0}, RunState::kEnded, 999, true},
        {"the attempt before was lost with the damage", {"u", "c", 0}, RunState::kLost, 999, true},
        {"the attempt before ended since", {"u", "c", 0}, RunState::kEnded, 1'001, false},
        {"the attempt before was told as lost since", {"u", "c", 0}, RunState::kLost, 1'000, false},
        {"the attempt before runs", {"u", "c", 0}, RunState::kRunning, 0, false},
    };
    for (const Case& each : cases) {
        RunRecord record;
        record.key = each.known;
        record.state = each.state;
        record.ended_at = Instant::from_unix_seconds(each.ended);
        EXPECT_EQ(may_have_run({{record.key, record}}, key, damaged), each.expected) << each.what;
    }
}

}  // namespace run_lines_test
}  // namespace muster::node
