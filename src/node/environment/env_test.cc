#include "node/environment/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::node {
namespace env_test {

using api::core::Pod;
using testing::ElementsAre;

constexpr const char* kMetadata =
    "metadata: {name: p, namespace: ns, uid: u-1, labels: {app: web}, annotations: {k: \"a\\nb\"}}\n";

class ContainerEnvironment : public testing::Test {
protected:
    Result<Environment> make(const std::string& container) {
        pod_ = api::from_yaml<Pod>(
                   kMetadata + ("spec: {nodeName: n1, serviceAccountName: robot, containers: [" + container + "]}\n"))
                   .value();
        EnvironmentView view{pod_, pod_.spec.containers[0], facts_, pod_ip_, referred_, base_};
        view.services = &services_;
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
    Environment services_{};
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

TEST_F(ContainerEnvironment, VariablesOfServicesStandBelowAllOthers) {
    services_ = {{"DB_PORT", "1"}, {"PATH", "/services"}, {"WEB_PORT", "2"}};
    const auto made = make("{name: c, env: [{name: DB_PORT, value: \"$(DB_PORT)0\"}]}");
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->at("DB_PORT"), "10") << "references see them";
    EXPECT_EQ(made->at("PATH"), "/bin");
    EXPECT_EQ(made->at("WEB_PORT"), "2");
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

// Each variable is twice as long as the one before it.
std::string doubling_variables(int count) {
    std::string list = "{name: V0, value: xxxxxxxx}";
    for (int i = 1; i < count; ++i) {
        const std::string before = "$(V" + std::to_string(i - 1) + ")";
        list += ", {name: V" + std::to_string(i) + ", value: \"" + before + before + "\"}";
    }
    return list;
}

TEST_F(ContainerEnvironment, AVariableThatTheKernelDoesNotPassIsRefusedByItsName) {
    EXPECT_TRUE(make("{name: c, env: [" + doubling_variables(14) + "]}").ok());
    for (const int count : {16, 41, 200}) {
        const auto made = make("{name: c, env: [" + doubling_variables(count) + "]}");
        ASSERT_FALSE(made.ok());
        EXPECT_EQ(made.error().code, Code::kTooLarge);
        EXPECT_EQ(made.error().message,
                  "environment variable V14 has more than 131067 bytes when its references are expanded");
    }
}

TEST_F(ContainerEnvironment, AllVariablesTogetherAreBounded) {
    std::string data = "metadata: {name: cm}\ndata: {big: ";
    data += std::string(100'000, 'x') + "}\n";
    referred_.config_maps["cm"] =
        std::make_shared<const api::core::ConfigMap>(api::from_yaml<api::core::ConfigMap>(data).value());
    const std::pair<std::string, const char*> cases[] = {
        {"envFrom: [{configMapRef: {name: cm}}", ", {prefix: NEXT, configMapRef: {name: cm}}"},
        {"env: [{name: V}", ", {name: V, valueFrom: {configMapKeyRef: {name: cm, key: big}}}"},
    };
    for (const auto& [first, next] : cases) {
        std::string list = first;
        for (int i = 0; i < 15; ++i) list += next;
        EXPECT_TRUE(make("{name: c, " + list + "]}").ok()) << first;
        for (int i = 0; i < 15; ++i) list += next;
        const auto made = make("{name: c, " + list + "]}");
        ASSERT_FALSE(made.ok()) << first;
        EXPECT_THAT(made.error().message, testing::HasSubstr("larger than 2097152 bytes")) << first;
    }
}

TEST(ContainerCommand, IsBoundedWithItsEnvironment) {
    const Environment environment{{"BIG", std::string(100'000, 'x')}};
    const auto made = [&](const std::string& fields) {
        const auto container = api::from_yaml<api::core::Container>("{name: c, " + fields + "}").value();
        const auto command = make_command(container, environment);
        return command.ok() ? std::string("made") : command.error().message;
    };
    EXPECT_EQ(made("command: [echo, \"$(BIG)\"]"), "made");
    EXPECT_EQ(made("command: [echo], args: [a, \"$(BIG)$(BIG)\"]"),
              "args[1] has more than 131071 bytes when its references are expanded");
    EXPECT_EQ(made("command: [\"$(BIG)$(BIG)\"]"),
              "command[0] has more than 131071 bytes when its references are expanded");
    std::string words;
    for (int i = 0; i < 25; ++i) words += ", \"$(BIG)\"";
    EXPECT_THAT(made("command: [echo], args: [a" + words + "]"),
                testing::HasSubstr("makes the environment and the command larger than 2097152 bytes"));
}

TEST(ContainerCommand, IsCommandThenArgumentsExpanded) {
    const auto container =
        api::from_yaml<api::core::Container>("{name: c, command: [sh, -c], args: [\"echo $(A) $$(A)\"]}").value();
    EXPECT_THAT(make_command(container, {{"A", "1"}}).value(), ElementsAre("sh", "-c", "echo 1 $(A)"));
}

TEST(ContainerCommand, WithoutACommandTheFirstArgumentIsTheProgram) {
    const auto container = [](const char* yaml) { return api::from_yaml<api::core::Container>(yaml).value(); };
    const auto with_args = container("{name: c, image: perl, args: [\"$(A)\", x]}");
    EXPECT_THAT(make_command(with_args, {{"A", "echo"}}).value(), ElementsAre("echo", "x"));
    EXPECT_THAT(missing_command_note(with_args),
                testing::StartsWith("container c has no command, so args[0] was taken for the program; the entrypoint "
                                    "of image \"perl\" is not known"));
    const auto bare = container("{name: c, image: perl}");
    EXPECT_THAT(make_command(bare, {}).value(), ElementsAre(""));
    EXPECT_THAT(missing_command_note(bare), testing::HasSubstr("has neither command nor args"));
    EXPECT_EQ(missing_command_note(container("{name: c, image: perl, command: [x]}")), "");
}

TEST_F(ContainerEnvironment, RefusesAValueWithANulByte) {
    auto map = std::make_shared<api::core::ConfigMap>();
    map->data.set("V", std::string("a\0b", 3));
    referred_.config_maps["odd"] = map;
    const char* why = "environment variable V has a NUL byte, which cannot be passed to a program";
    EXPECT_EQ(value("{name: c, envFrom: [{configMapRef: {name: odd}}]}", "V"), why);
    EXPECT_EQ(value("{name: c, env: [{name: V, valueFrom: {configMapKeyRef: {name: odd, key: V}}}]}", "V"), why);
}

}  // namespace env_test
}  // namespace muster::node
