// The agent with runtimes that it does not know: one whose containers are neither processes nor simulated, and the
// simulated one.
#include "node/runtime/pod_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "node/agent.h"
#include "node/simulated/simulated_pods.h"
#include "node/simulated/simulated_runs.h"
#include "os/process/process_table.h"
#include "server/local_client.h"
#include "server/testing/api_objects.h"

namespace muster::node {
namespace pod_runtime_test {

using api::core::Event;
using api::core::Namespace;
using api::core::Pod;
using testing::Contains;
using testing::ElementsAre;

// Makes the address of a pod with its first container, as runtimes with networks of their own do.
class ImageRuntime final : public PodRuntime {
public:
    explicit ImageRuntime(std::vector<std::string>& calls) : calls_(calls) {}

    void begin(RunListener listener) override {
        listener_ = std::move(listener);
        listener_.in_touch();
    }
    os::Task<Created> create(ContainerStart start) override {
        if (start.container->image == "missing") {
            Obstacle obstacle;
            obstacle.why = "no image";
            co_return Created(std::move(obstacle));
        }
        calls_.push_back("create " + start.container->image.str());
        std::unique_ptr<CreatedContainer> created = std::make_unique<Container>(*this, start.key());
        co_return Created(std::move(created));
    }
    void adopt(const PodRef&, const NodeFacts&, const Text&) override {}
    void signal(const RunKey& key, int number) override {
        calls_.push_back("signal " + std::to_string(number));
        report(key, RunState::kEnded, number);
    }
    void forget(const Text&) override { calls_.push_back("forget"); }
    std::vector<Text> list_pods() override { return {"left-over"}; }
    std::string read_message(const api::core::Container&, const RunKey&, int) override { return "last words"; }
    std::string explain_not_started(const api::core::Container&) const override { return {}; }
    bool is_measured(const Pod&) const override { return true; }
    os::Task<StorageUse> measure(PodRef) override {
        StorageUse use;
        use.pod = 2u << 20;
        co_return use;
    }
    PodAddresses& addresses() override { return addresses_; }
    Actions* actions() override { return nullptr; }
    client::PodAccess* access() override { return nullptr; }

private:
    class Container final : public CreatedContainer {
    public:
        Container(ImageRuntime& owner, RunKey key) : owner_(owner), key_(std::move(key)) {}
        void start() override {
            owner_.calls_.push_back("start");
            owner_.report(key_, RunState::kRunning, 0);
        }

    private:
        ImageRuntime& owner_;
        const RunKey key_;
    };
    class NoneYet final : public PodAddresses {
    public:
        Text give() override { return {}; }
        void keep(const Text&) override {}
        void take_back(const Text&) override {}
    };
    void report(const RunKey& key, RunState state, int number) {
        RunRecord record;
        record.key = key;
        record.state = state;
        record.signal = number;
        record.pod_ip = "10.9.8.7";
        listener_.run(record);
    }

    std::vector<std::string>& calls_;
    RunListener listener_;
    NoneYet addresses_;
};

class PodRuntimeTest : public testing::Test {
protected:
    PodRuntimeTest() : client_(world_.objects, server::controller_user("node")) {
        world_.create<Namespace>("metadata: {name: kube-node-lease}");
    }
    void begin(const MakePodRuntime& make_runtime) {
        AgentOptions options;
        NodeDescription node;
        node.name = "n1";
        node.host_ip = "10.0.0.1";
        node.cpu = api::Quantity::from_int(2);
        node.memory = api::Quantity::parse("4Gi").value();
        node.ephemeral_storage = api::Quantity::parse("4Gi").value();
        options.nodes.push_back(node);
        agent_ = std::make_unique<Agent>(world_.loop, client_, metrics_, make_runtime, options);
        agent_->start();
    }
    void make_pod(const std::string& container, const std::string& annotations = "{}") {
        world_.create<Pod>("metadata: {name: p, annotations: " + annotations +
                           "}\nspec: {nodeName: n1, restartPolicy: Never, containers: [{name: c, " + container +
                           "}]}\n");
    }
    const Pod& pod() { return world_.get<Pod>("p"); }
    std::vector<std::string> events() {
        std::vector<std::string> out;
        const auto listing = world_.loop.run(client_.list<Event>("ns")).value();
        for (const auto& event : listing.items) out.push_back(event->reason.str() + ": " + event->message.str());
        return out;
    }

