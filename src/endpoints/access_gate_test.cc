#include "endpoints/access_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/testing/log_capture.h"
#include "os/testing/virtual_loop.h"

namespace muster::endpoints {
namespace access_gate_test {

using testing::ElementsAre;
using testing::IsEmpty;

// An API server that knows the tokens "prometheus" and "guest"; the first may read.
struct World {
    World() = default;

    std::optional<Refusal> ask(std::string authorization, std::string path = "/metrics") {
        return loop.run(gate.admit(std::move(authorization), std::move(path)));
    }
    os::Task<Result<UserRef>> find_user(std::string token) {
        asked.push_back("token");
        co_await os::sleep_for(loop, 10ms);
        if (down) co_return Error{Code::kUnavailable, "no answer"};
        if (token != "prometheus" && token != "guest") co_return UserRef();
        auto user = std::make_shared<api::authentication::UserInfo>();
        user->username = Text(token);
        co_return UserRef(user);
    }
    os::Task<Result<bool>> may_get(UserRef user, std::string path) {
        asked.push_back("access " + user->username.str() + " " + path);
        co_await os::sleep_for(loop, 10ms);
        if (down) co_return Error{Code::kUnavailable, "no answer"};
        co_return readers_allowed && user->username == "prometheus";
    }
    std::vector<std::string> take_asked() { return std::exchange(asked, {}); }

    os::VirtualLoop loop;
    bool down = false;
    bool readers_allowed = true;
    std::vector<std::string> asked;
    AccessGate gate{loop,
                    {[this](std::string token) { return find_user(std::move(token)); },
                     [this](UserRef user, std::string path) { return may_get(std::move(user), std::move(path)); }}};
};

TEST(AccessGate, OnlyAUserWhoMayGetThePathIsAdmitted) {
    const struct {
        const char* sentence;
        const char* authorization;
        std::optional<Refusal> answer;
    } cases[] = {
        {"a reader is admitted", "Bearer prometheus", {}},
        {"the scheme may be in any case", "bEARER  prometheus", {}},
        {"no header", "", Refusal{401, "Unauthorized\n"}},
        {"no token", "Bearer ", Refusal{401, "Unauthorized\n"}},
        {"another scheme", "Basic cHJvbWV0aGV1cw==", Refusal{401, "Unauthorized\n"}},
        {"a token that is worth nothing", "Bearer stolen", Refusal{401, "Unauthorized\n"}},
        {"a user without the right", "Bearer guest", Refusal{403, "Authorization denied for user guest\n"}},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.sentence);
        World world;
        EXPECT_EQ(world.ask(one.authorization), one.answer);
    }
}

TEST(AccessGate, AnswersAreRememberedForAWhile) {
    World world;
    EXPECT_FALSE(world.ask("Bearer prometheus"));
    EXPECT_THAT(world.take_asked(), ElementsAre("token", "access prometheus /metrics"));
    world.loop.run_for(59s);
    EXPECT_FALSE(world.ask("Bearer prometheus"));
    EXPECT_THAT(world.take_asked(), IsEmpty());
    world.loop.run_for(2s);
    EXPECT_FALSE(world.ask("Bearer prometheus"));
    EXPECT_THAT(world.take_asked(), ElementsAre("token")) << "a minute for the user";
    world.readers_allowed = false;
    world.loop.run_for(3min);
    EXPECT_FALSE(world.ask("Bearer prometheus"));
    EXPECT_THAT(world.take_asked(), ElementsAre("token"));
    world.loop.run_for(1min);
    EXPECT_EQ(world.ask("Bearer prometheus")->status, 403) << "five minutes for the right";
    EXPECT_THAT(world.take_asked(), ElementsAre("token", "access prometheus /metrics"));
    world.readers_allowed = true;
    world.loop.run_for(29s);
    EXPECT_EQ(world.ask("Bearer prometheus")->status, 403);
    world.loop.run_for(2s);
    EXPECT_FALSE(world.ask("Bearer prometheus")) << "half a minute for a refusal";
}

TEST(AccessGate, EachPathIsARightOfItsOwn) {
    World world;
    EXPECT_FALSE(world.ask("Bearer prometheus", "/metrics"));
    EXPECT_FALSE(world.ask("Bearer prometheus", "/debug/queues"));
    EXPECT_THAT(world.asked, ElementsAre("token", "access prometheus /metrics", "access prometheus /debug/queues"));
}

TEST(AccessGate, AServerThatDoesNotAnswerIsNoAnswerAndIsAskedAgain) {
    World world;
    os::LogCapture log(0);
    world.down = true;
    EXPECT_EQ(world.ask("Bearer prometheus")->status, 500);
    EXPECT_EQ(world.ask("Bearer prometheus")->status, 500);
    EXPECT_THAT(world.take_asked(), ElementsAre("token", "token"));
    EXPECT_TRUE(log.has("Cannot review a token"));
    world.down = false;
    EXPECT_FALSE(world.ask("Bearer prometheus"));
}

TEST(AccessGate, ManyWhoAskTheSameShareOneQuestion) {
    World world;
    int admitted = 0;
    const auto ask = [](World& in, int& count) -> os::Task<void> {
        const std::optional<Refusal> refusal = co_await in.gate.admit("Bearer prometheus", "/metrics");
        count += refusal ? 0 : 1;
    };
    for (int i = 0; i < 50; ++i) os::spawn(world.loop, ask(world, admitted));
    world.loop.run_for(1s);
    EXPECT_EQ(admitted, 50);
    EXPECT_THAT(world.asked, ElementsAre("token", "access prometheus /metrics"));
}

TEST(AccessGate, NoTokenIsEverLogged) {
    World world;
    const os::LogCapture log(10);
    world.ask("Bearer prometheus");
    world.ask("Bearer stolen-secret");
    world.down = true;
    world.ask("Bearer another-secret");
    EXPECT_FALSE(log.has("secret"));
}

TEST(AccessGate, WhatIsRememberedIsBounded) {
    World world;
    for (std::size_t i = 0; i < AccessGate::kKeptMax + 100; ++i) world.ask("Bearer no-" + std::to_string(i));
    world.take_asked();
    world.ask("Bearer prometheus");
    world.take_asked();
    EXPECT_FALSE(world.ask("Bearer prometheus"));
}

}  // namespace access_gate_test
}  // namespace muster::endpoints
