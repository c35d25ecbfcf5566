#include "controllers/queue/admission/workloads/explainer.h"

#include <gtest/gtest.h>

#include "os/testing/virtual_loop.h"

namespace muster::controllers::queue {
namespace explainer_test {

struct ExplainerWorld {
    ExplainerWorld() : explainer(loop, options, engine, table, calls()) {}
    Explainer::Calls calls() {
        Explainer::Calls out;
        out.some_wait = [this] { return waiting > 0; };
        out.is_blocked = [this] { return blocked; };
        out.may_write = [this](ItemId) { return may_write; };
        out.explain = [this](ItemId item, const Text& reason, const std::string& message) {
            said.push_back(table[item].name.name.str() + " " + reason.str() + ": " + message);
        };
        return out;
    }
    // Kept from its queue.
    Tracked& add(ItemId item, const std::string& name) {
        Tracked& tracked = table.add(item, {"team", name}, name);
        tracked.place.phase = Phase::kInadmissible;
        tracked.place.obstacle_reason = "Misconfigured";
        tracked.place.obstacle = "no queue";
        tracked.waiting_since = loop.now();
        ++waiting;
        explainer.arm();
        return tracked;
    }

    os::VirtualLoop loop;
    AdmissionOptions options;
    Engine engine;
    WorkloadTable table;
    std::vector<std::string> said;
    int waiting = 0;
    bool blocked = false;
    bool may_write = true;
    Explainer explainer;
};

using Said = std::vector<std::string>;

TEST(Explainer, SaysWhyAWorkloadWaitsAfterAWhile) {
    ExplainerWorld it;
    it.add(0, "a");
    it.loop.run_for(900ms);
    EXPECT_TRUE(it.said.empty()) << "it may be admitted any moment";
    it.loop.run_for(5s);
    EXPECT_EQ(it.said, Said{"a Misconfigured: no queue"});
}

TEST(Explainer, RepeatsTheReasonWhenItIsAnotherOrAfterLong) {
    ExplainerWorld it;
    it.add(0, "a");
    it.loop.run_for(5s);
    it.table[0].place.obstacle = "no other queue";
    it.loop.run_for(5s);
    EXPECT_EQ(it.said.size(), 1u) << "only the words have changed";
    it.table[0].place.obstacle_reason = "Inactive";
    it.loop.run_for(2s);
    ASSERT_EQ(it.said.size(), 2u);
    EXPECT_EQ(it.said[1], "a Inactive: no other queue");
    it.loop.run_for(it.options.explain_every);
    EXPECT_EQ(it.said.size(), 3u);
}

TEST(Explainer, LeavesAloneWhatCannotBeWritten) {
    ExplainerWorld it;
    it.add(0, "a");
    it.add(1, "b");
    it.table.begin_write(0);
    it.loop.run_for(3s);
    EXPECT_EQ(it.said, Said{"b Misconfigured: no queue"}) << "something is being written about a";
    it.may_write = false;
    it.table.end_write(0);
    it.loop.run_for(3s);
    EXPECT_EQ(it.said.size(), 1u);
    it.may_write = true;
    it.loop.run_for(3s);
    EXPECT_EQ(it.said.size(), 2u) << "it is not forgotten";
}

TEST(Explainer, SaysThatAQueuedWorkloadWaitsForThePodsOfOthers) {
    ExplainerWorld it;
    it.add(0, "a").place.phase = Phase::kPending;
    it.blocked = true;
    it.loop.run_for(3s);
    ASSERT_EQ(it.said.size(), 1u);
    EXPECT_NE(it.said[0].find("PodsReady"), std::string::npos) << it.said[0];
}

TEST(Explainer, RestsWhenNothingWaits) {
    ExplainerWorld it;
    it.add(0, "a");
    it.loop.run_for(3s);
    it.waiting = 0;
    it.table[0].place.phase = Phase::kAdmitted;
    it.loop.run_for(1h);
    EXPECT_EQ(it.said.size(), 1u);
}

}  // namespace explainer_test
}  // namespace muster::controllers::queue