    server::ApiObjects world_;
    server::LocalClient client_;
    client::Metrics metrics_;
    std::vector<std::string> calls_;
    std::unique_ptr<Agent> agent_;
};

TEST_F(PodRuntimeTest, ARuntimeThatTheAgentDoesNotKnowRunsAPodFromItsStartToItsEnd) {
    begin([this](const PodHost&) { return std::make_unique<ImageRuntime>(calls_); });
    make_pod("image: perl");
    world_.loop.run_for(1s);
    EXPECT_THAT(calls_, ElementsAre("forget", "create perl", "start")) << "first what an earlier pod left is removed";
    EXPECT_EQ(pod().status.phase, "Running");
    EXPECT_EQ(pod().status.pod_ip, "10.9.8.7") << "the runtime made the address with the container";
    calls_.clear();
    ASSERT_TRUE(world_.remove<Pod>("p").ok());
    world_.loop.run_for(1s);
    EXPECT_EQ(world_.find<Pod>("p"), nullptr);
    EXPECT_THAT(calls_, ElementsAre("signal " + std::to_string(os::kTermSignal), "forget"));
}

TEST_F(PodRuntimeTest, WhatTheRuntimeMeasuresAndReadsIsInThePodsStatus) {
    begin([this](const PodHost&) { return std::make_unique<ImageRuntime>(calls_); });
    make_pod("image: perl, resources: {limits: {ephemeral-storage: 1Mi}}");
    world_.loop.run_for(12s);
    EXPECT_EQ(pod().status.phase, "Failed");
    EXPECT_EQ(pod().status.reason, "Evicted");
    EXPECT_EQ(pod().status.container_statuses[0].state.terminated->message, "last words");
}

TEST_F(PodRuntimeTest, AContainerThatTheRuntimeCannotCreateWaitsWithTheReason) {
    begin([this](const PodHost&) { return std::make_unique<ImageRuntime>(calls_); });
    make_pod("image: missing");
    world_.loop.run_for(1s);
    ASSERT_TRUE(pod().status.container_statuses[0].state.waiting);
    EXPECT_EQ(pod().status.container_statuses[0].state.waiting->message, "no image");
    EXPECT_EQ(calls_, std::vector<std::string>{"forget"});
}

class SimulatedPodsTest : public PodRuntimeTest {
protected:
    SimulatedPodsTest() {
        begin([this](const PodHost& host) { return std::make_unique<SimulatedPods>(host, runs_); });
    }
    SimulatedRuns runs_{world_.loop, 1};
};

TEST_F(SimulatedPodsTest, AnAnnotationThatASimulationCannotReadIsToldOnce) {
    world_.create<Pod>(
        "metadata: {name: p, annotations: {simulation.muster.dev/duration: soon, simulation.muster.dev/exit-code: "
        "\"1\"}}\nspec: {nodeName: n1, restartPolicy: OnFailure, containers: [{name: c, image: x}]}\n");
    world_.loop.run_for(5s);
    EXPECT_EQ(pod().status.container_statuses[0].restart_count, 1);
    const std::vector<std::string> told = events();
    EXPECT_EQ(std::count_if(told.begin(), told.end(),
                            [](const std::string& each) { return each.starts_with("SimulationNotUnderstood: "); }),
              1);
    EXPECT_THAT(told, Contains(testing::HasSubstr("simulation.muster.dev/duration: \"soon\"")));
}

TEST_F(SimulatedPodsTest, APodNeedsNothingThatAProcessWouldNeed) {
    make_pod(
        "image: x, env: [{name: V, valueFrom: {configMapKeyRef: {name: none, key: k}}}], livenessProbe: {grpc: {port: "
        "1}}",
        "{simulation.muster.dev/duration: 60m}");
    world_.loop.run_for(2s);
    EXPECT_EQ(pod().status.phase, "Running");
    EXPECT_TRUE(pod().status.container_statuses[0].ready) << "it has no probes that could be asked";
    EXPECT_FALSE(pod().status.pod_ip.empty());
    EXPECT_EQ(agent_->runtime().access(), nullptr);
}

}  // namespace pod_runtime_test
}  // namespace muster::node
