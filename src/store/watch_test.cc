#include "store/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/testing/fixture.h"

namespace muster::store {
namespace watch_test {

using testing::ElementsAre;

constexpr std::string_view kPods = "//pods/";

struct WatchTest : testing::Test {
    StoreFixture world;
    Store& store() { return *world.store; }
    std::unique_ptr<Watch> watch(Revision from, Visibility visibility = Visibility::kAtOnce,
                                 std::string_view prefix = kPods) {
        return store().watch(prefix, from, visibility).value();
    }
};

TEST_F(WatchTest, SeesEverythingStrictlyAfterItsRevisionOnceAndInOrder) {
    (void)store().create("//pods/n/a", note("1")).value();
    (void)store().create("/batch/jobs/n/a", note("2")).value();
    (void)store().update("//pods/n/a", note("3")).value();
    (void)store().remove("//pods/n/a").value();
    auto from_start = watch(0);
    auto from_first = watch(1);
    auto from_now = watch(4);
    EXPECT_THAT(drain(*from_start),
                ElementsAre("created //pods/n/a 1 1", "updated //pods/n/a 3 3 (1)", "deleted //pods/n/a 4 (3)"));
    EXPECT_THAT(drain(*from_first), ElementsAre("updated //pods/n/a 3 3 (1)", "deleted //pods/n/a 4 (3)"));
    EXPECT_THAT(drain(*from_now), ElementsAre());
    (void)store().create("//pods/n/a", note("5")).value();
    for (Watch* each : {from_start.get(), from_first.get(), from_now.get()})
        EXPECT_THAT(drain(*each), ElementsAre("created //pods/n/a 5 5"));
}

TEST_F(WatchTest, SeesOnlyWhatIsUnderItsPrefix) {
    auto one = watch(0, Visibility::kAtOnce, "//pods/n/");
    auto other = watch(0, Visibility::kAtOnce, "//pods/m/");
    (void)store().create("//pods/n/a", note("1")).value();
    (void)store().create("//pods/nn/a", note("2")).value();
    EXPECT_THAT(drain(*one), ElementsAre("created //pods/n/a 1 1"));
    EXPECT_THAT(drain(*other), ElementsAre());
    EXPECT_EQ(other->seen(), 2u);
}

TEST_F(WatchTest, AWatchForTheOutsideSeesOnlyWhatIsOnDisk) {
    auto inside = watch(0);
    auto outside = watch(0, Visibility::kDurable);
    (void)store().create("//pods/n/a", note("1")).value();
    world.loop.run_until_idle();
    (void)store().create("//pods/n/b", note("2")).value();
    EXPECT_EQ(drain(*inside).size(), 2u);
    EXPECT_THAT(drain(*outside), ElementsAre());
    EXPECT_EQ(inside->seen(), 2u);
    EXPECT_EQ(outside->seen(), 0u);
    ASSERT_TRUE(world.loop.run_until([&] { return store().durable_revision() == 1; }));
    EXPECT_THAT(drain(*outside), ElementsAre("created //pods/n/a 1 1"));
    EXPECT_EQ(outside->seen(), 1u);
    world.settle();
    EXPECT_THAT(drain(*outside), ElementsAre("created //pods/n/b 2 2"));
}

TEST_F(WatchTest, BookmarksMoveOnWhenOtherResourcesChange) {
    auto pods = watch(0, Visibility::kDurable);
    for (int i = 0; i < 5; ++i) (void)store().create("//nodes//" + std::to_string(i), note("x")).value();
    world.settle();
    EXPECT_THAT(drain(*pods), ElementsAre());
    EXPECT_EQ(pods->seen(), 5u);
    auto next = watch(pods->seen(), Visibility::kDurable);
    (void)store().create("//pods/n/a", note("1")).value();
    world.settle();
    EXPECT_EQ(drain(*next).size(), 1u);
}

TEST_F(WatchTest, ABookmarkInMidStreamIsTheLastEventSeen) {
    auto pods = watch(0);
    for (int i = 0; i < 3; ++i) (void)store().create("//pods/n/" + std::to_string(i), note("x")).value();
    (void)pods->next().value();
    EXPECT_EQ(pods->seen(), 1u);
    auto resumed = watch(pods->seen());
    EXPECT_EQ(drain(*resumed).size(), 2u);
}

os::Task<void> collect(Watch& watch, std::vector<std::size_t>& batches) {
    for (;;) {
        co_await watch.ready();
        const auto lines = drain(watch);
        batches.push_back(lines.size());
        if (!lines.empty() && lines.back() == name_of(Code::kCancelled)) co_return;
    }
}

TEST_F(WatchTest, OneTurnOfTheLoopWakesAWatchOnceHoweverMuchIsWritten) {
    auto pods = watch(0);
    std::vector<std::size_t> batches;
    os::spawn(world.loop, collect(*pods, batches));
    world.loop.run_until_idle();
    EXPECT_THAT(batches, ElementsAre());
    for (int i = 0; i < 100; ++i) (void)store().create("//pods/n/" + std::to_string(i), note("x")).value();
    (void)store().create("//nodes//a", note("x")).value();
    world.loop.run_until_idle();
    EXPECT_THAT(batches, ElementsAre(100u));
    (void)store().create("//nodes//b", note("x")).value();
    world.loop.run_until_idle();
    EXPECT_THAT(batches, ElementsAre(100u));
}

TEST_F(WatchTest, AWatchForTheOutsideIsWokenByTheDisk) {
    auto pods = watch(0, Visibility::kDurable);
    std::vector<std::size_t> batches;
    os::spawn(world.loop, collect(*pods, batches));
    (void)store().create("//pods/n/a", note("x")).value();
    world.loop.run_until_idle();
    EXPECT_THAT(batches, ElementsAre());
    (void)store().create("//pods/n/b", note("x")).value();
    (void)store().create("//pods/n/c", note("x")).value();
    world.settle();
    EXPECT_THAT(batches, ElementsAre(1u, 2u));
}

TEST_F(WatchTest, AWatchThatOutlivesItsStoreIsToldSo) {
    auto pods = watch(0);
    std::vector<std::size_t> batches;
    os::spawn(world.loop, collect(*pods, batches));
    world.loop.run_until_idle();
    world.crash(false);
    EXPECT_EQ(pods->next().error().code, Code::kCancelled);
    world.loop.run_until_idle();
    EXPECT_THAT(batches, ElementsAre(1u));
}

TEST_F(WatchTest, AWatchMayGoWhileItsOwnerWaits) {
    auto pods = watch(0);
    std::vector<std::size_t> batches;
    {
        os::TaskScope scope(world.loop);
        scope.spawn(collect(*pods, batches));
        world.loop.run_until_idle();
    }
    pods.reset();
    (void)store().create("//pods/n/a", note("x")).value();
    world.loop.run_until_idle();
    EXPECT_THAT(batches, ElementsAre());
}

struct Bound {
    const char* sentence;
    StoreOptions options;
};

class BoundedHistory : public testing::TestWithParam<Bound> {};

TEST_P(BoundedHistory, CutsASlowWatchAndKeepsAQuickOne) {
    StoreFixture world(GetParam().options);
    Store& store = *world.store;
    (void)store.create("//nodes//a", note("x")).value();
    auto slow = store.watch(kPods, 0, Visibility::kAtOnce).value();
    auto quick = store.watch(kPods, 0, Visibility::kAtOnce).value();
    auto quiet = store.watch("//nodes/", 1, Visibility::kAtOnce).value();
    std::size_t seen = 0;
    (void)store.create("//pods/n/a", note("0")).value();
    for (int i = 1; i < 1000; ++i) {
        (void)store.update("//pods/n/a", note(std::to_string(i))).value();
        seen += drain(*quick).size();
        if (i % 10 == 0) world.loop.run_for(1s);
    }
    EXPECT_EQ(seen, 1000u);
    EXPECT_THAT(drain(*slow), ElementsAre("expired"));
    EXPECT_THAT(drain(*slow), ElementsAre("expired"));
    EXPECT_THAT(drain(*quiet), ElementsAre());
    EXPECT_EQ(store.list(kPods, {.at = 10}).error().code, Code::kExpired);
    EXPECT_EQ(store.watch(kPods, 10, Visibility::kAtOnce).error().code, Code::kExpired);
    EXPECT_LT(store.stats().history_events, 400u);
    EXPECT_EQ(store.stats().objects, 2u);
    (void)store.create("//nodes//b", note("x")).value();
    EXPECT_EQ(drain(*quiet).size(), 1u);
}

TEST_P(BoundedHistory, ForgetsRemovedKeysWithTheirLastEvent) {
    StoreFixture world(GetParam().options);
    Store& store = *world.store;
    for (int i = 0; i < 1000; ++i) {
        const std::string key = "//pods/n/" + std::to_string(i);
        (void)store.create(key, note("x")).value();
        if (i != 500) (void)store.remove(key).value();
        if (i % 10 == 0) world.loop.run_for(1s);
    }
    EXPECT_EQ(show(store.list(kPods).value(), kPods), "n/500@1001=x");
    EXPECT_LT(store.stats().history_events, 400u);
    world.settle();
    EXPECT_EQ(world.disk.records.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Bounds, BoundedHistory,
                         testing::Values(Bound{"ByCount", {.history_events_max = 100}},
                                         Bound{"ByBytes", {.history_bytes_max = 50'000}},
                                         Bound{"ByAge", {.history_age_max = 10s}}),
                         [](const auto& test) { return std::string(test.param.sentence); });

TEST(BoundedHistoryTest, WhenAllTogetherKeepTooMuchTheLargestForgets) {
    StoreFixture world({.history_bytes_max = 60'000});
    Store& store = *world.store;
    for (int i = 0; i < 50; ++i) (void)store.create("//nodes//" + std::to_string(i), note("x")).value();
    const Revision nodes_seen = store.revision();
    for (int i = 0; i < 1000; ++i) (void)store.create("//pods/n/" + std::to_string(i), note("x")).value();
    EXPECT_EQ(store.watch(kPods, nodes_seen, Visibility::kAtOnce).error().code, Code::kExpired);
    EXPECT_TRUE(store.watch("//nodes/", 0, Visibility::kAtOnce).ok());
}

// Otherwise every watch would have to list again after every large write.
TEST(BoundedHistoryTest, LargeEventsLeaveOneByOneAndTheNewestStay) {
    StoreFixture world({.history_bytes_max = 10u << 20});
    Store& store = *world.store;
    (void)store.create("//pods/n/a", note("x")).value();
    for (int i = 0; i < 100; ++i) (void)store.update("//pods/n/a", note(std::string(900'000, 'a' + i % 26))).value();
    EXPECT_LE(store.history_bytes(), 10u << 20);
    EXPECT_GT(store.history_bytes(), 9u << 20);
    auto watch = store.watch(kPods, store.revision() - 10, Visibility::kAtOnce).value();
    for (int i = 10; i > 0; --i) EXPECT_EQ(watch->next().value()->revision, store.revision() - i + 1);
    EXPECT_EQ(store.watch(kPods, store.revision() - 20, Visibility::kAtOnce).error().code, Code::kExpired);
    store.limit_history(1u << 20);
    EXPECT_LE(store.history_bytes(), 1u << 20) << "another part of the process needs the memory";
}

TEST(BoundedHistoryTest, BlocksOfLargeAndOfSmallEventsAreFoundByNumber) {
    StoreFixture world;
    Store& store = *world.store;
    (void)store.create("//pods/n/a", note("x")).value();
    auto from_start = store.watch(kPods, 1, Visibility::kAtOnce).value();
    for (int i = 0; i < 400; ++i)
        (void)store.update("//pods/n/a", note(i % 7 == 0 ? std::string(300'000, 'a' + i % 26) : std::to_string(i)))
            .value();
    for (Revision expected = 2; expected <= store.revision(); ++expected) {
        ASSERT_EQ(from_start->next().value()->revision, expected);
        const Listing listing = store.list(kPods, {.at = expected}).value();
        ASSERT_EQ(listing.items.at(0).revision, expected);
    }
}

TEST(BoundedHistoryTest, AResourceThatIsWrittenMuchCanHaveLessThanTheOthers) {
    StoreFixture world({.history_bytes_max_of = {{"//pods/", 50'000}}});
    Store& store = *world.store;
    for (int i = 0; i < 5000; ++i) {
        (void)store.create("//pods/n/" + std::to_string(i), note("x")).value();
        (void)store.create("//nodes//" + std::to_string(i), note("x")).value();
    }
    EXPECT_EQ(store.watch(kPods, 1, Visibility::kAtOnce).error().code, Code::kExpired);
    EXPECT_TRUE(store.watch(kPods, store.revision() - 100, Visibility::kAtOnce).ok());
    EXPECT_TRUE(store.watch("//nodes/", 0, Visibility::kAtOnce).ok());
}

TEST(BoundedHistoryTest, WhatDeletedObjectsShareIsCountedOnce) {
    StoreFixture world;
    Store& store = *world.store;
    const CommonText common = common_text(std::string(100'000, 'c'));
    for (int i = 0; i < 50; ++i) (void)store.create("//pods/n/" + std::to_string(i), note("x", "u", common)).value();
    for (int i = 0; i < 50; ++i) (void)store.remove("//pods/n/" + std::to_string(i)).value();
    EXPECT_GT(store.history_bytes(), 100'000u);
    EXPECT_LT(store.history_bytes(), 150'000u);
}

TEST(BoundedHistoryTest, AnEventInHandStaysGoodWhenTheHistoryMovesOn) {
    StoreFixture world({.history_events_max = 1});
    Store& store = *world.store;
    auto watch = store.watch(kPods, 0, Visibility::kAtOnce).value();
    (void)store.create("//pods/n/a", note("first")).value();
    const Event* event = watch->next().value();
    for (int i = 0; i < 1000; ++i) (void)store.update("//pods/n/a", note(std::to_string(i))).value();
    EXPECT_EQ(as_note(event->object).text, "first");
    EXPECT_EQ(watch->next().error().code, Code::kExpired);
}

}  // namespace watch_test
}  // namespace muster::store
