#include "controllers/pod_gc/decide.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::controllers {
namespace pod_gc_decide_test {

using api::core::Node;
using api::core::Pod;

constexpr Instant kNow = Instant::from_unix_seconds(1704067200);

PodPtr pod(const char* name, const std::string& rest, const char* made = "2024-01-01T00:00:00Z",
           bool being_deleted = false) {
    const std::string deletion = being_deleted ? R"(, "deletionTimestamp": "2024-01-01T00:00:00Z")" : "";
    auto decoded = api::from_yaml<Pod>(R"({"metadata": {"name": ")" + std::string(name) +
                                       R"(", "creationTimestamp": ")" + made + "\"" + deletion + "}, " + rest + "}");
    EXPECT_TRUE(decoded.ok()) << decoded.error().message;
    return std::make_shared<const Pod>(*std::move(decoded));
}
PodPtr ended(const char* name, const char* made = "2024-01-01T00:00:00Z") {
    return pod(name, R"("status": {"phase": "Succeeded"})", made);
}
PodPtr running_on(const char* name, const char* node, bool being_deleted = false) {
    return pod(name, R"("spec": {"nodeName": ")" + std::string(node) + R"("}, "status": {"phase": "Running"})",
               "2024-01-01T00:00:00Z", being_deleted);
}
NodePtr node(const char* name, bool ready, bool tainted) {
    auto decoded = api::from_yaml<Node>(
        R"({"metadata": {"name": ")" + std::string(name) + R"("}, "spec": {"taints": [)" +
        (tainted ? R"({"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"})" : "") +
        R"(]}, "status": {"conditions": [{"type": "Ready", "status": ")" + (ready ? "True" : "False") + "\"}]}}");
    EXPECT_TRUE(decoded.ok()) << decoded.error().message;
    return std::make_shared<const Node>(*std::move(decoded));
}

constexpr std::size_t kEndedAtOnceMax = 3;

PodCensus census_of(const std::vector<PodPtr>& pods) {
    PodCensus census;
    for (const PodPtr& pod : pods) census.count(nullptr, pod);
    return census;
}

TEST(PodGcDecide, Table) {
    const PodPtr evicted =
        pod("evicted", R"("status": {"phase": "Failed", "reason": "Evicted"})", "2024-01-01T00:00:09Z");
    struct Case {
        const char* name;
        std::vector<PodPtr> pods;
        std::vector<NodePtr> nodes;
        std::map<Text, Instant> missing;
        std::vector<Text> confirmed;
        std::int64_t terminated_max;
        std::vector<std::string> want;
    } cases[] = {
        {"as many ended pods as may stay stay", {ended("a"), ended("b")}, {}, {}, {}, 2, {}},
        {"beyond that the oldest go, by name among equals",
         {ended("c", "2024-01-01T00:00:01Z"), ended("b"), ended("a"), ended("d", "2024-01-01T00:00:02Z")},
         {},
         {},
         {},
         1,
         {"a terminated", "b terminated", "c terminated"}},
        {"so many at once and no more",
         {ended("a"), ended("b"), ended("c"), ended("d"), ended("e")},
         {},
         {},
         {},
         1,
         {"a terminated", "b terminated", "c terminated"}},
        {"evicted ones go before older ones", {ended("a"), evicted}, {}, {}, {}, 1, {"evicted terminated"}},
        {"without a limit all stay", {ended("a"), ended("b")}, {}, {}, {}, 0, {}},
        {"pods that run are not counted", {running_on("a", "n"), ended("b")}, {node("n", true, false)}, {}, {}, 1, {}},
        {"pods of a node that is gone go",
         {running_on("a", "gone"), running_on("b", "there")},
         {node("there", true, false)},
         {{"gone", kNow}},
         {"gone"},
         0,
         {"a orphaned"}},
        {"not while it may still be found", {running_on("a", "gone")}, {}, {{"gone", kNow}}, {}, 0, {}},
        {"not when it came back", {running_on("a", "back")}, {node("back", true, false)}, {}, {"back"}, 0, {}},
        {"pods that are to go from a node out of service go",
         {running_on("a", "out", true), running_on("b", "out")},
         {node("out", false, true)},
         {},
         {},
         0,
         {"a out-of-service"}},
        {"not when the node is ready", {running_on("a", "out", true)}, {node("out", true, true)}, {}, {}, 0, {}},
        {"nor without the taint", {running_on("a", "out", true)}, {node("out", false, false)}, {}, {}, 0, {}},
        {"pods that are to go and have no node go",
         {running_on("a", "", true), running_on("b", "")},
         {},
         {},
         {},
         0,
         {"a unscheduled"}},
        {"a pod goes once", {running_on("a", "gone"), ended("b")}, {}, {{"gone", kNow}}, {"gone"}, 1, {"a orphaned"}},
    };
    for (const Case& c : cases) {
        std::vector<std::string> got;
        const PodCensus census = census_of(c.pods);
        std::vector<PodPtr> pods;
        if (needs_all_pods(census, c.nodes, c.confirmed)) pods = c.pods;
        for (const auto& removal :
             decide_pod_gc({census, pods, c.nodes, c.missing, c.confirmed, c.terminated_max, kEndedAtOnceMax}))
            got.push_back(removal.pod->metadata.name.str() + " " + std::string(name_of(removal.reason)));
        EXPECT_EQ(got, c.want) << c.name;
    }
}

