#include "os/loop/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace muster::os {
namespace signals_test {

TEST(Signals, ArriveOnTheLoopInsteadOfEndingTheProcess) {
    RealLoop loop;
    std::vector<int> arrived;
    Signals signals(loop, {SIGTERM, SIGINT}, [&](int signal) {
        arrived.push_back(signal);
        if (arrived.size() == 2) loop.stop();
    });
    ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
    loop.post([] { ASSERT_EQ(::kill(::getpid(), SIGINT), 0); });
    loop.run();
    std::sort(arrived.begin(), arrived.end());
    EXPECT_EQ(arrived, (std::vector<int>{SIGINT, SIGTERM}));
}

TEST(Signals, AreTheProcesssAgainAfterwards) {
    {
        RealLoop loop;
        Signals signals(loop, {SIGTERM}, [](int) {});
    }
    sigset_t blocked;
    ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &blocked), 0);
    EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
}

}  // namespace signals_test
}  // namespace muster::os
