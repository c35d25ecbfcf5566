#include "controllers/queue/pods/group/shape.h"

#include <gtest/gtest.h>

#include <functional>

#include "api/codec/decode.h"

namespace muster::controllers::podqueue {
namespace shape_test {

using api::core::PodSpec;

PodSpec shape_spec(const char* yaml) { return api::from_yaml<PodSpec>(yaml).value(); }

TEST(Shape, HashIsTheOneThatKueueFinds) {
    EXPECT_EQ(role_hash(shape_spec("{containers: [{name: c, resources: {requests: {}}}]}")), "a9f06f3a");
    constexpr const char* kTolerations =
        "tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: "
        "300}, {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]";
    EXPECT_EQ(
        role_hash(shape_spec((std::string("{containers: [{name: c}], priority: 0, ") + kTolerations + "}").c_str())),
        "bf90803c");
    EXPECT_EQ(
        role_hash(shape_spec((std::string("{containers: [{name: c, resources: {requests: {cpu: 1}}}], priority: 0, ") +
                              kTolerations + "}")
                                 .c_str())),
        "4b0469f7");
}

TEST(Shape, IsWhatDecidesWhereAPodCanRun) {
    const PodSpec base = shape_spec("{containers: [{name: c, image: a, resources: {requests: {cpu: 1}}}]}");
    struct Case {
        const char* name;
        const char* other;
        bool same;
    };
    const Case cases[] = {
        {"image, command and name do not matter",
         "{containers: [{name: d, image: b, command: [x], resources: {requests: {cpu: 1}}}]}", true},
        {"the amount counts, not its text", "{containers: [{name: c, resources: {requests: {cpu: 1000m}}}]}", true},
        {"requests matter", "{containers: [{name: c, resources: {requests: {cpu: 2}}}]}", false},
        {"ports matter", "{containers: [{name: c, ports: [{containerPort: 1}], resources: {requests: {cpu: 1}}}]}",
         false},
        {"node labels matter", "{nodeSelector: {a: b}, containers: [{name: c, resources: {requests: {cpu: 1}}}]}",
         false},
        {"tolerations matter",
         "{tolerations: [{key: a, operator: Exists}], containers: [{name: c, resources: {requests: {cpu: 1}}}]}",
         false},
        {"priority matters", "{priority: 5, containers: [{name: c, resources: {requests: {cpu: 1}}}]}", false},
        {"a second container matters", "{containers: [{name: c, resources: {requests: {cpu: 1}}}, {name: d}]}", false},
    };
    for (const Case& one : cases) {
        const PodSpec other = shape_spec(one.other);
        EXPECT_EQ(same_shape(base, other), one.same) << one.name;
        if (!one.same) {
            EXPECT_NE(role_hash(base), role_hash(other)) << one.name;
        }
    }
}

TEST(Shape, DoesNotDependOnFieldsThatWeDoNotKnow) {
    const PodSpec known = shape_spec(
        "{affinity: {nodeAffinity: {}}, tolerations: [{key: a}], topologySpreadConstraints: [{topologyKey: k}], "
        "resourceClaims: [{name: r}], resources: {limits: {cpu: 1}}, containers: [{name: c, ports: [{containerPort: "
        "1}], resources: {claims: [{name: r}]}}]}");
    const std::function<api::Residue&(PodSpec&)> places[] = {[](PodSpec & spec) -> auto& {return spec.residue;
}
, [](PodSpec& spec) -> auto& { return spec.affinity.edit().node_affinity.edit().residue; }
, [](PodSpec& spec) -> auto& { return spec.tolerations.edit()[0].residue; }
, [](PodSpec& spec) -> auto& { return spec.topology_spread_constraints.edit()[0].residue; }
, [](PodSpec& spec) -> auto& { return spec.resource_claims.edit()[0].residue; }
, [](PodSpec& spec) -> auto& { return spec.resources.edit().residue; }
, [](PodSpec& spec) -> auto& { return spec.containers.edit()[0].ports.edit()[0].residue; }
, [](PodSpec& spec) -> auto& { return spec.containers.edit()[0].resources.residue; }
,
};  // namespace shape_test
for (const auto& place : places) {
    PodSpec spec = known;
    place(spec).add(R"(,"unknown":1)");
    EXPECT_NE(spec, known);
    EXPECT_TRUE(same_shape(spec, known));
    EXPECT_TRUE(has_grown_from(spec, known));
    EXPECT_TRUE(is_described_by(spec, known));
}
}  // namespace muster::controllers::podqueue

TEST(Shape, OfATemplateFollowsLimitsThatItsPodsWillRequest) {
    struct Case {
        const char* left;
        const char* right;
        bool same;
    };
    const Case cases[] = {
        {"{containers: [{name: c, resources: {limits: {cpu: 1}}}]}",
         "{containers: [{name: c, resources: {limits: {cpu: 8}}}]}", false},
        {"{containers: [{name: c, resources: {limits: {cpu: 1}}}]}",
         "{containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 1}}}]}", true},
        {"{containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 2}}}]}",
         "{containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 3}}}]}", true},
        {"{resources: {limits: {cpu: 1}}, containers: [{name: c}]}",
         "{resources: {limits: {cpu: 8}}, containers: [{name: c}]}", false},
        {"{resources: {limits: {cpu: 1}}, containers: [{name: c}]}",
         "{resources: {limits: {cpu: 1}, requests: {cpu: 1}}, containers: [{name: c}]}", true},
        {"{containers: [{name: c}]}", "{resources: {limits: {cpu: 8}}, containers: [{name: c}]}", false},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(same_shape(shape_spec(one.left), shape_spec(one.right)), one.same) << one.left << one.right;
        EXPECT_EQ(is_described_by(shape_spec(one.right), shape_spec(one.left)), one.same) << one.left << one.right;
    }
}

TEST(Shape, GrowsByWhatAdmissionAdds) {
    const PodSpec origin = shape_spec("{nodeSelector: {a: b}, containers: [{name: c}]}");
    EXPECT_TRUE(has_grown_from(shape_spec("{nodeSelector: {a: b, c: d}, tolerations: [{key: k, operator: Exists}], "
                                          "containers: [{name: c}]}"),
                               origin));
    EXPECT_FALSE(has_grown_from(shape_spec("{nodeSelector: {a: other}, containers: [{name: c}]}"), origin));
    EXPECT_FALSE(has_grown_from(shape_spec("{nodeSelector: {a: b}, containers: [{name: c, resources: {requests: {cpu: "
                                           "1}}}]}"),
                                origin));
}

TEST(Shape, OfATemplateLeavesOutWhatTheServerFillsIn) {
    const PodSpec template_spec = shape_spec("{containers: [{name: worker, resources: {requests: {cpu: 1}}}]}");
    EXPECT_TRUE(is_described_by(
        shape_spec("{priority: 0, tolerations: [{key: k, operator: Exists}], containers: [{name: x, image: i, ports: "
                   "[{containerPort: 80}], resources: {requests: {cpu: 1}}}]}"),
        template_spec));
    EXPECT_FALSE(
        is_described_by(shape_spec("{containers: [{name: x, resources: {requests: {cpu: 2}}}]}"), template_spec));
    const PodSpec limited =
        shape_spec("{runtimeClassName: vm, containers: [{name: worker, resources: {limits: {cpu: 1}}}]}");
    EXPECT_TRUE(is_described_by(shape_spec("{runtimeClassName: vm, overhead: {cpu: 100m}, containers: [{name: x, "
                                           "resources: {requests: {cpu: 1}, limits: {cpu: 1}}}]}"),
                                limited));
    EXPECT_FALSE(is_described_by(shape_spec("{overhead: {cpu: 100m}, containers: [{name: x, resources: {requests: "
                                            "{cpu: 1}, limits: {cpu: 1}}}]}"),
                                 limited));
}

TEST(Shape, RequestsAreThoseOfThePodsWorstMoment) {
    const auto requests = pod_requests(shape_spec(R"({
        overhead: {cpu: 100m},
        initContainers: [{name: i, resources: {requests: {cpu: 3}}},
                         {name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}],
        containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi}}}, {name: b, resources: {requests: {cpu: 500m}}}]})"));
    EXPECT_EQ(requests.find("cpu")->text(), "3100m");
    EXPECT_EQ(requests.find("memory")->text(), "1Gi");
    EXPECT_EQ(
        first_excess(requests, pod_requests(shape_spec("{containers: [{name: a, resources: {requests: {cpu: 4}}}]}"))),
        "memory");
}

}  // namespace shape_test
}  // namespace muster::controllers::podqueue
