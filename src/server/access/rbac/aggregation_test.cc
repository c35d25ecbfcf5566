#include "server/access/rbac/aggregation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/kind_store.h"

namespace muster::server {
namespace aggregation_test {

using api::rbac::ClusterRole;

std::string rule_for(const std::string& resource) {
    return "{verbs: [get], apiGroups: [''], resources: [" + resource + "]}";
}
std::string plain(const std::string& name, const std::string& labels, const std::string& rules) {
    return "metadata: {name: " + name + ", labels: {" + labels + "}}\nrules: [" + rules + "]";
}
std::string gathering(const std::string& name, const std::string& labels, const std::string& wanted,
                      const std::string& rules = "") {
    return "metadata: {name: " + name + ", labels: {" + labels +
           "}}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {" + wanted + "}}]}\nrules: [" + rules + "]";
}
// "pods jobs": what the rules are about.
std::string about(const List<api::rbac::PolicyRule>& rules) {
    std::string out;
    for (const auto& rule : rules) out.append(out.empty() ? "" : " ").append(rule.resources.front());
    return out;
}

struct AggregationTest : testing::Test {
    KindStore store;
    void put(const std::string& yaml) { store.put<ClusterRole>(yaml); }
    std::string rules(const char* name) { return about(store.get<ClusterRole>("", name).rules); }
};

TEST_F(AggregationTest, ARoleGathersTheRulesOfThoseItSelectsInOrderOfName) {
    put(gathering("all", "", "to: all", rule_for("stale")));
    put(plain("b", "to: all", rule_for("jobs") + ", " + rule_for("pods")));
    put(plain("a", "to: all", rule_for("pods")));
    put(plain("c", "to: other", rule_for("nodes")));
    aggregate_stored_roles(*store);
    EXPECT_EQ(rules("all"), "pods jobs");
}

TEST_F(AggregationTest, RolesThatGatherGatheredOnesAreSettledAtOnce) {
    put(gathering("admin", "", "to: admin"));
    put(gathering("edit", "to: admin", "to: edit"));
    put(gathering("view", "to: edit", "to: view"));
    put(plain("z", "to: view", rule_for("pods")));
    aggregate_stored_roles(*store);
    EXPECT_EQ(rules("admin"), "pods");
    const store::Revision settled = store->revision();
    aggregate_stored_roles(*store);
    EXPECT_EQ(store->revision(), settled);
}

TEST_F(AggregationTest, RolesThatGatherEachOtherSettleToo) {
    put(gathering("a", "to: b", "to: a", rule_for("pods")));
    put(gathering("b", "to: a", "to: b", rule_for("jobs")));
    aggregate_stored_roles(*store);
    const store::Revision settled = store->revision();
    aggregate_stored_roles(*store);
    EXPECT_EQ(store->revision(), settled);
}

TEST_F(AggregationTest, ASelectorThatSelectsNothingLeavesNothing) {
    put(gathering("all", "to: all", "to: all", rule_for("stale")));
    aggregate_stored_roles(*store);
    EXPECT_EQ(rules("all"), "");
}

TEST_F(AggregationTest, ChangesAreFollowed) {
    put(gathering("all", "", "to: all"));
    spawn(store.loop(), keep_roles_aggregated(*store));
    store.loop().run_until_idle();
    put(plain("a", "to: all", rule_for("pods")));
    store.loop().run_until_idle();
    EXPECT_EQ(rules("all"), "pods");
    put(plain("a", "to: all", rule_for("jobs")));
    store.loop().run_until_idle();
    EXPECT_EQ(rules("all"), "jobs");
    store.remove<ClusterRole>("", "a");
    store.loop().run_until_idle();
    EXPECT_EQ(rules("all"), "");
    // Rules that a user writes into an aggregated role are replaced.
    put(gathering("all", "", "to: all", rule_for("mine")));
    store.loop().run_until_idle();
    EXPECT_EQ(rules("all"), "");
}

}  // namespace aggregation_test
}  // namespace muster::server
