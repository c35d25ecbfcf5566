#include "controllers/queue/admission/workloads/writes.h"

#include <gtest/gtest.h>

#include "controllers/queue/workload/workload_state.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers::queue {
namespace writes_test {

using api::kueue::Workload;

struct WritesWorld {
    WritesWorld()
        : world(loop),
          workloads(loop, world),
          writes(loop, world, workloads, table,
                 {[this](const Workload&, const Told& told) { stored.push_back(told.reason.str()); },
                  [this](ItemId item) {
                      EXPECT_FALSE(table[item].busy);
                      ended.push_back(item);
                  }}) {
        world.put<Workload>("{metadata: {name: w, namespace: team, generation: 1}}");
        workloads.start();
        loop.run_for(1s);
        table.add(0, {"team", "w"}, workload()->metadata.uid);
    }
    client::Ref<Workload> workload() const { return workloads.get({"team", "w"}); }
    void begin(bool spec = false) {
        WorkloadDraft draft;
        draft.workload = std::make_shared<Workload>(*workload());
        draft.spec = spec;
        draft.told.reason = "Told";
        if (spec)
            draft.workload->spec.active = false;
        else
            set_condition(draft.workload->status, "Evicted", true, "x", "", 1, loop.now());
        writes.begin(0, workload(), std::move(draft));
    }

    os::VirtualLoop loop;
    FakeWorld world;
    client::Mirror<Workload> workloads;
    WorkloadTable table;
    std::vector<std::string> stored;
    std::vector<ItemId> ended;
    WorkloadWrites writes;
};

TEST(WorkloadWrites, StoreAndKnowTheVersionThatIsStored) {
    WritesWorld it;
    it.begin();
    EXPECT_TRUE(it.table[0].busy);
    it.loop.run_for(1s);
    EXPECT_TRUE(is_evicted(it.world.find<Workload>("team", "w")->status));
    EXPECT_EQ(it.stored, std::vector<std::string>{"Told"});
    EXPECT_EQ(it.ended, std::vector<ItemId>{0});
    EXPECT_EQ(it.table[0].awaited.version, client::parse_version(it.workload()->metadata.resource_version));
}

TEST(WorkloadWrites, StoreTheSpecApartFromTheStatus) {
    WritesWorld it;
    it.begin(true);
    it.loop.run_for(1s);
    EXPECT_EQ(it.world.find<Workload>("team", "w")->spec.active, false);
}

TEST(WorkloadWrites, ReadTheWorkloadAgainWhenTheAnswerIsLost) {
    WritesWorld it;
    it.world.lose_answer("status workloads", Code::kUnavailable);
    it.begin();
    it.loop.run_for(1s);
    EXPECT_TRUE(it.stored.empty()) << "the answer did not come";
    EXPECT_EQ(it.ended.size(), 1u);
    EXPECT_EQ(it.table[0].awaited.version, client::parse_version(it.workload()->metadata.resource_version))
        << "it was stored, and that is known";
}

TEST(WorkloadWrites, KnowWhenTheWorkloadIsGone) {
    WritesWorld it;
    it.world.hold_watches<Workload>(true);
    it.world.erase<Workload>("team", "w");
    it.begin();
    it.loop.run_for(1s);
    EXPECT_EQ(it.ended.size(), 1u);
    EXPECT_EQ(it.table[0].awaited.version, WorkloadWrites::kVersionOfGone);
}

TEST(WorkloadWrites, PauseAfterARefusal) {
    WritesWorld it;
    it.world.fail("status workloads", Code::kInvalid);
    it.begin();
    it.loop.run_for(500ms);
    EXPECT_TRUE(it.ended.empty()) << "others come first meanwhile";
    EXPECT_TRUE(it.table[0].busy);
    it.loop.run_for(1s);
    EXPECT_EQ(it.ended.size(), 1u);
}

}  // namespace writes_test
}  // namespace muster::controllers::queue
