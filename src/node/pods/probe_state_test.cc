#include "node/pods/probe_state.h"

#include <gtest/gtest.h>

namespace muster::node {
namespace probe_state_test {

using api::core::Probe;

struct AnswersCase {
    const char* sentence;
    ProbeKind kind;
    int successes;
    int failures;
    std::string answers;   // of the probe: + - ?
    std::string verdicts;  // after each: p passed, f failed, . pending
    bool settled;
};

class Answers : public testing::TestWithParam<AnswersCase> {};

TEST_P(Answers, MakeVerdicts) {
    const AnswersCase& given = GetParam();
    Probe probe;
    probe.success_threshold = given.successes;
    probe.failure_threshold = given.failures;
    ProbeState state = first_probe_state(given.kind);
    std::string verdicts;
    for (const char c : given.answers) {
        const ProbeAnswer answer = c == '+'   ? ProbeAnswer::kSuccess
                                   : c == '-' ? ProbeAnswer::kFailure
                                              : ProbeAnswer::kUnknown;
        state = next_probe_state(probe, state, answer);
        verdicts += state.verdict == ProbeVerdict::kPassed ? 'p' : state.verdict == ProbeVerdict::kFailed ? 'f' : '.';
    }
    EXPECT_EQ(verdicts, given.verdicts) << given.sentence;
    EXPECT_EQ(is_settled(given.kind, state), given.settled) << given.sentence;
}

INSTANTIATE_TEST_SUITE_P(
    Table, Answers,
    testing::Values(
        AnswersCase{"a startup probe passes at its first success", ProbeKind::kStartup, 1, 3, "--+", "..p", true},
        AnswersCase{"a startup probe fails after so many failures", ProbeKind::kStartup, 1, 3, "---", "..f", true},
        AnswersCase{"a container is alive until it has failed often enough", ProbeKind::kLiveness, 1, 2, "-+-+--",
                    "pppppf", true},
        AnswersCase{"a probe that could not be run does not count", ProbeKind::kLiveness, 1, 2, "-?-", "ppf", true},
        AnswersCase{"a container that is well is asked again", ProbeKind::kLiveness, 1, 1, "++", "pp", false},
        AnswersCase{"a container is not ready before it says so", ProbeKind::kReadiness, 2, 3, "+-++", "fffp", false},
        AnswersCase{"one that is ready stays so for some failures", ProbeKind::kReadiness, 1, 3, "+--+---+", "ppppppfp",
                    false},
        AnswersCase{"thresholds that are not set are the defaults", ProbeKind::kReadiness, 0, 0, "+--+---", "ppppppf",
                    false}));

TEST(ProbeTimes, TheFirstComesAfterTheDelayAndTheOthersAPeriodApart) {
    const Instant started = Instant::from_unix_seconds(100);
    Probe probe;
    probe.initial_delay_seconds = 5;
    probe.period_seconds = 3;
    EXPECT_EQ(next_probe_at(probe, started, {}, started), started + 5s);
    EXPECT_EQ(next_probe_at(probe, started, {}, started + 9s), started + 9s) << "held back by a startup probe";
    EXPECT_EQ(next_probe_at(probe, started, started + 5s, started + 6s), started + 8s);
    EXPECT_EQ(next_probe_at(probe, started, started + 5s, started + 20s), started + 20s) << "asking took long";
    probe.period_seconds = 0;
    EXPECT_EQ(next_probe_at(probe, started, started, started), started + 10s);
}

}  // namespace probe_state_test
}  // namespace muster::node
