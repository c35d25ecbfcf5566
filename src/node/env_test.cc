#include "node/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::node {
namespace {

using api::core::Pod;
using testing::ElementsAre;

struct ExpansionCase {
    const char* sentence;
    const char* text;
    const char* expanded;
};

TEST(Expansion, FollowsKubernetesRules) {
    const Environment environment{{"A", "one"}, {"EMPTY", ""}, {"REF", "$(A)"}};
    const ExpansionCase cases[] = {
        {"a reference becomes its value", "$(A)", "one"},
        {"text around it stays", "x$(A)y", "xoney"},
        {"an empty value is a value", "[$(EMPTY)]", "[]"},
        {"a reference to nothing stays as written", "$(NONE)", "$(NONE)"},
        {"two dollars are one, and no reference", "$$(A)", "$(A)"},
        {"three dollars are one and a reference", "$$$(A)", "$one"},
        {"a shell's reference is none of ours", "$A ${A}", "$A ${A}"},
        {"an open reference stays as written", "$(A", "$(A"},
        {"a dollar at the end stays", "A$", "A$"},
        {"what a value holds is not expanded again", "$(REF)", "$(A)"},
        {"a name may hold what a shell would not allow", "$(A.b)", "$(A.b)"},
    };
    for (const auto& each : cases) EXPECT_EQ(expand(each.text, environment), each.expanded) << each.sentence;
}

constexpr const char* kMetadata =
    "metadata: {name: p, namespace: ns, uid: u-1, labels: {app: web}, annotations: {k: \"a\\nb\"}}\n";

class ContainerEnvironment : public testing::Test {
protected:
    Result<Environment> make(const std::string& container) {
        pod_ = api::from_yaml<Pod>(
                   kMetadata + ("spec: {nodeName: n1, serviceAccountName: robot, containers: [" + container + "]}\n"))
                   .value();
        const EnvironmentView view{pod_, pod_.spec.containers[0], facts_, pod_ip_, referred_, base_};
        return make_environment(view);
    }
    std::string value(const std::string& container, const char* name) {
        const auto made = make(container);
        return made.ok() ? made->at(name) : made.error().message;
    }

    Pod pod_;
    NodeFacts facts_{"n1", "10.0.0.1", api::Quantity::from_int(8), api::Quantity::parse("16Gi").value()};
    Text pod_ip_ = "127.64.0.1";
    Referred referred_;
    Environment base_{{"PATH", "/bin"}};
};

TEST_F(ContainerEnvironment, GivesFieldsOfThePod) {
    const std::pair<const char*, const char*> cases[] = {
        {"metadata.name", "p"},
        {"metadata.namespace", "ns"},
        {"metadata.uid", "u-1"},
        {"metadata.labels['app']", "web"},
        {"metadata.labels['none']", ""},
        {"metadata.labels", "app=\"web\""},
        {"metadata.annotations", "k=\"a\\nb\""},
        {"spec.nodeName", "n1"},
        {"spec.serviceAccountName", "robot"},
        {"status.hostIP", "10.0.0.1"},
        {"status.podIP", "127.64.0.1"},
        {"spec.hostname", "unsupported fieldPath: spec.hostname"},
    };
    for (const auto& [path, expected] : cases)
        EXPECT_EQ(
            value(std::string("{name: c, env: [{name: V, valueFrom: {fieldRef: {fieldPath: \"") + path + "\"}}}]}",
                  "V"),
            expected)
            << path;
}

TEST_F(ContainerEnvironment, GivesResourcesRoundedUpToTheDivisor) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"limits.cpu", "1", "2"},        {"limits.cpu", "1m", "1500"},
        {"requests.memory", "1Mi", "3"}, {"requests.memory", "1", "2100000"},
        {"limits.memory", "1Gi", "16"},  {"requests.cpu", "1", "0"},
    };
    for (const auto& [resource, divisor, expected] : cases)
        EXPECT_EQ(value(std::string("{name: c, resources: {limits: {cpu: 1500m}, requests: {memory: 2100k}}, env: "
                                    "[{name: V, valueFrom: {resourceFieldRef: {resource: ") +
                            resource + ", divisor: \"" + divisor + "\"}}}]}",
                        "V"),
                  expected)
            << resource << " by " << divisor;
}

