// A data directory that gets another node than it had: the machine has another name, or `--node` says another thing.
// Work goes on, and none is given to a node that is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/node/node_under_test.h"

namespace muster::e2e {
namespace other_node_test {

using testing::ElementsAre;

class NodesOf {
public:
    NodesOf(const std::string& directory, const std::string& node)
        : server_(directory, {"--node", node}), connection_(server_.connect()) {}

    boost::json::array list() {
        cli::Request request;
        request.method = "GET";
        request.target = "/api/v1/nodes";
        const auto response = connection_->send(request);
        CHECK(response.ok() && response->status == 200);
        return boost::json::parse(response->body).at("items").as_array();
    }
    std::vector<std::string> names() {
        std::vector<std::string> names;
        for (const auto& node : list()) names.emplace_back(node.at("metadata").at("name").as_string());
        return names;
    }
    // Of the only node: Ready's status, and its taints.
    std::string ready_and_taints() {
        std::string text;
        const auto nodes = list();
        const auto& node = nodes.at(0);
        for (const auto& condition : node.at("status").at("conditions").as_array())
            if (condition.at("type") == "Ready") text += condition.at("status").as_string();
        if (const auto* taints = node.at("spec").as_object().if_contains("taints"))
            for (const auto& taint : taints->as_array()) text += ' ' + std::string(taint.at("key").as_string());
        return text;
    }
    bool wait_for(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!holds() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return holds();
    }

private:
    RunningServer server_;
    std::unique_ptr<cli::Connection> connection_;
};

TEST(OtherNode, SimulatedNodesOfAnEarlierRunAreGone) {
    const std::string directory = fresh_directory("earlier-simulated");
    {
        NodesOf first(directory, "simulated=3,seed=7");
        EXPECT_TRUE(first.wait_for([&] { return first.names().size() == 3; }));
    }
    {
        NodesOf fewer(directory, "simulated=1");
        EXPECT_THAT(fewer.names(), ElementsAre("simulated-0"));
    }
    {
        NodesOf none(directory, "none");
        EXPECT_TRUE(none.names().empty());
    }
    std::filesystem::remove_all(directory);
}

TEST(OtherNode, ANodeOfProcessesIsUnreachableWhileThereIsNone) {
    const std::string directory = fresh_directory("earlier-process");
    std::vector<std::string> names;
    {
        NodesOf first(directory, "process");
        EXPECT_TRUE(first.wait_for([&] { return first.names().size() == 1; }));
        EXPECT_TRUE(first.wait_for([&] { return first.ready_and_taints() == "True"; }));
        names = first.names();
    }
    {
        NodesOf none(directory, "none");
        EXPECT_EQ(none.names(), names);
        EXPECT_EQ(none.ready_and_taints(), "Unknown node.kubernetes.io/unreachable");
    }
    {
        NodesOf again(directory, "process");
        EXPECT_TRUE(again.wait_for([&] { return again.ready_and_taints() == "True"; })) << again.ready_and_taints();
        EXPECT_EQ(again.names(), names);
    }
    std::filesystem::remove_all(directory);
}

TEST(OtherNode, WorkGoesOnWhenTheMachineGetsAnotherName) {
    if (::getuid() != 0) GTEST_SKIP() << "only root can give a machine another name";
    NodeUnderTest node("renamed");
    ASSERT_TRUE(node.create_pod("p", node.container("until [ -e $D/go ]; do sleep 0.05; done; exit 0")));
    ASSERT_TRUE(node.wait_for([&] { return node.phase("p") == "Running"; }));
    node.kill_server();
    node.set_wrapper({"unshare", "--uts", "sh", "-c", "hostname another; exec \"$@\"", "sh"});
    node.start();
    std::ofstream(node.directory() + "/go") << "go";
    EXPECT_TRUE(node.wait_for([&] { return node.phase("p") == "Succeeded"; })) << node.phase("p");
    ASSERT_TRUE(node.create_pod("q", node.container("exit 0")));
    EXPECT_TRUE(node.wait_for([&] { return node.phase("q") == "Succeeded"; })) << node.phase("q");
    const auto nodes = node.get("/api/v1/nodes");
    ASSERT_TRUE(nodes);
    EXPECT_EQ(nodes->at("items").as_array().size(), 1u);
}

}  // namespace other_node_test
}  // namespace muster::e2e
