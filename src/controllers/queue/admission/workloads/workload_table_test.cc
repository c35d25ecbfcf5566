#include "controllers/queue/admission/workloads/workload_table.h"

#include <gtest/gtest.h>

namespace muster::controllers::queue {
namespace workload_table_test {

const client::ObjectName kName("team", "w");

TEST(WorkloadTable, FindsAWorkloadByItsName) {
    WorkloadTable table;
    EXPECT_FALSE(table.find(kName));
    table.add(3, kName, "uid");
    EXPECT_EQ(table.find(kName), 3u);
    EXPECT_EQ(table.size(), 4u) << "smaller numbers are free";
    EXPECT_TRUE(table[0].is_free());
    EXPECT_EQ(table[3].uid, "uid");
}

TEST(WorkloadTable, RemembersTheOrderOfArrival) {
    WorkloadTable table;
    table.add(7, {"team", "first"}, "a");
    table.add(2, {"team", "second"}, "b");
    EXPECT_LT(table[7].sequence, table[2].sequence);
}

TEST(WorkloadTable, KeepsTheNumberOfAWorkloadThatIsGoneUntilItsWriteHasEnded) {
    WorkloadTable table;
    table.add(0, kName, "old");
    table.begin_write(0);
    EXPECT_FALSE(table.leave(0));
    table.add(1, kName, "new");
    EXPECT_EQ(table.find(kName), 1u) << "its name is free at once";
    EXPECT_TRUE(table[0].gone);
    table.end_write(0);
    table.free(0);
    EXPECT_TRUE(table[0].is_free());
    EXPECT_EQ(table.find(kName), 1u);
    EXPECT_TRUE(table.leave(1)) << "nothing is being written about this one";
}

TEST(WorkloadTable, CountsWrites) {
    WorkloadTable table;
    table.add(0, {"team", "a"}, "a").place.cluster_queue = "q";
    table.add(1, {"team", "b"}, "b").place.cluster_queue = "r";
    EXPECT_FALSE(table.is_being_written("q"));
    table.begin_write(0);
    table.begin_write(1);
    EXPECT_EQ(table.writing(), 2u);
    EXPECT_TRUE(table.is_being_written("q"));
    table.end_write(0);
    EXPECT_FALSE(table.is_being_written("q"));
    EXPECT_TRUE(table.is_being_written("r"));
    EXPECT_EQ(table.writing(), 1u);
}

TEST(WorkloadTable, EndsTheProcessWhenItsRulesAreBroken) {
    WorkloadTable table;
    table.add(0, kName, "uid");
    EXPECT_DEATH(table.add(1, kName, "uid"), "one name");
    EXPECT_DEATH(table.add(0, {"team", "other"}, "uid"), "one number");
    EXPECT_DEATH(table.end_write(0), "never began");
    EXPECT_DEATH(table.free(0), "in use");
    table.begin_write(0);
    EXPECT_DEATH(table.begin_write(0), "two writes");
}

}  // namespace workload_table_test
}  // namespace muster::controllers::queue