TEST_F(ContainerEnvironment, OrdersVariablesAndLetsLaterOnesReferToEarlierOnes) {
    const auto made = make(
        "{name: c, env: [{name: B, value: \"$(A)\"}, {name: A, value: x}, {name: C, value: \"$(A)$(PATH)\"}, "
        "{name: D}]}");
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->at("B"), "$(A)") << "what comes later is not known yet";
    EXPECT_EQ(made->at("C"), "x/bin");
    EXPECT_EQ(made->at("D"), "");
}

TEST_F(ContainerEnvironment, TakesConfigMapsAndSecretsWhole) {
    referred_.config_maps["cm"] = std::make_shared<const api::core::ConfigMap>(
        api::from_yaml<api::core::ConfigMap>("metadata: {name: cm}\ndata: {a: one, b: two}\n").value());
    referred_.secrets["s"] = std::make_shared<const api::core::Secret>(
        api::from_yaml<api::core::Secret>("metadata: {name: s}\ndata: {b: dGhyZWU=}\n").value());
    const auto made = make(
        "{name: c, envFrom: [{prefix: X_, configMapRef: {name: cm}}, {secretRef: {name: s}}, "
        "{configMapRef: {name: gone, optional: true}}], env: [{name: X_a, value: \"$(b)\"}]}");
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(made->at("X_a"), "three") << "env goes before envFrom and sees it";
    EXPECT_EQ(made->at("X_b"), "two");
    EXPECT_EQ(made->at("b"), "three");
}

TEST_F(ContainerEnvironment, SaysWhatIsMissingAsAKubeletDoes) {
    referred_.config_maps["cm"] = std::make_shared<const api::core::ConfigMap>();
    referred_.secrets["s"] = std::make_shared<const api::core::Secret>();
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"configMapKeyRef: {name: gone, key: k}", "configmap \"gone\" not found", "couldn't"},
        {"configMapKeyRef: {name: cm, key: k}", "couldn't find key k in ConfigMap ns/cm", ""},
        {"secretKeyRef: {name: gone, key: k}", "secret \"gone\" not found", ""},
        {"secretKeyRef: {name: s, key: k}", "couldn't find key k in Secret ns/s", ""},
    };
    for (const auto& [source, message, unused] : cases) {
        const std::string entry = std::string(source);
        EXPECT_EQ(value("{name: c, env: [{name: V, valueFrom: {" + entry + "}}]}", "V"), message);
        std::string optional = entry;
        optional.insert(optional.size() - 1, ", optional: true");
        const auto made = make("{name: c, env: [{name: V, valueFrom: {" + optional + "}}]}");
        ASSERT_TRUE(made.ok()) << optional;
        EXPECT_FALSE(made->contains("V")) << "an optional key that is not there is no variable";
    }
    EXPECT_EQ(value("{name: c, envFrom: [{secretRef: {name: gone}}]}", "V"), "secret \"gone\" not found");
}

TEST(ContainerCommand, IsCommandThenArgumentsExpanded) {
    const auto container =
        api::from_yaml<api::core::Container>("{name: c, command: [sh, -c], args: [\"echo $(A) $$(A)\"]}").value();
    EXPECT_THAT(make_command(container, {{"A", "1"}}).value(), ElementsAre("sh", "-c", "echo 1 $(A)"));
}

TEST(ContainerCommand, CannotBeGuessedFromAnImage) {
    const auto container = api::from_yaml<api::core::Container>("{name: c, image: perl, args: [x]}").value();
    const auto made = make_command(container, {});
    ASSERT_FALSE(made.ok());
    EXPECT_THAT(made.error().message, testing::HasSubstr("has no command"));
}

}  // namespace
}  // namespace muster::node
