#include "os/log/logger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/testing/log_capture.h"

namespace muster::os {
namespace logger_test {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

struct Written {
    Written() = default;
    Duration uptime{};
    bool has_room = true;
    std::vector<std::string> lines;
    Logger logger{{.now = [] { return Instant(); }, .uptime = [this] { return uptime; }}, [this](std::string line) {
                      if (has_room) lines.push_back(std::move(line));
                      return has_room;
                  }};
};

void tell_often(int times) {
    for (int i = 0; i < times; ++i) LOG_WARNING("Often", {"i", i});
}

TEST(Logger, OneSiteThatLogsOftenIsHeldBackAndSaysSo) {
    Written written;
    const InstalledLog installed(written.logger, 0);
    tell_often(1000);
    EXPECT_EQ(written.lines.size(), static_cast<std::size_t>(kProblemLogRate.burst));
    LOG_WARNING("Another site has a rate of its own");
    EXPECT_EQ(written.lines.size(), static_cast<std::size_t>(kProblemLogRate.burst) + 1);
    written.uptime += 1s;
    tell_often(1000);
    EXPECT_EQ(written.lines.size(), static_cast<std::size_t>(kProblemLogRate.burst + 1 + kProblemLogRate.per_second));
    EXPECT_THAT(written.lines[101], EndsWith("\"Often\" i=0 suppressed=900\n"));
    EXPECT_THAT(written.lines[102], EndsWith("\"Often\" i=1\n"));
}

TEST(Logger, InformationHasAHigherRateThanProblems) {
    Written written;
    const InstalledLog installed(written.logger, 10);
    for (int i = 0; i < 3000; ++i) LOG_INFO(0, "Decided");
    EXPECT_EQ(written.lines.size(), 2000u);
}

TEST(Logger, ALineThatFoundNoRoomIsCountedInTheNext) {
    Written written;
    const InstalledLog installed(written.logger, 0);
    written.has_room = false;
    tell_often(3);
    written.has_room = true;
    LOG_ERROR("Now");
    LOG_ERROR("Then");
    EXPECT_THAT(written.lines, ElementsAre(EndsWith("\"Now\" lost=3\n"), EndsWith("\"Then\"\n")));
}

TEST(Logger, OnlyLinesUpToTheVerbosityAreWrittenAndOthersCostNothing) {
    int computed = 0;
    const auto compute = [&] { return ++computed; };
    LOG_INFO(0, "No log is installed", {"n", compute()});
    LOG_ERROR("No log is installed", {"n", compute()});
    EXPECT_EQ(computed, 0);
    LogCapture log(2);
    LOG_INFO(3, "Not wanted", {"n", compute()});
    EXPECT_EQ(computed, 0);
    LOG_INFO(2, "Wanted", {"n", compute()});
    LOG_WARNING("A warning");
    EXPECT_THAT(log.lines(), ElementsAre("I \"Wanted\" n=1", "W \"A warning\""));
}

TEST(Logger, TheLogBeforeIsThereAgain) {
    LogCapture outer(0);
    {
        LogCapture inner(0);
        LOG_ERROR("Inner");
        EXPECT_THAT(inner.lines(), ElementsAre(HasSubstr("Inner")));
    }
    LOG_ERROR("Outer");
    EXPECT_THAT(outer.lines(), ElementsAre(HasSubstr("Outer")));
}

}  // namespace logger_test
}  // namespace muster::os
