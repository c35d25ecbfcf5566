#include "controllers/queue/pods/group/member.h"

#include <gtest/gtest.h>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace member_test {

Strings sorted(const PodsTestWorld& world) {
    std::vector<PodRef> pods;
    for (const auto& [name, pod] : world.pods) pods.push_back(std::make_shared<const api::core::Pod>(pod));
    Strings out;
    for (const Member& member : sort_members(pods, world.workload ? &*world.workload : nullptr))
        out.push_back(member.pod->metadata.name.str());
    return out;
}

TEST(GroupMembers, AreSortedByTheSecondOfTheirCreationAndThenByUid) {
    PodsTestWorld world;
    world.add("a", 3).metadata.uid = "3";
    world.add("b", 3).metadata.uid = "1";
    world.add("c", 3).metadata.uid = "2";
    EXPECT_EQ(sorted(world), (Strings{"b", "c", "a"}));
    world.now = world.now + 1s;
    world.add("0-late", 3).metadata.uid = "0";
    EXPECT_EQ(sorted(world), (Strings{"b", "c", "a", "0-late"}));
}

TEST(GroupMembers, ThatRunComeBeforeThoseThatWait) {
    PodsTestWorld world;
    world.make_running(1);
    world.pods.at("p0").metadata.creation_timestamp = api::Time::from_instant(world.now + 1h);
    world.add("waits", 1);
    EXPECT_EQ(sorted(world), (Strings{"p0", "waits"}));
}

TEST(GroupMembers, ThatOwnTheWorkloadStayBeforeLaterOnesOfTheSameSecond) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    world.add("late", 2).metadata.uid = "0";
    EXPECT_EQ(sorted(world), (Strings{"p0", "p1", "late"}));
    world.admit();
    world.settle();
    EXPECT_EQ(world.rejected, Strings{"late"});
    EXPECT_EQ(world.started(), (Strings{"p0", "p1"}));
}

TEST(GroupMembers, OfOneSecondAreTooManyByTheirUidsWhicheverWasEdited) {
    for (const char* edited : {"a", "b", "c"}) {
        PodsTestWorld world;
        world.add("a", 2).metadata.uid = "3";
        world.add("b", 2).metadata.uid = "1";
        world.add("c", 2).metadata.uid = "2";
        world.pods.at(edited).metadata.resource_version = "100";
        EXPECT_EQ(names_of(world.decide().remove), Strings{"a"}) << edited;
    }
}

}  // namespace member_test
}  // namespace muster::controllers::podqueue
