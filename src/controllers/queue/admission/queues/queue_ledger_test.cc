#include "controllers/queue/admission/queues/queue_ledger.h"

#include <gtest/gtest.h>

namespace muster::controllers::queue {
namespace queue_ledger_test {

// A Workload of the LocalQueue team/l.
struct Counted {
    Phase phase = Phase::kPending;
    Text cluster_queue = "q";
    bool unready = false;
    Usage usage{};
    Asks asks{};
    LedgerEntry entry() const { return {phase, unready, cluster_queue, {"team", "l"}, usage, asks}; }
};

TEST(QueueLedger, CountsAWorkloadByItsPhase) {
    const struct {
        const char* sentence;
        Phase phase;
        std::vector<int> numbers;  // pending, inadmissible, reserving, admitted; waiting, unready in all
    } kCases[] = {
        {"it is over", Phase::kNone, {0, 0, 0, 0, 0, 0}},
        {"it is kept from the queue", Phase::kInadmissible, {0, 1, 0, 0, 1, 0}},
        {"it waits", Phase::kPending, {1, 0, 0, 0, 1, 0}},
        {"it waits for its checks", Phase::kReserving, {0, 0, 1, 0, 0, 1}},
        {"it is admitted", Phase::kAdmitted, {0, 0, 1, 1, 0, 1}},
    };
    for (const auto& [sentence, phase, numbers] : kCases) {
        QueueLedger ledger;
        const Counted one{phase, "q", true};
        ledger.add(one.entry());
        const QueueCounts counts = ledger.find("q") ? *ledger.find("q") : QueueCounts();
        EXPECT_EQ((std::vector<int>{counts.pending, counts.inadmissible, counts.reserving, counts.admitted,
                                    static_cast<int>(ledger.waiting()), static_cast<int>(ledger.unready())}),
                  numbers)
            << sentence;
        ledger.remove(one.entry());
        EXPECT_TRUE(!ledger.find("q") || ledger.find("q")->nothing()) << sentence;
        EXPECT_EQ(ledger.waiting() + ledger.unready(), 0u) << sentence;
    }
}

TEST(QueueLedger, SumsWhatIsUsedAndWhatIsAskedFor) {
    QueueLedger ledger;
    const Counted admitted{Phase::kAdmitted, "q", false, {{1, 4}}};
    const Counted reserving{Phase::kReserving, "q", false, {{1, 2}}};
    const Counted waits{Phase::kPending, "q", false, {{1, 100}}, {{"cpu", 8}}};
    for (const Counted* one : {&admitted, &reserving, &waits}) ledger.add(one->entry());
    const QueueCounts& counts = *ledger.find("q");
    EXPECT_EQ(QueueCounts::find(counts.used, 1), 4);
    EXPECT_EQ(QueueCounts::find(counts.reserved, 1), 6) << "what waits uses nothing";
    EXPECT_EQ(counts.asked.at("cpu"), 8);
    ledger.remove(waits.entry());
    EXPECT_TRUE(ledger.find("q")->asked.empty());
}

TEST(QueueLedger, MarksAQueueStaleOnceUntilItsStatusTells) {
    QueueLedger ledger;
    const Counted one;
    ledger.add(one.entry());
    EXPECT_TRUE(ledger.is_stale());
    EXPECT_EQ(ledger.take_stale_cluster_queues(), std::set<Text>{"q"});
    EXPECT_EQ(ledger.take_stale_local_queues().size(), 1u);
    ledger.add(one.entry());
    EXPECT_FALSE(ledger.is_stale()) << "its status is about to be written";
    EXPECT_EQ(ledger.tell("q").pending, 2);
    ledger.remove(one.entry());
    EXPECT_EQ(ledger.take_stale_cluster_queues(), std::set<Text>{"q"});
    EXPECT_TRUE(ledger.take_stale_local_queues().empty()) << "the LocalQueue's was not told since";
}

TEST(QueueLedger, ForgetsQueuesThatAreGoneWhenTheirLastWorkloadIs) {
    QueueLedger ledger;
    const Counted one;
    ledger.add(one.entry());
    ledger.mark_fresh(Text("q"));  // the queue is deleted
    ledger.forget_unused(Text("q"));
    EXPECT_TRUE(ledger.find("q")) << "a Workload waits for it";
    ledger.remove(one.entry());
    EXPECT_EQ(ledger.take_stale_cluster_queues(), std::set<Text>{"q"}) << "so that it is looked at again";
    ledger.forget_unused(Text("q"));
    ledger.forget_unused(client::ObjectName("team", "l"));
    EXPECT_EQ(ledger.size(), 0u);
}

TEST(QueueLedger, EndsTheProcessWhenAWorkloadIsCountedOutTwice) {
    QueueLedger ledger;
    const Counted one;
    ledger.add(one.entry());
    ledger.remove(one.entry());
    EXPECT_DEATH(ledger.remove(one.entry()), "counted out");
}

}  // namespace queue_ledger_test
}  // namespace muster::controllers::queue
