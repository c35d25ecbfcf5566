#include "controllers/job/lanes.h"

#include <gtest/gtest.h>

namespace muster::controllers::jobs {
namespace job_lanes_test {

TEST(Lanes, RefillAndCountGoSideBySide) {
    Lanes lanes;
    EXPECT_TRUE(lanes.begin_refill("1"));
    EXPECT_TRUE(lanes.begin_count());
    EXPECT_TRUE(lanes.begin_store("1", false));
    EXPECT_FALSE(lanes.end_refill());
    EXPECT_TRUE(lanes.begin_refill("1")) << "from the Job of which the status is made";
    EXPECT_FALSE(lanes.end_store());
    EXPECT_FALSE(lanes.end_count());
}

TEST(Lanes, ARefillDoesNotDecideFromAStatusWhoseAnswerIsOnItsWay) {
    Lanes lanes;
    ASSERT_TRUE(lanes.begin_count());
    ASSERT_TRUE(lanes.begin_store("1", false));
    EXPECT_FALSE(lanes.begin_refill("2"));
    EXPECT_TRUE(lanes.end_store()) << "it is woken";
    EXPECT_TRUE(lanes.begin_refill("2"));
    EXPECT_FALSE(lanes.end_count());
}

TEST(Lanes, AnAnnouncementWaitsForTheRefillAndComesBeforeTheNext) {
    Lanes lanes;
    ASSERT_TRUE(lanes.begin_refill("1"));
    ASSERT_TRUE(lanes.begin_count());
    EXPECT_FALSE(lanes.begin_store("1", true));
    EXPECT_TRUE(lanes.count_waits());
    EXPECT_FALSE(lanes.end_count());
    EXPECT_TRUE(lanes.end_refill()) << "the count is woken";
    EXPECT_FALSE(lanes.begin_refill("1"));
    EXPECT_TRUE(lanes.begin_count());
    EXPECT_TRUE(lanes.begin_store("1", true));
    EXPECT_FALSE(lanes.begin_refill("1")) << "not from the same Job either";
    EXPECT_TRUE(lanes.end_store());
    EXPECT_TRUE(lanes.begin_refill("2"));
}

TEST(Lanes, ACountThatIsPutOffComesBeforeTheNextRefill) {
    Lanes lanes;
    ASSERT_TRUE(lanes.begin_count());
    lanes.put_count_off();
    EXPECT_FALSE(lanes.end_count());
    EXPECT_FALSE(lanes.begin_refill("1"));
    EXPECT_TRUE(lanes.begin_count());
    EXPECT_TRUE(lanes.end_count()) << "the refill is woken";
    EXPECT_TRUE(lanes.begin_refill("1"));
}

TEST(Lanes, PodsAreLetGoAlone) {
    Lanes lanes;
    ASSERT_TRUE(lanes.begin_count());
    ASSERT_TRUE(lanes.begin_refill("1"));
    EXPECT_FALSE(lanes.begin_alone());
    EXPECT_FALSE(lanes.end_refill());
    EXPECT_TRUE(lanes.end_count()) << "the refill is woken";
    ASSERT_TRUE(lanes.begin_refill("1"));
    EXPECT_TRUE(lanes.begin_alone());
    EXPECT_FALSE(lanes.begin_count());
    EXPECT_TRUE(lanes.end_refill()) << "the count is woken";
    EXPECT_TRUE(lanes.begin_count());
}

}  // namespace job_lanes_test
}  // namespace muster::controllers::jobs
