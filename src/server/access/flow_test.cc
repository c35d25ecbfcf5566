#include "server/access/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/prng.h"

namespace muster::server {
namespace flow_test {

using testing::ElementsAre;
using testing::IsEmpty;

struct FlowTest : testing::Test {
    FlowControl flow{
        {.reads_max = 4, .writes_max = 4, .share_max = 0.75, .queue_max = 3, .waiting_max = 8, .wait_max = 10s}};
    FlowDecision read(const char* who, Duration at = 0s) { return flow.arrive(who, FlowKind::kRead, at); }
};

TEST_F(FlowTest, OneFlowNeverTakesTheLastSeats) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(read("flood").answer, FlowAnswer::kStart);
    EXPECT_EQ(read("flood").answer, FlowAnswer::kWait);
    EXPECT_EQ(read("light").answer, FlowAnswer::kStart);
    EXPECT_EQ(read("other").answer, FlowAnswer::kWait);
    EXPECT_EQ(flow.under_way(FlowKind::kRead), 4u);
    EXPECT_EQ(flow.waiting(FlowKind::kRead), 2u);
}

TEST(CrowdedFlow, HasFewSeatsWhileOthersAreAboutAndAllOfItsShareWhenAlone) {
    FlowControl flow({.reads_max = 40, .share_max = 0.75, .crowded_max = 2});
    const auto started = [&](Duration at) {
        int count = 0;
        std::vector<FlowTicket> tickets;
        for (int i = 0; i < 20; ++i) {
            const FlowDecision decision = flow.arrive("flood", FlowKind::kRead, at);
            count += decision.answer == FlowAnswer::kStart;
            tickets.push_back(decision.ticket);
        }
        for (const FlowTicket ticket : tickets) flow.cancel(ticket);
        return count;
    };
    EXPECT_EQ(started(0s), 20);
    EXPECT_EQ(flow.arrive("light", FlowKind::kRead, 0s).answer, FlowAnswer::kStart);
    EXPECT_EQ(started(0s), 2);
    EXPECT_EQ(started(1s), 2) << "another flow sent a request a second ago";
    EXPECT_EQ(started(5s), 20) << "and is no more";
}

TEST_F(FlowTest, WritesAndReadsDoNotStandInEachOthersWay) {
    for (int i = 0; i < 6; ++i) read("flood");
    EXPECT_EQ(flow.arrive("flood", FlowKind::kWrite, 0s).answer, FlowAnswer::kStart);
}

TEST_F(FlowTest, AFreeSeatGoesToWhoHasTheFewest) {
    std::vector<FlowTicket> running;
    for (int i = 0; i < 3; ++i) running.push_back(read("flood").ticket);
    const FlowTicket more = read("flood").ticket;
    read("second");
    const FlowTicket late = read("light").ticket;
    EXPECT_THAT(flow.finish(running[0]), ElementsAre(late));
    EXPECT_THAT(flow.finish(running[1]), ElementsAre(more));
}

TEST_F(FlowTest, EqualsTakeTurns) {
    const FlowTicket a = read("a").ticket, b = read("b").ticket, c = read("c").ticket, d = read("d").ticket;
    const FlowTicket a2 = read("a").ticket, a3 = read("a").ticket, b2 = read("b").ticket;
    EXPECT_THAT(flow.finish(c), ElementsAre(a2));
    EXPECT_THAT(flow.finish(d), ElementsAre(b2));
    EXPECT_THAT(flow.finish(a), ElementsAre(a3));
    EXPECT_THAT(flow.finish(b), IsEmpty());
}

TEST_F(FlowTest, AFullQueueRefusesItsOwnOnly) {
    for (int i = 0; i < 6; ++i) EXPECT_NE(read("flood").answer, FlowAnswer::kRefuse);
    const FlowDecision refused = read("flood");
    EXPECT_EQ(refused.answer, FlowAnswer::kRefuse);
    EXPECT_GE(refused.retry_after_seconds, 1);
    EXPECT_EQ(read("light").answer, FlowAnswer::kStart);
    EXPECT_EQ(read("light").answer, FlowAnswer::kWait);
}

TEST_F(FlowTest, AllQueuesTogetherHaveALimit) {
    for (const char* who : {"a", "b", "c", "d"}) read(who);
    for (int i = 0; i < 2; ++i)
        for (const char* who : {"a", "b", "c", "d"}) EXPECT_EQ(read(who).answer, FlowAnswer::kWait);
    EXPECT_EQ(read("e").answer, FlowAnswer::kRefuse);
    EXPECT_EQ(flow.flows(), 4u);
}

TEST_F(FlowTest, WhoHasWaitedTooLongIsRefused) {
    std::vector<FlowTicket> running;
    for (int i = 0; i < 3; ++i) running.push_back(read("a", 0s).ticket);
    const FlowTicket first = read("a", 1s).ticket;
    const FlowTicket second = read("a", 5s).ticket;
    EXPECT_THAT(flow.expire(10s), IsEmpty());
    EXPECT_THAT(flow.expire(11s), ElementsAre(first));
    EXPECT_THAT(flow.finish(running[0]), ElementsAre(second));
    EXPECT_THAT(flow.expire(100s), IsEmpty());
}

TEST_F(FlowTest, WhoGoesAwayLeavesNothingBehind) {
    const FlowTicket running = read("a").ticket;
    for (int i = 0; i < 2; ++i) read("a");
    const FlowTicket waiting = read("a").ticket;
    EXPECT_THAT(flow.cancel(waiting), IsEmpty());
    EXPECT_EQ(flow.waiting(FlowKind::kRead), 0u);
    EXPECT_THAT(flow.cancel(running), IsEmpty());
    EXPECT_EQ(flow.under_way(FlowKind::kRead), 2u);
}

// A machine that serves one request per millisecond and seat. A light client sends one request every 20 ms; a flood
// sends as fast as it can. What the light client waits must hardly change.
struct Machine {
    FlowControl flow{{.reads_max = 8, .queue_max = 64}};
    std::multimap<Duration, FlowTicket> ends{};
    std::map<FlowTicket, Duration> light{};  // when they came
    std::vector<Duration> took{};
    std::size_t refused = 0;

