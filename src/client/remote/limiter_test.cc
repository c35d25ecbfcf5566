#include "client/remote/limiter.h"

#include <gtest/gtest.h>

#include <optional>

#include "os/testing/virtual_loop.h"

namespace muster::client {
namespace limiter_test {

TEST(Limiter, TheLastPlacesAreKeptForTheHigherClasses) {
    const struct {
        const char* sentence;
        std::size_t limit;
        RequestClass class_;
        std::size_t places;
    } cases[] = {
        {"a lease may take them all", 64, RequestClass::kLease, 64},
        {"a status nearly all", 64, RequestClass::kStatus, 61},
        {"creations leave a few", 64, RequestClass::kCreates, 52},
        {"events leave a quarter", 64, RequestClass::kEvents, 48},
        {"one place is for all", 1, RequestClass::kEvents, 1},
    };
    for (const auto& each : cases) EXPECT_EQ(places_for(each.limit, each.class_), each.places) << each.sentence;
}

struct LimiterTest : testing::Test {
    // A request that ends when it is told to.
    struct Request {
        explicit Request(os::Loop& loop) : end(loop) {}
        bool runs = false;
        bool ended = false;
        os::Event end;
    };
    static os::Task<void> run(Limiter& limiter, RequestTurn turn, Request& request, std::string& order, char name) {
        const Limiter::Place place = co_await limiter.enter(std::move(turn));
        order += name;
        request.runs = true;
        while (!request.ended) co_await request.end.wait();
    }
    Request& start(RequestClass class_, char name, const char* flow = "") {
        requests.push_back(std::make_unique<Request>(loop));
        scopes.push_back(std::make_unique<os::TaskScope>(loop));
        scopes.back()->spawn(run(limiter, RequestTurn(class_, flow), *requests.back(), order, name));
        loop.run_until_idle();
        return *requests.back();
    }
    void end(Request& request) {
        request.ended = true;
        request.end.notify();
        loop.run_until_idle();
    }
    os::VirtualLoop loop;
    Limiter limiter{loop, 2};
    std::string order;
    std::vector<std::unique_ptr<Request>> requests;
    std::vector<std::unique_ptr<os::TaskScope>> scopes;
};

TEST_F(LimiterTest, AFreePlaceGoesToTheHighestClassThatWaitsAndThenToWhoCameFirst) {
    Request& first = start(RequestClass::kCreates, '1');
    Request& second = start(RequestClass::kCreates, '2');
    Request& event = start(RequestClass::kEvents, 'e');
    start(RequestClass::kCreates, '3');
    start(RequestClass::kCreates, '4');
    start(RequestClass::kLease, 'l');
    EXPECT_EQ(order, "12");
    EXPECT_FALSE(event.runs);
    end(first);
    EXPECT_EQ(order, "12l");
    end(second);
    EXPECT_EQ(order, "12l3");
    EXPECT_EQ(limiter.in_use(), 2u);
}

TEST_F(LimiterTest, ARequestThatIsDroppedLeavesTheLineAndGivesItsPlaceBack) {
    start(RequestClass::kCreates, '1');
    start(RequestClass::kCreates, '2');
    start(RequestClass::kCreates, '3');
    start(RequestClass::kCreates, '4');
    scopes[2].reset();
    scopes[0].reset();
    loop.run_until_idle();
    EXPECT_EQ(order, "124");
    for (auto& scope : scopes) scope.reset();
    EXPECT_EQ(limiter.in_use(), 0u);
}

TEST_F(LimiterTest, TheRequestsOfASmallJobDoNotWaitForThoseOfALargeOne) {
    Request& first = start(RequestClass::kCreates, '1', "large");
    Request& second = start(RequestClass::kCreates, '2', "large");
    for (int i = 0; i < 1000; ++i) start(RequestClass::kCreates, 'l', "large");
    start(RequestClass::kCreates, 's', "small");
    start(RequestClass::kStatus, 'S', "large");
    end(first);
    EXPECT_EQ(order, "12S") << "the class counts before the flow";
    end(second);
    end(*requests.back());
    EXPECT_EQ(order, "12Sls");
    for (auto& scope : scopes) scope.reset();
    EXPECT_EQ(limiter.in_use(), 0u);
}

TEST_F(LimiterTest, CreationsDoNotWaitForTheFinalizersOfALargeJob) {
    Request& first = start(RequestClass::kFinalizers, '1', "large");
    Request& second = start(RequestClass::kFinalizers, '2', "large");
    for (int i = 0; i < 500; ++i) start(RequestClass::kFinalizers, 'f', "large");
    start(RequestClass::kCreates, 'c', "large");
    Request& small = start(RequestClass::kCreates, 's', "small");
    start(RequestClass::kRemovals, 'r', "small");
    end(first);
    end(second);
    EXPECT_EQ(order, "12fc");
    end(*requests[2]);
    end(*requests[502]);
    EXPECT_EQ(order, "12fcsr");
    EXPECT_TRUE(small.runs);
    for (auto& scope : scopes) scope.reset();
    EXPECT_EQ(limiter.in_use(), 0u);
}

struct LimiterRateTest : LimiterTest {
    ~LimiterRateTest() override { scopes.clear(); }  // requests that still wait leave the limiter before it goes
    static os::Task<void> pass(Limiter& limiter, RequestTurn turn, std::string& order, char name) {
        const Limiter::Place place = co_await limiter.enter(std::move(turn));
        order += name;
    }
    void ask(RequestClass class_, char name) {
        scopes.push_back(std::make_unique<os::TaskScope>(loop));
        scopes.back()->spawn(pass(slow, RequestTurn(class_), order, name));
    }
    // Without letting time pass.
    std::string passed() {
        loop.run_for(0s);
        return order;
    }
    Limiter slow{loop, 64, {.qps = 2, .burst = 3}};
};

TEST_F(LimiterRateTest, RequestsBeyondTheRateWaitInTheOrderOfTheirClasses) {
    for (int i = 0; i < 5; ++i) ask(RequestClass::kCreates, 'c');
    EXPECT_EQ(passed(), "ccc");
    ask(RequestClass::kStatus, 's');
    ask(RequestClass::kLease, 'l');
    EXPECT_EQ(passed(), "cccl") << "a lease needs no token";
    loop.run_for(499ms);
    EXPECT_EQ(order, "cccl");
    loop.run_for(1ms);
    EXPECT_EQ(passed(), "cccls");
    loop.run_for(500ms);
    EXPECT_EQ(passed(), "ccclsc");
    loop.run_for(500ms);
    EXPECT_EQ(passed(), "ccclscc");
    EXPECT_EQ(slow.in_use(), 0u);
}

TEST_F(LimiterRateTest, ARequestThatIsDroppedLeavesItsTokenToTheNext) {
    for (int i = 0; i < 3; ++i) ask(RequestClass::kCreates, 'c');
    ask(RequestClass::kCreates, 'd');
    ask(RequestClass::kCreates, 'n');
    EXPECT_EQ(passed(), "ccc");
    scopes[3].reset();
    loop.run_for(500ms);
    EXPECT_EQ(passed(), "cccn");
}

TEST(LimiterPace, IsHalvedWhenTheServerHasTooMuchToDoAndGrowsByOneEachSecond) {
    os::VirtualLoop loop;
    Limiter limiter(loop, 64);
    limiter.slow_down();
    limiter.slow_down();
    EXPECT_EQ(limiter.limit(), 32u) << "refusals of the same moment count once";
    loop.run_for(3s);
    EXPECT_EQ(limiter.limit(), 35u);
    limiter.slow_down();
    EXPECT_EQ(limiter.limit(), 17u);
    loop.run_for(100s);
    EXPECT_EQ(limiter.limit(), 64u);
}

}  // namespace limiter_test
}  // namespace muster::client
