#include "server/rest/streams/session_set.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "os/testing/virtual_loop.h"

namespace muster::server {
namespace session_set_test {

struct Talk {
    Talk(std::vector<std::string>& to, std::string as) : told(to), name(std::move(as)) {}
    ~Talk() { told.push_back(name + " ends"); }
    void hear(std::string_view what) { told.push_back(name + " hears " + std::string(what)); }
    std::vector<std::string>& told;
    const std::string name;
};

class SessionSetTest : public testing::Test {
protected:
    using Set = SessionSet<Talk>;
    Set::Id add(std::string name) {
        const Set::Id id = set->take_id();
        set->add(id, std::make_unique<Talk>(told, std::move(name)));
        return id;
    }
    std::vector<std::string> take_told() { return std::exchange(told, {}); }

    using Told = std::vector<std::string>;
    os::VirtualLoop loop;
    Told told;
    std::unique_ptr<Set> set = std::make_unique<Set>(loop, "a talk");
};

TEST_F(SessionSetTest, OwnsSessionsUntilTheyAreForgotten) {
    const Set::Id a = add("a");
    const Set::Id b = add("b");
    EXPECT_NE(a, b);
    EXPECT_EQ(set->size(), 2u);
    EXPECT_EQ(set->oldest()->name, "a");
    set->forget(a);
    EXPECT_EQ(take_told(), Told({"a ends"}));
    EXPECT_EQ(set->oldest()->name, "b");
    set->forget(a);
    EXPECT_EQ(set->size(), 1u) << "it is forgotten once";
    set.reset();
    EXPECT_EQ(take_told(), Told({"b ends"}));
}

TEST_F(SessionSetTest, ForgetsInALaterTurnOfTheLoop) {
    const Set::Id a = add("a");
    set->forget_soon(a);
    EXPECT_EQ(set->size(), 1u);
    loop.run_until_idle();
    EXPECT_EQ(set->size(), 0u);
    EXPECT_EQ(set->oldest(), nullptr);
}

TEST_F(SessionSetTest, CallsReachTheirSessionOnTheLoopWhileItIsThere) {
    const Set::Id a = add("a");
    add("b");
    const auto greet = set->on_loop(a, [](Talk& talk) { talk.hear("hello"); });
    const auto receive = set->on_loop_with_bytes(a, [](Talk& talk, std::string_view bytes) { talk.hear(bytes); });
    greet();
    std::string bytes = "bytes";
    receive(bytes);
    bytes = "other";
    EXPECT_EQ(take_told(), Told()) << "not before the loop turns";
    loop.run_until_idle();
    EXPECT_EQ(take_told(), Told({"a hears hello", "a hears bytes"}));
    greet();
    set->forget(a);
    loop.run_until_idle();
    EXPECT_EQ(take_told(), Told({"a ends"}));
}

TEST_F(SessionSetTest, CallsMayComeBeforeTheirSessionIsThere) {
    const Set::Id a = set->take_id();
    const auto greet = set->on_loop(a, [](Talk& talk) { talk.hear("hello"); });
    greet();
    set->add(a, std::make_unique<Talk>(told, "a"));
    loop.run_until_idle();
    EXPECT_EQ(take_told(), Told({"a hears hello"}));
}

TEST_F(SessionSetTest, CallsThatComeAfterTheSetDoNothing) {
    const Set::Id a = add("a");
    const auto greet = set->on_loop(a, [](Talk& talk) { talk.hear("hello"); });
    const auto receive = set->on_loop_with_bytes(a, [](Talk& talk, std::string_view bytes) { talk.hear(bytes); });
    const auto forget = set->forgetting(a);
    const auto forget_on_loop = set->forgetting_on_loop(a);
    greet();
    set.reset();
    EXPECT_EQ(take_told(), Told({"a ends"}));
    receive("bytes");
    forget();
    forget_on_loop();
    loop.run_until_idle();
    EXPECT_EQ(take_told(), Told());
}

TEST_F(SessionSetTest, ForgettingMayComeFromAnotherThread) {
    const Set::Id a = add("a");
    const auto forget = set->forgetting_on_loop(a);
    forget();
    EXPECT_EQ(set->size(), 1u);
    loop.run_until_idle();
    EXPECT_EQ(set->size(), 0u);
}

TEST_F(SessionSetTest, AnExceptionEndsItsSessionAlone) {
    const Set::Id a = add("a");
    add("b");
    set->on_loop(a, [](Talk&) { throw std::runtime_error("no memory"); })();
    loop.run_until_idle();
    EXPECT_EQ(take_told(), Told({"a ends"}));
    EXPECT_EQ(set->size(), 1u);
}

TEST_F(SessionSetTest, RoomIsForAsManyAsTheLimitSays) {
    EXPECT_TRUE(set->check_room(1, "too many talks").ok());
    add("a");
    const Result<> refused = set->check_room(1, "too many talks");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kTooManyRequests);
    EXPECT_EQ(refused.error().message, "too many talks");
    EXPECT_EQ(refused.error().retry_after_seconds, 1);
    EXPECT_TRUE(set->check_room(2, "too many talks").ok());
}

}  // namespace session_set_test
}  // namespace muster::server
