#include "os/machine/run_command.h"

#include <gtest/gtest.h>

namespace muster::os {
namespace run_command_test {

Result<std::string> shell(const char* script, Duration time_max = 60s) {
    return run_command({.arguments = {"sh", "-c", script}, .environment = {"WORD=mine"}, .time_max = time_max});
}

TEST(RunCommand, GivesWhatAProgramPrintsWithTheVariablesItWasGiven) {
    EXPECT_EQ(shell("printf '%s' \"$WORD\"").value(), "mine");
    EXPECT_EQ(shell("cat").value(), "") << "standard input is empty";
    EXPECT_NE(shell("printf '%s' \"$PATH\"").value(), "");
}

TEST(RunCommand, SaysHowAProgramFailed) {
    EXPECT_EQ(shell("exit 3").error().message, "sh failed with exit code 3");
    EXPECT_EQ(shell("kill -9 $$").error().message, "sh failed by signal 9");
    EXPECT_EQ(shell("exec sleep 100", 10ms).error().message, "sh did not end in time");
    const auto absent = run_command({.arguments = {"no-such-program-here"}});
    EXPECT_EQ(absent.error().code, Code::kUnavailable);
}

}  // namespace run_command_test
}  // namespace muster::os
