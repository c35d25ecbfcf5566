#include "endpoints/pulse.h"

#include <gtest/gtest.h>

#include "os/testing/virtual_loop.h"

namespace muster::endpoints {
namespace pulse_test {

TEST(Pulse, ALoopThatTurnsIsAliveHoweverLongItHasNothingToDo) {
    os::VirtualLoop loop;
    const Pulse pulse(loop);
    EXPECT_TRUE(pulse.check().ok());
    loop.run_for(1h);
    EXPECT_TRUE(pulse.check().ok());
    EXPECT_LE(pulse.silence(), Pulse::kEvery);
}

// A loop whose time goes on while it does not turn.
struct HangingLoop final : os::Loop {
    Instant now() const override { return Instant() + time; }
    Duration uptime() const override { return time; }
    void post(os::Work) override {}
    os::TimerId after(Duration, os::Work) override { return 1; }
    void cancel(os::TimerId) override {}
    Duration time{};
};

TEST(Pulse, ALoopThatHangsIsNoticedAfterTenSeconds) {
    HangingLoop loop;
    const Pulse pulse(loop);
    loop.time = 10s;
    EXPECT_TRUE(pulse.check().ok());
    loop.time = 11s;
    EXPECT_EQ(pulse.check().error().message, "the loop has not turned for 11 seconds");
}

}  // namespace pulse_test
}  // namespace muster::endpoints
