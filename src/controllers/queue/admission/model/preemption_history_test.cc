#include "controllers/queue/admission/model/preemption_history.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::controllers::queue {
namespace preemption_history_test {

constexpr NodeId kTree = 5;

Instant minute(std::int64_t of) { return Instant::from_unix_seconds(1'000'000 + 60 * of); }

struct History : PreemptionHistory {
    void preempts(ItemId preemptor, ItemId victim, std::int64_t at = 0) {
        note_preemption(kTree, preemptor, victim, minute(at));
    }
    void change() { note_change(kTree); }
};

TEST(PreemptionHistory, KnowsWhoPreemptedAWorkloadDirectlyAndThroughOthers) {
    struct Case {
        const char* sentence;
        void (*happens)(History&);
        std::int64_t now;
        const char* preemptors;  // of 3
        std::optional<std::int64_t> until;
    };
    constexpr std::int64_t kYear = 365 * 24 * 60;
    const Case cases[] = {
        {"it was never preempted", [](History&) {}, 0, "", {}},
        {"it was preempted", [](History& it) { it.preempts(2, 3); }, 0, "2", {}},
        {"through another", [](History& it) { it.preempts(1, 2), it.preempts(2, 3); }, 0, "1 2", {}},
        {"in the other order", [](History& it) { it.preempts(2, 3), it.preempts(1, 2); }, 0, "1 2", {}},
        {"it preempted another", [](History& it) { it.preempts(3, 4); }, 0, "", {}},
        {"by two, and by one of them through the other",
         [](History& it) { it.preempts(1, 3), it.preempts(2, 3), it.preempts(1, 2); },
         0,
         "1 2",
         {}},
        {"each preempted the other", [](History& it) { it.preempts(2, 3), it.preempts(3, 2); }, 0, "2 3", {}},
        {"long ago", [](History& it) { it.preempts(2, 3); }, kYear, "2", {}},
        {"something has changed since", [](History& it) { it.preempts(2, 3), it.change(); }, 9, "2", 10},
        {"ten minutes ago", [](History& it) { it.preempts(2, 3), it.change(); }, 10, "", {}},
        {"something had changed before", [](History& it) { it.change(), it.preempts(2, 3); }, kYear, "2", {}},
        {"something had changed between two preemptions",
         [](History& it) { it.preempts(1, 2), it.change(), it.preempts(2, 3, 5); }, 6, "1 2", 10},
        {"the older does not count any more",
         [](History& it) { it.preempts(1, 2), it.change(), it.preempts(2, 3, 5); },
         kYear,
         "2",
         {}},
        {"something has changed since both", [](History& it) { it.preempts(1, 2, 4), it.preempts(2, 3), it.change(); },
         6, "1 2", 10},
        {"the newer alone leads nowhere",
         [](History& it) { it.preempts(1, 2, 4), it.preempts(2, 3), it.change(); },
         12,
         "",
         {}},
        {"it was preempted again since",
         [](History& it) { it.preempts(2, 3), it.change(), it.preempts(2, 3, 3); },
         kYear,
         "2",
         {}},
        {"another tree has changed",
         [](History& it) {
             it.preempts(2, 3);
             it.note_preemption(kTree + 1, 8, 9, minute(0));
             it.note_change(kTree + 1);
         },
         kYear,
         "2",
         {}},
        {"the clock was set back since", [](History& it) { it.preempts(2, 3, 60), it.change(); }, 0, "", {}},
        {"its preemptor is forgotten", [](History& it) { it.preempts(2, 3), it.forget(2); }, 0, "", {}},
        {"it is forgotten itself", [](History& it) { it.preempts(2, 3), it.forget(3); }, 0, "", {}},
        {"the one between is forgotten",
         [](History& it) { it.preempts(1, 2), it.preempts(2, 3), it.forget(2); },
         0,
         "",
         {}},
        {"another is forgotten",
         [](History& it) { it.preempts(1, 4), it.preempts(4, 5), it.preempts(2, 3), it.forget(4); },
         0,
         "2",
         {}},
        {"all is forgotten", [](History& it) { it.preempts(2, 3), it.forget_all(); }, 0, "", {}},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        History history;
        it.happens(history);
        const Preemptors found = history.find_preemptors(3, minute(it.now));
        std::string names;
        for (const ItemId item : found.items) names += (names.empty() ? "" : " ") + std::to_string(item);
        EXPECT_EQ(names, it.preemptors);
        EXPECT_EQ(found.until, it.until ? std::optional(minute(*it.until)) : std::nullopt);
    }
}

TEST(PreemptionHistory, ItsMemoryIsBounded) {
    History history;
    for (ItemId preemptor = 10; preemptor < 1010; ++preemptor) {
        history.preempts(preemptor, 3, preemptor);
        history.preempts(preemptor, 3, preemptor);
        history.change();
    }
    EXPECT_EQ(history.size(), 10u) << "those of the last ten minutes";
    history.preempts(3, 4, 5000);
    history.forget(3);
    EXPECT_EQ(history.size(), 0u);
}

}  // namespace preemption_history_test
}  // namespace muster::controllers::queue
