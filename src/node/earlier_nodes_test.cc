#include "node/earlier_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/registration.h"

namespace muster::node {
namespace earlier_nodes_test {

using api::core::Node;
using testing::ElementsAre;
using testing::IsEmpty;

const Instant kNow = Instant::from_unix(1000s);

NodeRef stored(const char* name, const char* runtime, Instant created = kNow) {
    Node node;
    node.metadata.name = name;
    node.metadata.creation_timestamp = api::Time::from_instant(created);
    node.status.node_info.container_runtime_version = runtime;
    return std::make_shared<Node>(std::move(node));
}

TEST(EarlierNodes, SimulatedOnesOfAnotherRunGo) {
    const auto earlier = decide_earlier_nodes(
        {stored("simulated-0", "muster-simulated://1"), stored("simulated-1", "muster-simulated://1")}, {"simulated-0"},
        false);
    EXPECT_THAT(earlier.remove, ElementsAre("simulated-1"));
    EXPECT_THAT(earlier.unreachable, IsEmpty());
}

TEST(EarlierNodes, OneOfProcessesIsOnlyUnreachableWithoutAnotherNodeOfProcesses) {
    const std::vector<NodeRef> nodes = {stored("old", "muster-process://1")};
    EXPECT_THAT(decide_earlier_nodes(nodes, {}, false).unreachable, ElementsAre("old"));
    EXPECT_THAT(decide_earlier_nodes(nodes, {}, false).remove, IsEmpty());
    EXPECT_THAT(decide_earlier_nodes(nodes, {"new"}, true).remove, ElementsAre("old"));
    EXPECT_THAT(decide_earlier_nodes(nodes, {"old"}, true).remove, IsEmpty());
}

TEST(EarlierNodes, WhatIsNotOfOurMakingIsLeftAlone) {
    const auto earlier =
        decide_earlier_nodes({stored("kubelet", "containerd://2.0"), stored("made-by-hand", "")}, {}, true);
    EXPECT_THAT(earlier.remove, IsEmpty());
    EXPECT_THAT(earlier.unreachable, IsEmpty());
}

TEST(EarlierNodes, AnUnreachableOneIsTaintedAndUnknownUntilItIsHeardOfAgain) {
    NodeDescription description;
    description.name = "n";
    const Node well = describe_node(description, nullptr, kNow);
    const Node marked = mark_unreachable(mark_unreachable(well, kNow + 1s), kNow + 2s);
    ASSERT_EQ(marked.spec.taints.size(), 1u);
    EXPECT_EQ(marked.spec.taints[0].key, "node.kubernetes.io/unreachable");
    EXPECT_EQ(marked.spec.taints[0].effect, "NoSchedule");
    EXPECT_EQ(marked.status.conditions.back().type, "Ready");
    EXPECT_EQ(marked.status.conditions.back().status, "Unknown");
    EXPECT_EQ(marked.status.conditions.back().last_transition_time, api::Time::from_instant(kNow + 1s));
    const Node back = describe_node(description, &marked, kNow + 3s);
    EXPECT_TRUE(back.spec.taints.empty());
    EXPECT_EQ(back.status.conditions.back().status, "True");
    EXPECT_EQ(back.status.conditions.back().last_transition_time, api::Time::from_instant(kNow + 3s));
}

TEST(EarlierNodes, TheNodeOfProcessesKeepsItsNameWhenTheMachineGetsAnother) {
    EXPECT_EQ(choose_node_name({}, "here"), "here");
    EXPECT_EQ(choose_node_name({stored("simulated-0", "muster-simulated://1")}, "here"), "here");
    const auto young = stored("young", "muster-process://1", kNow + 1s);
    const auto old = stored("old", "muster-process://1", kNow);
    EXPECT_EQ(choose_node_name({young, old}, "here"), "young");
    EXPECT_EQ(choose_node_name({old, young}, "here"), "young");
    EXPECT_EQ(choose_node_name({old, stored("here", "muster-process://1", kNow - 1s), young}, "here"), "here");
}

}  // namespace earlier_nodes_test
}  // namespace muster::node