    void start(FlowTicket ticket, Duration now) { ends.emplace(now + 1ms, ticket); }
    void arrive(bool is_light, const char* who, Duration now) {
        const FlowDecision decision = flow.arrive(who, FlowKind::kRead, now);
        if (decision.answer == FlowAnswer::kRefuse) ++refused;
        if (is_light && decision.answer != FlowAnswer::kRefuse) light[decision.ticket] = now;
        if (decision.answer == FlowAnswer::kStart) start(decision.ticket, now);
    }
    void run_until(Duration now) {
        while (!ends.empty() && ends.begin()->first <= now) {
            const auto [at, ticket] = *ends.begin();
            ends.erase(ends.begin());
            if (const auto found = light.find(ticket); found != light.end()) took.push_back(at - found->second);
            for (const FlowTicket next : flow.finish(ticket)) start(next, at);
        }
    }
    Duration p99() {
        std::sort(took.begin(), took.end());
        return took[took.size() * 99 / 100];
    }
};

TEST(FlowFairness, ALightClientHardlyNoticesAFlood) {
    const auto play = [](int floods) {
        Machine machine;
        for (Duration now = 0ns; now < 4s; now += 100us) {
            machine.run_until(now);
            for (int i = 0; i < floods; ++i)
                for (int n = 0; n < 3; ++n) machine.arrive(false, i == 0 ? "flood-0" : "flood-1", now);
            if (now % 20ms == 0ns) machine.arrive(true, "light", now);
        }
        machine.run_until(1h);
        EXPECT_EQ(machine.took.size(), 200u);
        EXPECT_EQ(machine.refused > 0, floods > 0);
        EXPECT_EQ(machine.flow.flows(), 0u);
        return machine.p99();
    };
    const Duration quiet = play(0);
    EXPECT_LE(play(1), 3 * quiet);
    EXPECT_LE(play(2), 3 * quiet);
}

TEST(FlowProperty, SeatsAndQueuesAddUpWhateverHappens) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Prng random(seed);
        FlowControl flow({.reads_max = 5, .writes_max = 3, .queue_max = 4, .waiting_max = 10, .wait_max = 50ms});
        std::vector<FlowTicket> running, waiting;
        const auto move_over = [&](const std::vector<FlowTicket>& started) {
            for (const FlowTicket ticket : started) {
                ASSERT_EQ(std::erase(waiting, ticket), 1u);
                running.push_back(ticket);
            }
        };
        const auto take = [&](std::vector<FlowTicket>& from) {
            const std::size_t at = random.below(from.size());
            const FlowTicket ticket = from[at];
            from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
            return ticket;
        };
        for (int step = 0; step < 2000; ++step) {
            const Duration now = step * 1ms;
            const std::string who = "user" + std::to_string(random.below(6));
            const auto roll = random.below(10);
            if (roll < 5) {
                const FlowDecision decision =
                    flow.arrive(who, random.below(2) ? FlowKind::kRead : FlowKind::kWrite, now);
                if (decision.answer == FlowAnswer::kStart) running.push_back(decision.ticket);
                if (decision.answer == FlowAnswer::kWait) waiting.push_back(decision.ticket);
            } else if (roll < 8 && !running.empty()) {
                move_over(flow.finish(take(running)));
            } else if (roll == 8 && !waiting.empty()) {
                move_over(flow.cancel(take(waiting)));
            } else {
                for (const FlowTicket ticket : flow.expire(now)) ASSERT_EQ(std::erase(waiting, ticket), 1u);
            }
            ASSERT_EQ(flow.under_way(FlowKind::kRead) + flow.under_way(FlowKind::kWrite), running.size());
            ASSERT_EQ(flow.waiting(FlowKind::kRead) + flow.waiting(FlowKind::kWrite), waiting.size());
            ASSERT_LE(flow.under_way(FlowKind::kRead), 5u);
            ASSERT_LE(flow.under_way(FlowKind::kWrite), 3u);
        }
        while (!running.empty()) move_over(flow.finish(take(running)));
        EXPECT_THAT(waiting, IsEmpty());
        EXPECT_EQ(flow.flows(), 0u);
    }
}

}  // namespace flow_test
}  // namespace muster::server
