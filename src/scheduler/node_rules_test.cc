#include "scheduler/node_rules.h"

#include <gtest/gtest.h>

#include "scheduler/testing/cases.h"

namespace muster::scheduler {
namespace node_rules_test {

struct NodeRuleCase {
    const char* name;
    const char* spec;
    const char* node;
    Reason reason;
};

constexpr const char* kSsdNode = "{metadata: {name: 'n', labels: {disk: ssd, size: '7'}}}";
constexpr const char* kTaintedNode =
    "{metadata: {name: 'n'}, spec: {taints: [{key: team, value: red, effect: NoSchedule}]}}";

TEST(NodeRules, SayWhatKeepsAPodOffANode) {
    const NodeRuleCase cases[] = {
        {"a pod without wishes goes anywhere", "{}", kSsdNode, Reason::kNone},
        {"a cordoned node takes no pods", "{}", "{metadata: {name: 'n'}, spec: {unschedulable: true}}",
         Reason::kUnschedulable},
        {"a cordon can be tolerated", "{tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]}",
         "{metadata: {name: 'n'}, spec: {unschedulable: true}}", Reason::kNone},
        {"a taint keeps away", "{}", kTaintedNode, Reason::kTaint},
        {"a toleration must have the taint's value", "{tolerations: [{key: team, value: blue}]}", kTaintedNode,
         Reason::kTaint},
        {"a toleration of another effect does not help", "{tolerations: [{key: team, value: red, effect: NoExecute}]}",
         kTaintedNode, Reason::kTaint},
        {"a toleration without an effect covers all", "{tolerations: [{key: team, value: red}]}", kTaintedNode,
         Reason::kNone},
        {"a toleration without a key covers all taints", "{tolerations: [{operator: Exists}]}", kTaintedNode,
         Reason::kNone},
        {"a soft taint keeps no pods away", "{}",
         "{metadata: {name: 'n'}, spec: {taints: [{key: a, effect: PreferNoSchedule}]}}", Reason::kNone},
        {"a node selector must be matched in full", "{nodeSelector: {disk: ssd, gpu: 'yes'}}", kSsdNode,
         Reason::kNodeAffinity},
        {"a node selector is matched", "{nodeSelector: {disk: ssd}}", kSsdNode, Reason::kNone},
        {"one term of node affinity is enough",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
         "{matchExpressions: [{key: disk, operator: In, values: [hdd]}]},"
         "{matchExpressions: [{key: size, operator: Gt, values: ['5']}]}]}}}}",
         kSsdNode, Reason::kNone},
        {"numbers are compared as numbers",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
         "{matchExpressions: [{key: size, operator: Gt, values: ['10']}]}]}}}}",
         kSsdNode, Reason::kNodeAffinity},
        {"all expressions of a term must hold",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
         "{matchExpressions: [{key: disk, operator: Exists}, {key: size, operator: DoesNotExist}]}]}}}}",
         kSsdNode, Reason::kNodeAffinity},
        {"an empty term matches no node",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}}}",
         kSsdNode, Reason::kNodeAffinity},
        {"a node is found by its name",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
         "{matchFields: [{key: metadata.name, operator: In, values: ['n']}]}]}}}}",
         kSsdNode, Reason::kNone},
        {"NotIn holds without the label",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
         "{matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}]}}}}",
         kSsdNode, Reason::kNone},
    };
    for (const NodeRuleCase& test : cases) {
        const auto spec = api::from_yaml<api::core::PodSpec>(test.spec).value();
        EXPECT_EQ(check_node_rules(*make_shape(spec), make_node(test.node)), test.reason) << test.name;
    }
}

TEST(NodeRules, WishesAddUp) {
    const auto spec = api::from_yaml<api::core::PodSpec>(
                          "{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ["
                          "{weight: 10, preference: {matchExpressions: [{key: disk, operator: Exists}]}},"
                          "{weight: 5, preference: {matchExpressions: [{key: size, operator: Exists}]}},"
                          "{weight: 1, preference: {matchExpressions: [{key: gpu, operator: Exists}]}}]}}}")
                          .value();
    EXPECT_EQ(node_preference(*make_shape(spec), make_node(kSsdNode)), 15);
}

}  // namespace node_rules_test
}  // namespace muster::scheduler
