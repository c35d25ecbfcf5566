// Every single call of a Job's whole life goes wrong once, in every way there is; and each time the numbers at the end
// are what really happened, no finalizer is left, and nothing was ever counted back.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"
#include "controllers/scenario.h"

namespace muster::worlds {
namespace fault_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStride = 5;
#else
constexpr std::size_t kStride = 1;
#endif
constexpr int kToldMax = 3;
constexpr int kSeeds = 60;

std::string list_of(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += "  " + line + "\n";
    return out;
}

class FaultTest : public testing::TestWithParam<Scenario> {
protected:
    // Gives whether all is well; tells of it otherwise.
    bool check(const FaultPlan& faults) {
        const Told told = play(GetParam(), faults);
        if (told.broken.empty()) return true;
        std::string what;
        if (faults.kind != FaultKind::kNone)
            what = std::string(name_of(faults.kind)) + " at call " + std::to_string(faults.position) + " (" +
                   told.faults.hit + ")";
        for (const auto& [position, kind] : faults.others)
            what += std::string(name_of(kind)) + " at call " + std::to_string(position) + "; ";
        ADD_FAILURE() << GetParam().name << ": " << what << "\n" << list_of(told.broken) << told.story;
        return false;
    }
};

TEST_P(FaultTest, EveryCallGoesWrongInEveryWay) {
    const Told quiet = play(GetParam(), {});
    ASSERT_TRUE(quiet.broken.empty()) << list_of(quiet.broken) << quiet.story;
    ASSERT_EQ(quiet.steps, GetParam().steps.size());
    const std::size_t calls = quiet.faults.calls;
    ASSERT_GT(calls, 10u);
    int wrong = 0;
    std::size_t offset = 0;
    for (const FaultKind kind : kAllFaults) {
        for (std::size_t position = offset++ % kStride; position < calls; position += kStride) {
            FaultPlan faults;
            faults.kind = kind;
            faults.position = position;
            if (!check(faults) && ++wrong >= kToldMax) GTEST_FAIL() << "and perhaps more";
        }
    }
    RecordProperty("calls", static_cast<int>(calls));
}

TEST_P(FaultTest, SeveralCallsGoWrong) {
    const std::size_t calls = play(GetParam(), {}).faults.calls;
    int wrong = 0;
    for (int seed = 0; seed < kSeeds; seed += kStride) {
        Prng random(1 + seed);
        FaultPlan faults;
        for (int i = 0; i < 4; ++i) {
            const auto position = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(calls)));
            faults.others[position] = kAllFaults[random.between(0, std::size(kAllFaults) - 1)];
        }
        if (!check(faults) && ++wrong >= kToldMax) GTEST_FAIL() << "and perhaps more";
    }
}

INSTANTIATE_TEST_SUITE_P(All, FaultTest, testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return scenario.param.name; });

// Events are for users only: when a request for one fails, the Job is not affected.
TEST(FaultOfEvents, DoNotAffectTheJob) {
    std::vector<Scenario> scenarios = all_scenarios();
    const auto is_it = [](const Scenario& scenario) { return scenario.name == "IndexedWithAFailure"; };
    const Scenario& scenario = *std::find_if(scenarios.begin(), scenarios.end(), is_it);
    FaultPlan faults;
    faults.count_events = true;
    const std::size_t calls = play(scenario, faults).faults.calls;
    for (const FaultKind kind : {FaultKind::kRefuse, FaultKind::kDelay, FaultKind::kDuplicate, FaultKind::kRestart}) {
        faults.kind = kind;
        for (faults.position = 0; faults.position < calls; faults.position += kStride) {
            const Told told = play(scenario, faults);
            ASSERT_TRUE(told.broken.empty()) << list_of(told.broken) << told.story;
        }
    }
}

}  // namespace fault_test
}  // namespace muster::worlds