TEST(PodGcMissingNodes, AreRememberedSinceTheyWereFirstMissedAndForgottenWhenTheyAreBack) {
    const std::vector<PodPtr> pods{running_on("a", "gone"), running_on("b", "new"), running_on("c", "back"),
                                   running_on("d", "")};
    const std::vector<NodePtr> nodes{node("back", true, false)};
    const std::map<Text, Instant> before{{"gone", kNow - 30s}, {"back", kNow - 30s}, {"unused", kNow - 30s}};
    const std::map<Text, Instant> want{{"gone", kNow - 30s}, {"new", kNow}};
    EXPECT_EQ(find_missing_nodes(census_of(pods), nodes, before, kNow), want);
    EXPECT_EQ(overdue_nodes(want, 40s, kNow), std::vector<Text>());
    EXPECT_EQ(overdue_nodes(want, 40s, kNow + 10s), std::vector<Text>({"gone"}));
}

TEST(PodGcCensus, FollowsPodsThroughTheirLives) {
    const PodPtr running = running_on("a", "n");
    const PodPtr leaving = running_on("c", "", true);
    PodCensus census = census_of({running, ended("b"), leaving});
    EXPECT_EQ(census.ended.size(), 1u);
    EXPECT_EQ(census.on_node.at("n"), 1);
    const std::vector<NodePtr> nodes{node("n", true, false)};
    EXPECT_TRUE(needs_all_pods(census, nodes, {})) << "one is to go";

    census.count(leaving, nullptr);
    census.count(running, ended("a"));
    EXPECT_EQ(census.ended.size(), 2u);
    EXPECT_FALSE(census.on_node.contains("n"));
    EXPECT_FALSE(needs_all_pods(census, nodes, {}));
    EXPECT_TRUE(needs_all_pods(census, {}, std::vector<Text>{"gone"}));
    census.count(ended("a"), nullptr);
    EXPECT_EQ(census.ended.size(), 1u);
}

TEST(PodGcFailedStatus, APodThatHadNotEndedFails) {
    const PodPtr running = running_on("a", "gone");
    const auto orphaned = failed_status(*running, PodGarbage::kOrphaned, kNow);
    ASSERT_TRUE(orphaned);
    EXPECT_EQ(orphaned->phase, "Failed");
    ASSERT_EQ(orphaned->conditions.size(), 1u);
    EXPECT_EQ(orphaned->conditions[0].type, "DisruptionTarget");
    EXPECT_EQ(orphaned->conditions[0].status, "True");
    EXPECT_EQ(orphaned->conditions[0].reason, "DeletionByPodGC");
    EXPECT_EQ(orphaned->conditions[0].message, "PodGC: node no longer exists");
    EXPECT_EQ(orphaned->conditions[0].last_transition_time.instant(), kNow);

    const auto unscheduled = failed_status(*running, PodGarbage::kUnscheduled, kNow);
    ASSERT_TRUE(unscheduled);
    EXPECT_EQ(unscheduled->phase, "Failed");
    EXPECT_TRUE(unscheduled->conditions.empty());
    EXPECT_FALSE(failed_status(*ended("a"), PodGarbage::kTerminated, kNow));
}

}  // namespace pod_gc_decide_test
}  // namespace muster::controllers
