#include "controllers/reconciler.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "os/testing/log_capture.h"
#include "os/testing/virtual_loop.h"

namespace muster::controllers {
namespace reconciler_test {

// A mirror that has listed its objects when the test says so.
struct Listing {
    explicit Listing(os::Loop& loop) : done(loop) {}
    os::Task<void> wait_synced() {
        while (!listed) co_await done.wait();
    }
    void finish() {
        listed = true;
        done.notify();
    }

    bool listed = false;
    os::Event done;
};

struct Memory {
    bool seen = true;
    int asked = 0;
    int syncs = 0;
};

struct ReconcilerTest : testing::Test {
    ReconcilerTest() : reconciler(make({})) {}

    std::unique_ptr<Reconciler<Text, Memory>> make(client::RetryDelays delays) {
        return std::make_unique<Reconciler<Text, Memory>>(
            loop, client::QueueMetrics(), 2, [this](Text key) { return sync(std::move(key)); },
            [](Memory& memory) { return ++memory.asked > 0 && memory.seen; }, delays);
    }
    os::Task<Worked> sync(Text key) {
        ++synced[key];
        const auto memory = reconciler->recall(key);
        ++memory->syncs;
        co_await os::sleep_for(loop, 1ms);
        if (key == "throws") throw std::runtime_error("out of memory");
        memory->seen = memory->seen && !(key == "writes");
        if (key == "forgets") reconciler->forget(key);
        co_return key == "fails" ? Worked::kRetry : Worked::kDone;
    }

    os::VirtualLoop loop;
    std::map<Text, int> synced;
    std::unique_ptr<Reconciler<Text, Memory>> reconciler;
};

TEST_F(ReconcilerTest, AKeyIsNotSyncedBeforeEachMirrorHasListedItsObjects) {
    Listing first(loop);
    Listing second(loop);
    reconciler->start_after(first, second);
    reconciler->add("a");
    first.finish();
    loop.run_for(1s);
    EXPECT_EQ(synced["a"], 0);
    EXPECT_FALSE(reconciler->idle());
    second.finish();
    loop.run_for(1s);
    EXPECT_EQ(synced["a"], 1);
    EXPECT_TRUE(reconciler->idle());
}

TEST_F(ReconcilerTest, AKeyIsNotSyncedWhileItsLastWritesAreUnseen) {
    reconciler->start();
    reconciler->add("writes");
    loop.run_for(10ms);
    ASSERT_EQ(synced["writes"], 1);
    reconciler->add("writes");
    loop.run_for(4900ms);
    EXPECT_EQ(synced["writes"], 1);
    EXPECT_FALSE(reconciler->idle()) << "it is looked at again without a change of the mirrors";
    reconciler->recall("writes")->seen = true;
    loop.run_for(200ms);
    EXPECT_EQ(synced["writes"], 2);
}

TEST_F(ReconcilerTest, AKeyWhoseWritesWereSeenMeanwhileIsSyncedAsSoonAsItIsAdded) {
    reconciler->start();
    reconciler->add("writes");
    loop.run_for(10ms);
    reconciler->add("writes");
    loop.run_for(10ms);
    ASSERT_EQ(synced["writes"], 1);
    reconciler->recall("writes")->seen = true;
    reconciler->add("writes");
    loop.run_for(10ms);
    EXPECT_EQ(synced["writes"], 2);
}

TEST_F(ReconcilerTest, TheMemoryOfAKeyIsKeptUntilItIsForgotten) {
    reconciler->start();
    for (const char* key : {"a", "forgets"}) {
        for (int i = 0; i < 2; ++i) {
            reconciler->add(key);
            loop.run_for(10ms);
        }
    }
    EXPECT_EQ(reconciler->remembered(), 1u);
    EXPECT_EQ(reconciler->recall("a")->syncs, 2);
    EXPECT_EQ(reconciler->recall("forgets")->syncs, 0);
    reconciler->forget("a");
    const auto other = reconciler->recall("a", [] {
        auto made = std::make_shared<Memory>();
        made->syncs = 7;
        return made;
    });
    EXPECT_EQ(other->syncs, 7);
}

TEST_F(ReconcilerTest, AMemoryIsAskedOnceBeforeItsFirstUseSoThatItKnowsTheMirrors) {
    EXPECT_EQ(reconciler->recall("a")->asked, 1);
    EXPECT_EQ(reconciler->recall("a")->asked, 1);
}

TEST_F(ReconcilerTest, AnExceptionCostsItsOwnKeyOnly) {
    reconciler->start();
    reconciler->add("throws");
    reconciler->add("a");
    loop.run_for(100ms);
    EXPECT_EQ(synced["a"], 1);
    EXPECT_GT(synced["throws"], 1) << "it is tried again";
    reconciler->add("b");
    loop.run_for(100ms);
    EXPECT_EQ(synced["b"], 1);
}

TEST_F(ReconcilerTest, AFailureIsTriedAgainLaterEachTime) {
    reconciler = make({.first = 1s, .longest = 4s});
    reconciler->start();
    reconciler->add("fails");
    std::string tries;
    for (int second = 0; second < 13; ++second) {
        loop.run_for(second == 0 ? 500ms : 1s);
        tries += std::to_string(std::exchange(synced["fails"], 0));
    }
    EXPECT_EQ(tries, "1101000100010");
}

TEST_F(ReconcilerTest, AKeyIsSyncedNoEarlierThanItsDelay) {
    reconciler->start();
    reconciler->add_after("a", 10s);
    loop.run_for(9s);
    EXPECT_EQ(synced["a"], 0);
    loop.run_for(2s);
    EXPECT_EQ(synced["a"], 1);
}

// With what controllers/unseen.h gives for it.
struct Writes {
    struct Awaited {
        std::string awaited(std::string_view what) const { return std::string(what) + " up to version 7"; }
    };
    Awaited pods{};
    bool seen = true;
};

TEST(Reconciler, TellsWhichKeysWaitForTheirOwnWritesAndSinceWhen) {
    os::VirtualLoop loop;
    client::Metrics metrics;
    const os::LogCapture log(5);
    std::unique_ptr<Reconciler<Text, Writes>> reconciler;
    const auto sync = [&](Text key) -> os::Task<Worked> {
        reconciler->recall(key)->seen = false;
        co_return Worked::kDone;
    };
    reconciler = std::make_unique<Reconciler<Text, Writes>>(
        loop, client::QueueMetrics(metrics, "job"), 2, [&](Text key) { return sync(std::move(key)); },
        [](Writes& memory) { return memory.seen; });
    reconciler->start();
    reconciler->add("a");
    loop.run_until_idle();
    const auto told = [&] { return metrics.inspection().ask(client::kUnseenTopic); };
    EXPECT_TRUE(told().empty()) << "nothing is held back yet";
    reconciler->add("a");
    loop.run_for(2s);
    const client::Inspection::Row held{
        {"queue", "job"}, {"key", "a"}, {"for", Duration(2s)}, {"awaits", "pods up to version 7"}};
    EXPECT_EQ(told(), client::Inspection::Rows{held});
    EXPECT_TRUE(log.has(R"(I "Synced" queue="job" key="a" result="done" took="0s")"));
    EXPECT_TRUE(
        log.has(R"(I "Waits for its own writes to be seen" queue="job" key="a" awaits="pods up to version 7")"));
    reconciler->recall("a")->seen = true;
    reconciler->add("a");
    loop.run_until_idle();
    EXPECT_TRUE(told().empty());
    reconciler.reset();
    EXPECT_TRUE(told().empty());
}

}  // namespace reconciler_test
}  // namespace muster::controllers
