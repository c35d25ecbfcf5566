#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/testing/fixture.h"

namespace muster::store {
namespace store_test {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kPods = "//pods/";

struct StoreTest : testing::Test {
    StoreFixture world;
    Store& store() { return *world.store; }

    Code failure(const auto& result) {
        EXPECT_FALSE(result.ok());
        return result.ok() ? Code::kInternal : result.error().code;
    }
    std::string listed(std::string_view prefix = kPods, const ListOptions& options = {}) {
        return show(store().list(prefix, options).value(), prefix);
    }
};

TEST_F(StoreTest, EveryChangeGetsTheNextRevisionAndTheObjectIsStampedWithIt) {
    EXPECT_EQ(store().revision(), 0u);
    const Written made = store().create("//pods/n/a", note("one")).value();
    EXPECT_EQ(made.revision, 1u);
    EXPECT_EQ(as_note(made.object).stamped, 1u);
    EXPECT_EQ(store().create("//pods/n/b", note("two")).value().revision, 2u);
    const Written changed = store().update("//pods/n/a", note("three")).value();
    EXPECT_EQ(changed.revision, 3u);
    EXPECT_TRUE(changed.changed);
    EXPECT_EQ(as_note(store().get("//pods/n/a")->object).stamped, 3u);
    const Removed removed = store().remove("//pods/n/a").value();
    EXPECT_EQ(removed.revision, 4u);
    EXPECT_EQ(as_note(removed.previous).text, "three");
    EXPECT_FALSE(store().get("//pods/n/a"));
}

TEST_F(StoreTest, AnUpdateThatChangesNothingGetsNoRevisionAndNoEvent) {
    const Written made = store().create("//pods/n/a", note("same")).value();
    auto watch = store().watch(kPods, 1, Visibility::kAtOnce).value();
    const Written again = store().update("//pods/n/a", note("same")).value();
    EXPECT_FALSE(again.changed);
    EXPECT_EQ(again.revision, 1u);
    EXPECT_EQ(again.object, made.object);
    EXPECT_EQ(store().revision(), 1u);
    EXPECT_THAT(drain(*watch), ElementsAre());
}

TEST_F(StoreTest, WritesThatCannotHappenSayWhyAndChangeNothing) {
    (void)store().create("//pods/n/a", note("x", "u1")).value();
    EXPECT_EQ(failure(store().create("//pods/n/a", note("y"))), Code::kAlreadyExists);
    EXPECT_EQ(failure(store().update("//pods/n/b", note("y"))), Code::kNotFound);
    EXPECT_EQ(failure(store().remove("//pods/n/b")), Code::kNotFound);
    EXPECT_EQ(failure(store().update("//pods/n/a", note("y", "u1"), {.revision = 2})), Code::kConflict);
    EXPECT_EQ(failure(store().update("//pods/n/a", note("y", "u1"), {.uid = "u2"})), Code::kConflict);
    EXPECT_EQ(failure(store().update("//pods/n/a", note("x", "u1"), {.revision = 7})), Code::kConflict);
    EXPECT_EQ(failure(store().remove("//pods/n/a", {.revision = 2})), Code::kConflict);
    EXPECT_EQ(failure(store().remove("//pods/n/a", {.uid = "u2"})), Code::kConflict);
    for (const char* key : {"", "a", "/", "//", "//pods", "//pods/", "/g//n/a"})
        EXPECT_EQ(failure(store().create(key, note("y"))), Code::kBadRequest) << key;
    EXPECT_EQ(store().revision(), 1u);
    EXPECT_TRUE(store().update("//pods/n/a", note("y", "u1"), {.revision = 1, .uid = "u1"}).ok());
    EXPECT_TRUE(store().remove("//pods/n/a", {.revision = 2, .uid = "u1"}).ok());
}

TEST_F(StoreTest, ReadsTellWhatTheyHaveComeAcross) {
    (void)store().create("//pods/n/a", note("x")).value();
    (void)store().create("//pods/n/b", note("x")).value();
    (void)store().create("/batch/jobs/n/j", note("x")).value();
    (void)store().remove("//pods/n/b").value();
    (void)store().create("//nodes/n", note("x")).value();
    const auto seen_by = [this](const auto& read) {
        const ReadScope reads(store());
        EXPECT_EQ(reads.seen(), 0u) << "what was read before counts for others";
        read();
        return reads.seen();
    };
    EXPECT_EQ(seen_by([&] { (void)store().get("//pods/n/a"); }), 1u);
    EXPECT_EQ(seen_by([&] { (void)store().get("//pods/n/b"); }), 4u) << "that it is gone";
    const auto read_absent = [&] {
        (void)store().get("//pods/n/c");
        (void)store().get("//secrets/n/c");
    };
    EXPECT_EQ(seen_by(read_absent), 0u) << "nothing has ever been there";
    EXPECT_EQ(seen_by([&] { (void)store().list(kPods).value(); }), 4u);
    const auto create_again = [&] {
        EXPECT_EQ(failure(store().create("//pods/n/a", note("y"))), Code::kAlreadyExists);
        (void)store().get("//pods/n/c");
    };
    EXPECT_EQ(seen_by(create_again), 1u);
    EXPECT_EQ(seen_by([&] { EXPECT_EQ(failure(store().remove("//pods/n/b")), Code::kNotFound); }), 4u);
    const auto write_and_note = [&] {
        EXPECT_EQ(failure(store().update("/batch/jobs/n/j", note("y"), {.revision = 1})), Code::kConflict);
        store().note_seen(2);
    };
    EXPECT_EQ(seen_by(write_and_note), 3u);
    (void)store().get("//pods/n/a");
    EXPECT_EQ(seen_by([] {}), 0u) << "a read outside counts for none";
}

TEST_F(StoreTest, ReadsAreForOneRequestAtATime) {
    const ReadScope reads(store());
    EXPECT_DEATH({ const ReadScope others(store()); }, "one request at a time");
}

TEST(Store, ARemovalThatTheHistoryForgotMayStillHaveBeenSeen) {
    StoreFixture world({.history_events_max = 1});
    Store& store = *world.store;
    for (int i = 0; i < 200; ++i) (void)store.create("//pods/n/" + std::to_string(i), note("x")).value();
    const Revision removed = store.remove("//pods/n/0").value().revision;
    for (int i = 1; i < 200; ++i) (void)store.update("//pods/n/" + std::to_string(i), note("y")).value();
    const ReadScope reads(store);
    EXPECT_FALSE(store.get("//pods/n/0"));
    EXPECT_GE(reads.seen(), removed);
}

TEST_F(StoreTest, AKeyMayComeBackAfterItsRemoval) {
    (void)store().create("//pods/n/a", note("x")).value();
    (void)store().remove("//pods/n/a").value();
    EXPECT_EQ(store().create("//pods/n/a", note("y")).value().revision, 3u);
    EXPECT_EQ(listed(), "n/a@3=y");
    EXPECT_EQ(listed(kPods, {.at = 2}), "");
    EXPECT_EQ(listed(kPods, {.at = 1}), "n/a@1=x");
}

TEST_F(StoreTest, AListIsInKeyOrderAndStopsAtTheEndOfItsPrefix) {
    for (const char* key : {"//pods/b/1", "//pods/a/2", "/batch/jobs/a/1", "//podsx/a/1", "//pods/a/1", "//pods/ab/1"})
        (void)store().create(key, note("x")).value();
    EXPECT_EQ(listed("//pods/"), "a/1@5=x a/2@2=x ab/1@6=x b/1@1=x");
    EXPECT_EQ(listed("//pods/a/"), "1@5=x 2@2=x");
    EXPECT_EQ(listed("//nodes/"), "");
    EXPECT_EQ(listed("//pods/", {.start = "//pods/a/2"}), "a/2@2=x ab/1@6=x b/1@1=x");
    EXPECT_EQ(failure(store().list("//pods")), Code::kBadRequest);
    EXPECT_EQ(failure(store().list("/")), Code::kBadRequest);
}

TEST_F(StoreTest, PagesOfOneListShowOneState) {
    for (const char* key : {"//pods/n/a", "//pods/n/c", "//pods/n/e", "//pods/n/g"})
        (void)store().create(key, note("old")).value();
    const Listing first = store().list(kPods, {.limit = 1}).value();
    EXPECT_EQ(first.revision, 4u);
    EXPECT_EQ(show(first, kPods), "n/a@1=old");
    EXPECT_EQ(first.remaining, 3u);

    (void)store().create("//pods/n/b", note("new")).value();
    (void)store().update("//pods/n/c", note("new")).value();
    (void)store().remove("//pods/n/e").value();
    (void)store().remove("//pods/n/g").value();
    (void)store().create("//pods/n/g", note("again")).value();
    (void)store().update("//pods/n/g", note("and again")).value();

    std::string start = first.items.back().key + std::string_view("\0", 1);
    const Listing second = store().list(kPods, {.at = 4, .start = start, .limit = 2}).value();
    EXPECT_EQ(second.revision, 4u);
    EXPECT_EQ(show(second, kPods), "n/c@2=old n/e@3=old");
    EXPECT_EQ(second.remaining, 1u);
    start = second.items.back().key + std::string_view("\0", 1);
    const Listing third = store().list(kPods, {.at = 4, .start = start, .limit = 2}).value();
    EXPECT_EQ(show(third, kPods), "n/g@4=old");
    EXPECT_FALSE(third.more());
    EXPECT_EQ(listed(), "n/a@1=old n/b@5=new n/c@6=new n/g@10=and again");
}

TEST_F(StoreTest, ARevisionStillToComeIsNotWaitedFor) {
    (void)store().create("//pods/n/a", note("x")).value();
    EXPECT_EQ(failure(store().list(kPods, {.at = 2})), Code::kTimeout);
    EXPECT_EQ(failure(store().watch(kPods, 2, Visibility::kAtOnce)), Code::kTimeout);
}

TEST_F(StoreTest, AReopenedStoreHasItsObjectsAndItsRevisionButNoHistory) {
    (void)store().create("//pods/n/a", note("x")).value();
    (void)store().create("//pods/n/b", note("x")).value();
    (void)store().remove("//pods/n/b").value();
    world.settle();
    world.crash(false);
    EXPECT_EQ(store().revision(), 3u);
    EXPECT_EQ(store().durable_revision(), 3u);
    EXPECT_EQ(listed(), "n/a@1=x");
    EXPECT_EQ(as_note(store().get("//pods/n/a")->object).stamped, 1u);
    EXPECT_EQ(failure(store().list(kPods, {.at = 2})), Code::kExpired);
    EXPECT_EQ(failure(store().watch(kPods, 2, Visibility::kAtOnce)), Code::kExpired);
    EXPECT_EQ(failure(store().watch("//nodes/", 2, Visibility::kAtOnce)), Code::kExpired);
    EXPECT_EQ(failure(store().list("//nodes/", {.at = 2})), Code::kExpired);
    EXPECT_TRUE(store().watch(kPods, 3, Visibility::kAtOnce).ok());
    EXPECT_EQ(store().create("//pods/n/c", note("x")).value().revision, 4u);
    EXPECT_TRUE(store().watch("//nodes/", 3, Visibility::kAtOnce).ok());
    EXPECT_EQ(listed(kPods, {.at = 3}), "n/a@1=x");
}

TEST_F(StoreTest, ACrashLosesOnlyWhatWasNotDurable) {
    (void)store().create("//pods/n/a", note("safe")).value();
    world.settle();
    (void)store().update("//pods/n/a", note("lost")).value();
    (void)store().create("//pods/n/b", note("lost")).value();
    EXPECT_EQ(store().durable_revision(), 1u);
    world.crash(true);
    EXPECT_EQ(listed(), "n/a@1=safe");
    EXPECT_EQ(store().revision(), 1u);
}

TEST_F(StoreTest, OnlyTheNewestStateOfAKeyIsWrittenInAGroup) {
    for (int i = 0; i < 10; ++i) (void)store().create("//pods/n/" + std::to_string(i), note("x")).value();
    for (int i = 0; i < 100; ++i) (void)store().update("//pods/n/1", note(std::to_string(i))).value();
    (void)store().remove("//pods/n/2").value();
    EXPECT_EQ(store().stats().waiting_changes, 10u);
    world.settle();
    EXPECT_EQ(store().stats().waiting_changes, 0u);
    EXPECT_EQ(world.disk.records.size(), 9u);
    EXPECT_EQ(world.disk.records.at("//pods/n/1").revision, 110u);
}

TEST(StoreGroupTest, AFullGroupIsClosedSoThatTheDiskAlwaysShowsOneRevision) {
    StoreFixture world({.group_changes_max = 2});
    Store& store = *world.store;
    (void)store.create("//pods/n/a", note("1")).value();
    (void)store.create("//pods/n/b", note("2")).value();
    (void)store.create("//pods/n/c", note("3")).value();
    (void)store.update("//pods/n/a", note("4")).value();
    ASSERT_TRUE(world.loop.run_until([&] { return store.durable_revision() != 0; }));
    EXPECT_EQ(store.durable_revision(), 2u);
    EXPECT_EQ(world.disk.records.size(), 2u);
    EXPECT_EQ(world.disk.records.at("//pods/n/a").revision, 1u);
    world.settle();
    EXPECT_EQ(world.disk.records.at("//pods/n/a").revision, 4u);
}

TEST(StoreGroupTest, AGroupOfManyBytesIsClosed) {
    StoreFixture world({.group_bytes_max = 10'000});
    Store& store = *world.store;
    for (int i = 0; i < 8; ++i)
        (void)store.create("//pods/n/" + std::to_string(i), note(std::string(4000, 'x'))).value();
    ASSERT_TRUE(world.loop.run_until([&] { return store.durable_revision() != 0; }));
    EXPECT_EQ(store.durable_revision(), 3u);
    world.settle();
    EXPECT_EQ(store.waiting_bytes(), 0u);
}

os::Task<void> create_when_there_is_room(Store& on, int number, std::vector<std::string>& log) {
    while (!on.has_room()) co_await on.room();
    (void)on.create("//pods/n/inside-" + std::to_string(number), note(std::string(4000, 'x'))).value();
    log.push_back("inside " + std::to_string(number));
}

TEST(StoreRoomTest, ThoseWhoWaitForRoomWriteWhenTheDiskHasCaughtUpAndNoneIsForgotten) {
    StoreFixture world({.waiting_bytes_max = 10'000});
    Store& store = *world.store;
    std::vector<std::string> log;
    std::size_t most = 0;
    const auto request = [&](int number) {
        store.when_room([&, number] {
            (void)store.create("//pods/n/" + std::to_string(number), note(std::string(4000, 'x'))).value();
            log.push_back("request " + std::to_string(number));
            most = std::max(most, store.waiting_bytes());
        });
    };
    for (int i = 0; i < 3; ++i) request(i);
    EXPECT_THAT(log, ElementsAre("request 0", "request 1", "request 2")) << "there is room: at once";
    EXPECT_FALSE(store.has_room());
    log.clear();
    for (int i = 3; i < 9; ++i) request(i);
    for (int i = 0; i < 4; ++i) os::spawn(world.loop, create_when_there_is_room(store, i, log));
    world.loop.run_until_idle();
    EXPECT_THAT(log, ElementsAre()) << "nothing is written before the disk has caught up";
    ASSERT_TRUE(world.loop.run_until([&] { return log.size() == 10; }));
    world.settle();
    EXPECT_THAT(log, ElementsAre("inside 0", "inside 1", "inside 2", "inside 3", "request 3", "request 4", "request 5",
                                 "request 6", "request 7", "request 8"));
    EXPECT_LT(most, 15'000u);
    EXPECT_EQ(store.stats().objects, 13u);
    EXPECT_EQ(store.waiting_bytes(), 0u);
}

TEST(StoreRoomTest, AKeyThatIsWrittenAgainTakesTheRoomOfItsNewestStateOnly) {
    StoreFixture world({.waiting_bytes_max = 10'000});
    Store& store = *world.store;
    (void)store.create("//pods/n/a", note(std::string(4000, 'x'))).value();
    for (int i = 0; i < 100; ++i) (void)store.update("//pods/n/a", note(std::string(4000, 'a' + i % 2))).value();
    EXPECT_TRUE(store.has_room());
    (void)store.remove("//pods/n/a").value();
    EXPECT_LT(store.waiting_bytes(), 100u);
    world.settle();
    EXPECT_EQ(store.waiting_bytes(), 0u);
}

TEST_F(StoreTest, DurabilityCanBeAwaitedAndCalledBackFor) {
    std::vector<std::string> order;
    (void)store().create("//pods/n/a", note("x")).value();
    auto wait = [](Store& on, Revision revision, std::vector<std::string>& log) -> os::Task<void> {
        co_await on.durable(revision);
        log.push_back("awaited " + std::to_string(revision) + " at " + std::to_string(on.durable_revision()));
    };
    os::spawn(world.loop, wait(store(), 1, order));
    store().when_durable(1, [&] { order.push_back("called 1"); });
    EXPECT_THAT(order, ElementsAre());
    world.settle();
    EXPECT_THAT(order, ElementsAre("called 1", "awaited 1 at 1"));
    store().when_durable(1, [&] { order.push_back("called at once"); });
    EXPECT_EQ(order.back(), "called at once");
}

TEST_F(StoreTest, WhoWaitsForALaterGroupIsNotWokenByTheOneBefore) {
    (void)store().create("//pods/n/a", note("x")).value();
    world.loop.run_until_idle();  // the first group is with the disk now
    (void)store().create("//pods/n/b", note("x")).value();
    Revision first_at = 0;
    Revision second_at = 0;
    store().when_durable(1, [&] { first_at = store().durable_revision(); });
    store().when_durable(2, [&] { second_at = store().durable_revision(); });
    world.settle();
    EXPECT_EQ(first_at, 1u);
    EXPECT_EQ(second_at, 2u);
}

TEST_F(StoreTest, PartsAreWrittenOnceAndGoWithTheLastObjectThatRefersToThem) {
    {
        const CommonText common = common_text("containers");
        for (int i = 0; i < 3; ++i)
            (void)store().create("//pods/n/" + std::to_string(i), note("x", "u", common)).value();
    }
    world.settle();
    EXPECT_EQ(world.disk.parts.size(), 1u);
    world.crash(false);
    EXPECT_EQ(as_note(store().get("//pods/n/0")->object).common.identity(),
              as_note(store().get("//pods/n/2")->object).common.identity());
    (void)store().update("//pods/n/0", note("y", "u", as_note(store().get("//pods/n/1")->object).common)).value();
    world.settle();
    EXPECT_EQ(world.disk.parts.size(), 1u);
    for (int i = 0; i < 3; ++i) (void)store().remove("//pods/n/" + std::to_string(i)).value();
    world.settle();
    world.crash(false);  // with the history go the last holders
    EXPECT_EQ(world.disk.parts.size(), 1u);
    (void)store().create("//pods/n/9", note("x")).value();
    world.settle();
    EXPECT_EQ(world.disk.parts.size(), 0u);
}

TEST_F(StoreTest, APartIsNotDeletedWhileARecordOnDiskStillNeedsIt) {
    StoreFixture small({.history_bytes_max = 0});
    Store& on = *small.store;
    (void)on.create("//pods/n/a", note("x", "u", common_text("containers"))).value();
    small.settle();
    // The group under way does not have the update that gives up the part.
    (void)on.create("//pods/n/b", note("x")).value();
    small.loop.run_until_idle();
    (void)on.update("//pods/n/a", note("y")).value();
    ASSERT_TRUE(small.loop.run_until([&] { return on.durable_revision() == 2; }));
    EXPECT_EQ(small.disk.parts.size(), 1u);
    small.crash(false);
    EXPECT_EQ(*as_note(small.store->get("//pods/n/a")->object).common.get(), "containers");
}

}  // namespace store_test
}  // namespace muster::store
