// Every single call of a Job's whole life goes wrong once, in every way there is; and each time the numbers at the end
// are what really happened, no finalizer is left, and nothing was ever counted back.
#include <gtest/gtest.h>

#include "controllers/scenario.h"

namespace muster::worlds {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStride = 5;
#else
constexpr std::size_t kStride = 1;
#endif
constexpr int kToldMax = 3;

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
        ADD_FAILURE() << GetParam().name << ": " << name_of(faults.kind) << " at call " << faults.position << " ("
                      << told.faults.hit << ")\n"
                      << list_of(told.broken) << told.story;
        return false;
    }
};

TEST_P(FaultTest, EveryCallGoesWrongInEveryWay) {
    const Told quiet = play(GetParam(), {});
    ASSERT_TRUE(quiet.broken.empty()) << list_of(quiet.broken) << quiet.story;
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

INSTANTIATE_TEST_SUITE_P(All, FaultTest, testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return scenario.param.name; });

}  // namespace
}  // namespace muster::worlds
