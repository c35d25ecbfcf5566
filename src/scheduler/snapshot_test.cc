#include "scheduler/snapshot.h"

#include <gtest/gtest.h>

#include "scheduler/testing/cases.h"

namespace muster::scheduler {
namespace snapshot_test {

TEST(Snapshot, CountsWhatPodsOnANodeAskFor) {
    Snapshot snapshot;
    snapshot.set_node(node_ref("{metadata: {name: 'n'}}"));
    snapshot.place(pod_ref(simple_pod("a", "500m")), "n");
    snapshot.place(pod_ref(simple_pod("b", "1")), "n");
    EXPECT_EQ(snapshot.nodes()[0]->requested.cpu, 1500);
    EXPECT_TRUE(snapshot.remove_pod("a"));
    EXPECT_FALSE(snapshot.remove_pod("a"));
    EXPECT_EQ(snapshot.nodes()[0]->requested.cpu, 1000);
    EXPECT_EQ(snapshot.node_of("b"), snapshot.nodes()[0]);
    EXPECT_EQ(snapshot.node_of("a"), nullptr);
}

TEST(Snapshot, APodThatIsPlacedTwiceCountsOnceAndWhereItIsNow) {
    Snapshot snapshot;
    snapshot.set_node(node_ref("{metadata: {name: m}}"));
    snapshot.set_node(node_ref("{metadata: {name: 'n'}}"));
    snapshot.place(pod_ref(simple_pod("a", "500m")), "n");
    snapshot.place(pod_ref(simple_pod("a", "500m")), "n");
    EXPECT_EQ(snapshot.find_node("n")->requested.cpu, 500);
    snapshot.place(pod_ref(simple_pod("a", "700m")), "m");
    EXPECT_EQ(snapshot.find_node("n")->requested.cpu, 0);
    EXPECT_EQ(snapshot.find_node("m")->requested.cpu, 700);
    EXPECT_EQ(snapshot.pods(), 1u);
}

TEST(Snapshot, PodsOfANodeThatGoesAndComesBackStillCount) {
    Snapshot snapshot;
    snapshot.place(pod_ref(simple_pod("a", "500m")), "n");
    EXPECT_TRUE(snapshot.nodes().empty());
    snapshot.set_node(node_ref("{metadata: {name: 'n'}}"));
    ASSERT_EQ(snapshot.nodes().size(), 1u);
    EXPECT_EQ(snapshot.nodes()[0]->requested.cpu, 500);
    snapshot.remove_node("n");
    EXPECT_TRUE(snapshot.nodes().empty());
    EXPECT_EQ(snapshot.find_node("n"), nullptr);
    snapshot.set_node(node_ref("{metadata: {name: 'n'}}"));
    EXPECT_EQ(snapshot.nodes()[0]->requested.cpu, 500);
}

TEST(Snapshot, AHeartbeatChangesNothing) {
    Snapshot snapshot;
    EXPECT_TRUE(snapshot.set_node(node_ref("{metadata: {name: 'n'}}")));
    EXPECT_FALSE(snapshot.set_node(node_ref(
        "{metadata: {name: 'n', resourceVersion: '7'}, status: {conditions: [{type: Ready, status: 'True'}]}}")));
    EXPECT_TRUE(snapshot.set_node(node_ref("{metadata: {name: 'n'}, spec: {unschedulable: true}}")));
    EXPECT_TRUE(snapshot.set_node(node_ref("{metadata: {name: 'n', labels: {a: b}}}")));
}

TEST(Snapshot, PodsOfOneTemplateShareAShape) {
    Snapshot snapshot;
    const PodRef first = pod_ref(simple_pod("a", "500m"));
    auto copy = std::make_shared<api::core::Pod>(*first);
    copy->metadata.name = "b";
    EXPECT_EQ(snapshot.shape_of(*first), snapshot.shape_of(*copy));
    // Equal without being the same: read from another manifest.
    EXPECT_EQ(snapshot.shape_of(*first), snapshot.shape_of(*pod_ref(simple_pod("c", "0.5"))));
    EXPECT_NE(snapshot.shape_of(*first), snapshot.shape_of(*pod_ref(simple_pod("d", "501m"))));
}

}  // namespace snapshot_test
}  // namespace muster::scheduler
