// Pods that ask for too much. Each waits or fails with a kubelet's reason; the server, the other pods and the next
// start of the server are well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/node/node_under_test.h"

namespace muster::e2e {
namespace bad_pod_test {

// Reason and message of what its first container waits for.
std::string waits_for(NodeUnderTest& node, const std::string& pod) {
    const auto found = node.get(NodeUnderTest::pods() + "/" + pod);
    const std::string at = "/status/containerStatuses/0/state/waiting";
    return node.text_at(found, at + "/reason") + ": " + node.text_at(found, at + "/message");
}

// `count` variables, each of which refers twice to the one before it.
std::string doubling(int count) {
    std::string list = R"x({"name": "V0", "value": "xxxxxxxx"})x";
    for (int i = 1; i < count; ++i) {
        const std::string before = "$(V" + std::to_string(i - 1) + ")";
        list += R"x(, {"name": "V)x" + std::to_string(i) + R"x(", "value": ")x" + before + before + "\"}";
    }
    return list;
}

TEST(BadPod, ExpansionIsBoundedAndTheServerStartsAgain) {
    NodeUnderTest node("bomb");
    const auto with_args = [](const std::string& fields, int variables) {
        return R"x({"name": "c", "image": "none", "command": ["true"], )x" + fields + (fields.empty() ? "" : ", ") +
               R"x("env": [)x" + doubling(variables) + "]}";
    };
    ASSERT_TRUE(node.create_pod("variables", with_args("", 41)));
    ASSERT_TRUE(node.create_pod("arguments", with_args(R"x("args": ["$(V13)$(V13)"])x", 14)));
    ASSERT_TRUE(node.create_pod(
        "path", with_args(R"x("volumeMounts": [{"name": "v", "mountPath": "/mnt", "subPathExpr": "$(V13)"}])x", 14),
        R"x(, "volumes": [{"name": "v", "emptyDir": {}}])x"));
    std::string references;
    for (int i = 0; i < 20'000; ++i) references += "$(V0)";
    ASSERT_TRUE(node.create_pod(
        "probe", with_args(R"x("livenessProbe": {"exec": {"command": ["cat", ")x" + references + R"x("]}})x", 1)));
    const auto expect_refused = [&] {
        const std::pair<const char*, const char*> cases[] = {
            {"variables", "environment variable V14 has more than 131067 bytes when its references are expanded"},
            {"arguments", "args[0] has more than 131071 bytes when its references are expanded"},
            {"path", "subPathExpr has more than 4095 bytes when its references are expanded"},
            {"probe", "Liveness probe: command[1] has more than 131071 bytes when its references are expanded"},
        };
        for (const auto& [pod, why] : cases) {
            const std::string expected = std::string("CreateContainerConfigError: ") + why;
            EXPECT_TRUE(node.wait_for([&, name = pod] { return waits_for(node, name) == expected; }))
                << pod << ": " << waits_for(node, pod);
        }
    };
    expect_refused();
    node.kill_server();
    node.start();
    expect_refused();
    ASSERT_TRUE(node.create_pod("after", node.container("exit 0")));
    EXPECT_TRUE(node.wait_for([&] { return node.phase("after") == "Succeeded"; }));
}

// What the state of its first container says, whatever it is.
std::string says(NodeUnderTest& node, const std::string& pod, const std::string& kind, const std::string& field) {
    return node.text_at(node.get(NodeUnderTest::pods() + "/" + pod),
                        "/status/containerStatuses/0/state/" + kind + "/" + field);
}

TEST(BadPod, WithoutACommandTheFirstArgumentIsTheProgram) {
    NodeUnderTest node("argument");
    ASSERT_TRUE(node.create_pod("program", R"({"name": "c", "image": "none", "args": ["sh", "-c", "exit 3"]})"));
    ASSERT_TRUE(node.create_pod("option", R"({"name": "c", "image": "perl", "args": ["--verbose"]})"));
    ASSERT_TRUE(node.create_pod("nothing", R"({"name": "c", "image": "perl"})"));
    for (const char* pod : {"program", "option", "nothing"})
        EXPECT_TRUE(node.wait_for([&] { return node.phase(pod) == "Failed"; })) << pod << ' ' << node.phase(pod);
    EXPECT_EQ(says(node, "program", "terminated", "reason"), "Error");
    EXPECT_EQ(says(node, "option", "terminated", "reason"), "StartError");
    EXPECT_THAT(says(node, "option", "terminated", "message"),
                testing::HasSubstr("container c has no command, so args[0] was taken for the program"));
    EXPECT_THAT(says(node, "nothing", "terminated", "message"),
                testing::HasSubstr("container c has neither command nor args"));
}

TEST(BadPod, ASubPathThatIsNotThereIsMade) {
    NodeUnderTest node("sub-path");
    const auto with_mount = [](const std::string& command, const std::string& path) {
        return R"x({"name": "c", "image": "none", "command": [)x" + command +
               R"x(], "env": [{"name": "UP", "value": ".."}], "volumeMounts": [{"name": "v", "mountPath": "/mnt", )x" +
               path + "}]}";
    };
    const std::string volumes = R"x(, "volumes": [{"name": "v", "emptyDir": {}}])x";
    ASSERT_TRUE(node.create_pod("made", with_mount(R"x("touch", "/mnt/file")x", R"x("subPath": "a/b")x"), volumes));
    ASSERT_TRUE(node.create_pod("out", with_mount(R"x("true")x", R"x("subPathExpr": "$(UP)")x"), volumes));
    EXPECT_TRUE(node.wait_for([&] { return node.phase("made") == "Succeeded"; }))
        << says(node, "made", "terminated", "message");
    EXPECT_TRUE(node.wait_for([&] { return says(node, "out", "waiting", "reason") == "CreateContainerConfigError"; }));
    EXPECT_EQ(says(node, "out", "waiting", "message"), "unable to provision SubPath `..`: must not contain '..'");
}

}  // namespace bad_pod_test
}  // namespace muster::e2e
