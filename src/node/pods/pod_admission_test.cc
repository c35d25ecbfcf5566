#include "node/pods/pod_admission.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::node {
namespace pod_admission_test {

using api::core::Node;
using api::core::Pod;

struct AdmissionCase {
    const char* sentence;
    const char* pod;
    const char* outcome;
};

constexpr const char* kNode =
    "metadata: {name: n1, labels: {disk: ssd}}\n"
    "spec: {taints: [{key: gone, effect: NoExecute}, {key: full, effect: NoSchedule}]}\n"
    "status: {allocatable: {cpu: '2', memory: 1Gi, ephemeral-storage: 1Gi, pods: '3', example.com/disk: 1}}\n";
constexpr const char* kTolerates = "tolerations: [{key: gone, operator: Exists}]";

Pod make_pod(const std::string& spec, const char* uid = "u", const std::string& metadata = "") {
    return api::from_yaml<Pod>("metadata: {name: p, uid: " + std::string(uid) + metadata + "}\nspec: {" + spec + "}\n")
        .value();
}

TEST(PodAdmission, RefusesAsAKubeletDoes) {
    const Node node = api::from_yaml<Node>(kNode).value();
    TakenRoom taken;
    taken.add(
        make_pod("containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}], "
                 "resources: {requests: {cpu: 1500m, memory: 512Mi, example.com/disk: 1}}}]",
                 "other"));
    const AdmissionCase cases[] = {
        {"a pod that fits is taken", "containers: [{name: c, resources: {requests: {cpu: 500m, memory: 512Mi}}}]", ""},
        {"too few processors", "containers: [{name: c, resources: {requests: {cpu: 501m}}}]",
         "OutOfcpu: Node didn't have enough resource: cpu, requested: 501, used: 1500, capacity: 2000"},
        {"too little memory", "containers: [{name: c, resources: {requests: {memory: 1Gi}}}]",
         "OutOfmemory: Node didn't have enough resource: memory, requested: 1073741824, used: 536870912, capacity: "
         "1073741824"},
        {"too little disk", "containers: [{name: c, resources: {requests: {ephemeral-storage: 2Gi}}}]",
         "OutOfephemeral-storage: Node didn't have enough resource: ephemeral-storage, requested: 2147483648, used: 0, "
         "capacity: 1073741824"},
        {"too little of another resource", "containers: [{name: c, resources: {requests: {example.com/disk: 1}}}]",
         "OutOfexample.com/disk: Node didn't have enough resource: example.com/disk, requested: 1, used: 1, capacity: "
         "1"},
        {"a resource that the node does not know is not asked for",
         "containers: [{name: c, resources: {requests: {example.com/gpu: 1}}}]", ""},
        {"another operating system", "os: {name: windows}, containers: [{name: c}]",
         "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS"},
        {"its own operating system", "os: {name: linux}, containers: [{name: c}]", ""},
        {"another node selector", "nodeSelector: {disk: hdd}, containers: [{name: c}]",
         "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"},
        {"a matching node selector", "nodeSelector: {disk: ssd}, containers: [{name: c}]", ""},
        {"another node affinity",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}}}, containers: [{name: c}]",
         "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"},
        {"a port that another pod has", "containers: [{name: c, ports: [{containerPort: 1, hostPort: 80}]}]",
         "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"},
        {"resources are asked for before the selector",
         "nodeSelector: {disk: hdd}, containers: [{name: c, resources: {requests: {cpu: 3}}}]",
         "OutOfcpu: Node didn't have enough resource: cpu, requested: 3000, used: 1500, capacity: 2000"},
    };
    for (const auto& each : cases) {
        const Pod pod = make_pod(std::string(kTolerates) + ", " + each.pod);
        const auto refusal = check_pod_admission(pod, node, taken);
        EXPECT_EQ(refusal ? refusal->reason + ": " + refusal->message : "", each.outcome) << each.sentence;
    }
    const auto tainted = check_pod_admission(make_pod("containers: [{name: c}]"), node, taken);
    ASSERT_TRUE(tainted);
    EXPECT_EQ(tainted->message, "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate");
    const auto labelled = check_pod_admission(
        make_pod(std::string(kTolerates) + ", containers: [{name: c}]", "u", ", labels: {kubernetes.io/os: windows}"),
        node, taken);
    ASSERT_TRUE(labelled);
    EXPECT_EQ(labelled->reason, "PodOSSelectorNodeLabelDoesNotMatch");
}

TEST(PodAdmission, CountsPodsUntilTheyAreGone) {
    const Node node = api::from_yaml<Node>(kNode).value();
    const Pod pod = make_pod(std::string(kTolerates) + ", containers: [{name: c, resources: {requests: {cpu: 500m}}}]");
    TakenRoom taken;
    for (const char* uid : {"a", "b", "c", "c"})
        taken.add(make_pod("containers: [{name: c, resources: {requests: {cpu: 500m}}}]", uid));
    EXPECT_EQ(taken.pods(), 3);
    EXPECT_EQ(check_pod_admission(pod, node, taken)->message,
              "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3");
    taken.remove("a");
    taken.remove("a");
    EXPECT_FALSE(check_pod_admission(pod, node, taken));
    EXPECT_EQ(taken.requested().cpu, 1000);
}

}  // namespace pod_admission_test
}  // namespace muster::node
