#include "scheduler/decide.h"

#include <gtest/gtest.h>

#include "scheduler/testing/cases.h"

namespace muster::scheduler {
namespace scheduler_decide_test {

std::string zoned(const std::string& name, const std::string& zone, const std::string& more = "") {
    return "{metadata: {name: '" + name + "', labels: {zone: " + zone + ", kubernetes.io/hostname: " + name + "}}" +
           more + "}";
}

std::string labelled(const std::string& name, const std::string& labels, const std::string& spec = "") {
    return "{metadata: {name: '" + name + "', labels: {" + labels + "}}, spec: {" + spec + (spec.empty() ? "" : ", ") +
           "containers: [{name: c}]}}";
}

std::string term(const char* side, const char* app, const char* key) {
    return std::string("affinity: {") + side +
           ": {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: " + app +
           "}}, topologyKey: " + key + "}]}}";
}

TEST(Round, PlacesWhereMostIsFreeAndSeesWhatItPlacedBefore) {
    SmallCluster cluster;
    cluster.node("{metadata: {name: n1}}").node("{metadata: {name: n2}}").on("n1", simple_pod("old", "1"));
    for (const char* name : {"a", "b", "c", "d"}) cluster.wants(simple_pod(name, "1"));
    EXPECT_EQ(cluster.run(), "a -> n2\nb -> n1\nc -> n2\nd -> n1\n");
}

TEST(Round, SaysInFamiliarWordsWhyNothingFits) {
    SmallCluster cluster;
    cluster.node("{metadata: {name: n1}, spec: {taints: [{key: a, effect: NoSchedule}]}}")
        .node("{metadata: {name: n2}, spec: {taints: [{key: a, effect: NoExecute}]}}")
        .node("{metadata: {name: n3}}")
        .wants(simple_pod("p", "100"));
    EXPECT_EQ(cluster.run(),
              "p: 0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). preemption: 0/3 "
              "nodes are available: 3 Preemption is not helpful for scheduling.\n");
}

TEST(Round, WithoutNodesItSaysSo) {
    SmallCluster cluster;
    cluster.wants(simple_pod("p"));
    EXPECT_EQ(cluster.run(), "p: no nodes available to schedule pods\n");
}

struct RefusalCase {
    const char* name;
    const char* node;
    const char* there;  // a pod on the node, if any
    const char* pod;
    const char* why;
};

TEST(Round, NamesWhatIsMissing) {
    const RefusalCase cases[] = {
        {"several resources at once",
         "{metadata: {name: 'n'}, status: {allocatable: {cpu: '1', memory: 1Ki, pods: '9'}}}", nullptr,
         "{metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {cpu: '2', memory: 2Ki, "
         "ephemeral-storage: '1', example.com/gpu: '1'}}}]}}",
         "1 Insufficient cpu, 1 Insufficient ephemeral-storage, 1 Insufficient example.com/gpu, 1 Insufficient "
         "memory."},
        {"the number of pods", "{metadata: {name: 'n'}, status: {allocatable: {cpu: '1', pods: '1'}}}",
         "{metadata: {name: q}, spec: {containers: [{name: c}]}}",
         "{metadata: {name: p}, spec: {containers: [{name: c}]}}", "1 Too many pods."},
        {"a host port", "{metadata: {name: 'n'}}",
         "{metadata: {name: q}, spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]}}",
         "{metadata: {name: p}, spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, hostIP: "
         "10.0.0.1}]}]}}",
         "1 node(s) didn't have free ports for the requested pod ports."},
        {"a label of the node", "{metadata: {name: 'n'}}", nullptr,
         "{metadata: {name: p}, spec: {nodeSelector: {a: b}, containers: [{name: c}]}}",
         "1 node(s) didn't match Pod's node affinity/selector."},
        {"a node that is not cordoned", "{metadata: {name: 'n'}, spec: {unschedulable: true}}", nullptr,
         "{metadata: {name: p}, spec: {containers: [{name: c}]}}", "1 node(s) were unschedulable."},
    };
    for (const RefusalCase& test : cases) {
        SmallCluster cluster;
        cluster.node(test.node);
        if (test.there) cluster.on("n", test.there);
        cluster.wants(test.pod);
        const std::string start = std::string("p: 0/1 nodes are available: ") + test.why;
        EXPECT_EQ(cluster.run().substr(0, start.size()), start) << test.name;
    }
}

TEST(Round, HostPortsOfOtherProtocolsOrAddressesAreFree) {
    SmallCluster cluster;
    cluster.node("{metadata: {name: 'n'}}")
        .on("n",
            "{metadata: {name: q}, spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, hostIP: "
            "10.0.0.1}]}]}}")
        .wants(
            "{metadata: {name: p}, spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, hostIP: "
            "10.0.0.2}]}]}}")
        .wants(
            "{metadata: {name: u}, spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, protocol: "
            "UDP}]}]}}");
    EXPECT_EQ(cluster.run(), "p -> n\nu -> n\n");
}

TEST(Round, PodsHaveTheirTurnByPriorityThenAge) {
    SmallCluster cluster;
    cluster.node("{metadata: {name: 'n'}, status: {allocatable: {cpu: '2', memory: 1Gi, pods: '9'}}}")
        .wants(
            "{metadata: {name: young, creationTimestamp: '2026-01-02T00:00:00Z'}, spec: {containers: [{name: c, "
            "resources: {requests: {cpu: '1'}}}]}}")
        .wants(
            "{metadata: {name: old, creationTimestamp: '2026-01-01T00:00:00Z'}, spec: {containers: [{name: c, "
            "resources: {requests: {cpu: '1'}}}]}}")
        .wants(
            "{metadata: {name: vip, creationTimestamp: '2026-01-03T00:00:00Z'}, spec: {priority: 9, containers: "
            "[{name: c, resources: {requests: {cpu: '1'}}}]}}");
    const std::string text = cluster.run();
    EXPECT_EQ(text.substr(0, text.find("young")), "vip -> n\nold -> n\n");
}

TEST(Round, SoftTaintsAndNodeWishesDecideBetweenNodesThatFit) {
    SmallCluster cluster;
    cluster.node("{metadata: {name: n1}, spec: {taints: [{key: a, effect: PreferNoSchedule}]}}")
        .node("{metadata: {name: n2}}")
        .node("{metadata: {name: n3, labels: {disk: ssd}}}")
        .on("n2", simple_pod("x", "1"))
        .on("n3", simple_pod("y", "3"))
        .wants(simple_pod("p", "100m"))
        .wants(simple_pod("q", "100m",
                          "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
                          "preference: {matchExpressions: [{key: disk, operator: Exists}]}}]}}"));
    EXPECT_EQ(cluster.run(), "p -> n2\nq -> n3\n");
}

TEST(Spread, KeepsTheSkewWithinBounds) {
    const std::string spread =
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
        "{matchLabels: {app: a}}}]";
    SmallCluster cluster;
    cluster.node(zoned("n1", "east")).node(zoned("n2", "west")).on("n1", labelled("old", "app: a"));
    for (const char* name : {"p", "q", "r"}) cluster.wants(labelled(name, "app: a", spread));
    // After the first in the west both are equal; then it alternates.
    const std::string text = cluster.run();
    EXPECT_EQ(text.substr(0, 8), "p -> n2\n");
    EXPECT_TRUE(text.find("q -> n1\nr -> n2\n") != std::string::npos ||
                text.find("q -> n2\nr -> n1\n") != std::string::npos)
        << text;
}

TEST(Spread, RefusesWhenOnlyTheFullDomainIsLeft) {
    const std::string spread =
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
        "{matchLabels: {app: a}}}]";
    SmallCluster cluster;
    cluster.node(zoned("n1", "east"))
        .node(zoned("n2", "west", ", spec: {unschedulable: true}"))
        .node("{metadata: {name: n3}}")
        .on("n1", labelled("old", "app: a"))
        .wants(labelled("p", "app: a", spread));
    EXPECT_EQ(
        cluster.run().substr(0, 194),
        "p: 0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match "
        "pod topology spread constraints (missing required label), 1 node(s) were unschedulable.");
}

TEST(Spread, AConstraintThatOnlyAsksStillPlaces) {
    const std::string spread =
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: "
        "{matchLabels: {app: a}}}]";
    SmallCluster cluster;
    cluster.node(zoned("n1", "east")).node(zoned("n2", "west")).on("n1", labelled("old", "app: a"));
    cluster.wants(labelled("p", "app: a", spread));
    EXPECT_EQ(cluster.run(), "p -> n2\n");
    SmallCluster one;
    one.node(zoned("n1", "east")).on("n1", labelled("old", "app: a")).wants(labelled("p", "app: a", spread));
    EXPECT_EQ(one.run(), "p -> n1\n");
}

TEST(Spread, FewerDomainsThanAskedForCountAsOneThatIsEmpty) {
    const std::string spread =
        "topologySpreadConstraints: [{maxSkew: 1, minDomains: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
        "labelSelector: {matchLabels: {app: a}}}]";
    SmallCluster cluster;
    cluster.node(zoned("n1", "east")).on("n1", labelled("old", "app: a")).wants(labelled("p", "app: a", spread));
    EXPECT_EQ(cluster.decide().refuse.size(), 1u);
}

TEST(PodAffinity, AntiAffinityAllowsOneOfAKindPerHost) {
    SmallCluster cluster;
    cluster.node(zoned("n1", "east")).node(zoned("n2", "east"));
    const std::string apart = term("podAntiAffinity", "a", "kubernetes.io/hostname");
    for (const char* name : {"p", "q", "r"}) cluster.wants(labelled(name, "app: a", apart));
    const std::string text = cluster.run();
    EXPECT_EQ(text.substr(0, 16), "p -> n1\nq -> n2\n");
    EXPECT_NE(text.find("r: 0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."),
              std::string::npos)
        << text;
}

TEST(PodAffinity, ThePodsThatAreThereMayObjectToo) {
    SmallCluster cluster;
    cluster.node(zoned("n1", "east"))
        .on("n1", labelled("old", "app: b", term("podAntiAffinity", "a", "zone")))
        .wants(labelled("p", "app: a"))
        .wants(labelled("q", "app: c"));
    const std::string text = cluster.run();
    EXPECT_EQ(text.substr(0, 8), "q -> n1\n");
    EXPECT_NE(text.find("p: 0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."),
              std::string::npos)
        << text;
}

TEST(PodAffinity, AnObjectionOfAPodPlacedInTheSameRoundCounts) {
    SmallCluster cluster;
    cluster.node(zoned("n1", "east"))
        .wants(labelled("loner", "app: b", "priority: 5, " + term("podAntiAffinity", "a", "zone")))
        .wants(labelled("p", "app: a"));
    const RoundPlan plan = cluster.decide();
    ASSERT_EQ(plan.place.size(), 1u);
    EXPECT_EQ(plan.place[0].pod->metadata.name, "loner");
}

TEST(PodAffinity, DrawsPodsTogetherAndLetsTheFirstOfThemStart) {
    SmallCluster cluster;
    cluster.node(zoned("n1", "east")).node(zoned("n2", "west")).node(zoned("n3", "west"));
    cluster.on("n1", simple_pod("big", "3")).on("n2", simple_pod("bigger", "3500m"));
    for (const char* name : {"p", "q", "r"}) cluster.wants(labelled(name, "app: a", term("podAffinity", "a", "zone")));
    const RoundPlan plan = cluster.decide();
    EXPECT_EQ(plan.place.size(), 3u);
    for (const Placement& placement : plan.place) EXPECT_NE(placement.node, Text("n1"));
    SmallCluster other;
    other.node(zoned("n1", "east")).wants(labelled("p", "app: b", term("podAffinity", "a", "zone")));
    EXPECT_EQ(other.run().substr(0, 69), "p: 0/1 nodes are available: 1 node(s) didn't match pod affinity rules");
}

TEST(PodAffinity, WishesDrawAndRepel) {
    const auto wish = [](const char* side) {
        return std::string("affinity: {") + side +
               ": {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: {labelSelector: "
               "{matchLabels: {app: db}}, topologyKey: zone}}]}}";
    };
    SmallCluster cluster;
    cluster.node(zoned("n1", "east")).node(zoned("n2", "west")).on("n1", labelled("db", "app: db"));
    cluster.wants(labelled("near", "app: w", wish("podAffinity")))
        .wants(labelled("apart", "app: z", wish("podAntiAffinity")));
    EXPECT_EQ(cluster.run(), "near -> n1\napart -> n2\n");
}

TEST(PodAffinity, WishesMayHaveAnyWeight) {
    const auto wish = [](const char* side, const char* weight) {
        return std::string("affinity: {") + side +
               ": {preferredDuringSchedulingIgnoredDuringExecution: [{weight: " + weight +
               ", podAffinityTerm: {labelSelector: {matchLabels: {app: db}}, topologyKey: zone}}]}}";
    };
    SmallCluster cluster;
    cluster.node(zoned("n1", "east")).node(zoned("n2", "west"));
    cluster.on("n1", labelled("db", "app: db")).on("n1", labelled("other", "app: db"));
    cluster.wants(labelled("near", "app: w", wish("podAffinity", "2147483647")))
        .wants(labelled("apart", "app: w1", wish("podAntiAffinity", "2147483647")))
        .wants(labelled("not-near", "app: w2", wish("podAffinity", "-2147483648")))
        .wants(labelled("not-apart", "app: w3", wish("podAntiAffinity", "-2147483648")));
    EXPECT_EQ(cluster.run(), "near -> n1\napart -> n2\nnot-near -> n2\nnot-apart -> n1\n");
}

TEST(PodAffinity, OnlyTheNamedNamespacesCount) {
    const std::string apart =
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}, "
        "topologyKey: "
        "zone, namespaceSelector: {matchLabels: {team: red}}}]}}";
    SmallCluster cluster;
    cluster.snapshot.set_namespace("red", Map<Text>{{"team", "red"}});
    cluster.node(zoned("n1", "east")).node(zoned("n2", "west"));
    cluster.on("n1", "{metadata: {name: a, namespace: red}, spec: {containers: [{name: c}]}}");
    cluster.on("n2", "{metadata: {name: b, namespace: blue}, spec: {containers: [{name: c}]}}");
    cluster.wants(labelled("p", "app: w", apart));
    EXPECT_EQ(cluster.run(), "p -> n2\n");
}

constexpr const char* kFullNode = "{metadata: {name: 'n'}, status: {allocatable: {cpu: '2', memory: 1Gi, pods: '9'}}}";

TEST(Preemption, RemovesTheLeastImportantAndNoMoreThanNeeded) {
    SmallCluster cluster;
    cluster.node(kFullNode)
        .on("n", simple_pod("low", "1", "priority: 1"))
        .on("n", simple_pod("mid", "1", "priority: 5"))
        .wants(simple_pod("vip", "1", "priority: 10"));
    EXPECT_EQ(cluster.run(), "vip: 0/1 nodes are available: 1 Insufficient cpu. [n] -low\n");
}

TEST(Preemption, ChoosesTheNodeWhereItMattersLeast) {
    SmallCluster cluster;
    cluster.node("{metadata: {name: n1}, status: {allocatable: {cpu: '1', memory: 1Gi, pods: '9'}}}")
        .node("{metadata: {name: n2}, status: {allocatable: {cpu: '1', memory: 1Gi, pods: '9'}}}")
        .on("n1", simple_pod("a", "1", "priority: 5"))
        .on("n2", simple_pod("b", "500m", "priority: 2"))
        .on("n2", simple_pod("c", "500m", "priority: 2"))
        .wants(simple_pod("vip", "1", "priority: 10"));
    EXPECT_EQ(cluster.run(), "vip: 0/2 nodes are available: 2 Insufficient cpu. [n2] -b -c\n");
}

TEST(Preemption, RespectsBudgetsAsFarAsPossible) {
    SmallCluster cluster;
    cluster.node("{metadata: {name: n1}, status: {allocatable: {cpu: '1', memory: 1Gi, pods: '9'}}}")
        .node("{metadata: {name: n2}, status: {allocatable: {cpu: '1', memory: 1Gi, pods: '9'}}}")
        .on("n1",
            "{metadata: {name: a, labels: {app: guarded}}, spec: {priority: 1, containers: [{name: c, resources: "
            "{requests: {cpu: '1'}}}]}}")
        .on("n2", simple_pod("b", "1", "priority: 5"))
        .wants(simple_pod("vip", "1", "priority: 10"));
    cluster.budgets.push_back(std::make_shared<api::policy::PodDisruptionBudget>(
        api::from_yaml<api::policy::PodDisruptionBudget>(
            "{metadata: {name: g, namespace: default}, spec: {selector: {matchLabels: {app: guarded}}}, status: "
            "{disruptionsAllowed: 0}}")
            .value()));
    EXPECT_EQ(cluster.run(), "vip: 0/2 nodes are available: 2 Insufficient cpu. [n2] -b\n");
}

TEST(Preemption, EqualsAreNoVictimsAndSomeNeverPreempt) {
    SmallCluster cluster;
    cluster.node(kFullNode).on("n", simple_pod("a", "2", "priority: 5"));
    cluster.wants(simple_pod("equal", "1", "priority: 5"));
    EXPECT_EQ(
        cluster.run(),
        "equal: 0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption "
        "victims found for incoming pod.\n");
    cluster.pending.clear();
    cluster.wants(simple_pod("shy", "1", "priority: 9, preemptionPolicy: Never"));
    EXPECT_EQ(cluster.run(),
              "shy: 0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to "
              "preemptionPolicy=Never.\n");
}

TEST(Preemption, WaitsForVictimsThatAreLeaving) {
    SmallCluster cluster;
    cluster.node(kFullNode)
        .on("n",
            "{metadata: {name: v, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {containers: [{name: c, "
            "resources: {requests: {cpu: '2'}}}]}, status: {conditions: [{type: DisruptionTarget, status: 'True', "
            "reason: PreemptionByScheduler}]}}")
        .wants(
            "{metadata: {name: vip}, spec: {priority: 5, containers: [{name: c, resources: {requests: {cpu: '1'}}}]},"
            " status: {nominatedNodeName: 'n'}}");
    EXPECT_EQ(cluster.run(),
              "vip: 0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to a terminating pod on "
              "the nominated node. [n]\n");
}

TEST(Preemption, PromisedRoomIsNotForLessImportantPods) {
    const char* vip =
        "{metadata: {name: vip}, spec: {priority: 5, containers: [{name: c, resources: {requests: {cpu: '2'}}}]}, "
        "status: {nominatedNodeName: 'n'}}";
    SmallCluster cluster;
    cluster.node(kFullNode).wants(vip, true).wants(simple_pod("low", "1")).wants(simple_pod("top", "1", "priority: 9"));
    const std::string text = cluster.run();
    EXPECT_EQ(text.substr(0, 9), "top -> n\n");
    EXPECT_NE(text.find("low: 0/1 nodes are available: 1 Insufficient cpu."), std::string::npos) << text;
}

TEST(Preemption, APodGoesWhereRoomWasMadeForItThoughAnotherNodeIsEmptier) {
    SmallCluster cluster;
    cluster.node("{metadata: {name: n1}}").node("{metadata: {name: n2}}").on("n2", simple_pod("old", "1"));
    cluster.wants(
        "{metadata: {name: vip}, spec: {priority: 5, containers: [{name: c, resources: {requests: {cpu: '1'}}}]}, "
        "status: {nominatedNodeName: n2}}");
    EXPECT_EQ(cluster.run(), "vip -> n2\n");
}

TEST(Preemption, MakesRoomAmongPodsThatKeepApart) {
    SmallCluster cluster;
    cluster.node(zoned("n1", "east"))
        .on("n1", labelled("old", "app: a"))
        .wants(labelled("vip", "app: b", "priority: 5, " + term("podAntiAffinity", "a", "zone")));
    EXPECT_EQ(cluster.run(),
              "vip: 0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. [n1] -old\n");
}

TEST(Round, ManyPodsFillManyNodesEvenly) {
    SmallCluster cluster;
    for (int i = 0; i < 50; ++i) cluster.node("{metadata: {name: n" + std::to_string(100 + i) + "}}");
    const PodRef sample = pod_ref(simple_pod("p", "100m"));
    for (int i = 0; i < 2001; ++i) {
        auto pod = std::make_shared<api::core::Pod>(*sample);
        pod->metadata.name = "p" + std::to_string(i);
        pod->metadata.uid = pod->metadata.name;
        cluster.pending.push_back({pod, false});
    }
    const RoundPlan plan = cluster.decide();
    EXPECT_EQ(plan.place.size(), 2000u);
    ASSERT_EQ(plan.refuse.size(), 1u);
    EXPECT_TRUE(plan.refuse[0].alike_too);
    std::map<Text, int> counts;
    for (const Placement& placement : plan.place) ++counts[placement.node];
    for (const auto& [node, count] : counts) EXPECT_EQ(count, 40) << node.str();
}

}  // namespace scheduler_decide_test
}  // namespace muster::scheduler
