// The node agent on a whole server in virtual time, with containers that are simulated.
#include "node/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "node/process/process_pods.h"
#include "node/simulated/simulated_runs.h"
#include "server/local_client.h"
#include "server/testing/api_objects.h"

namespace muster::node {
namespace agent_test {

using api::coordination::Lease;
using api::core::ConfigMap;
using api::core::Event;
using api::core::Namespace;
using api::core::Node;
using api::core::Pod;
using server::ApiObjects;
using testing::Contains;
using testing::HasSubstr;

// What probes and hooks do takes as long, and ends so, as a test says.
class SetActions final : public Actions {
public:
    explicit SetActions(os::Loop& loop) : loop_(loop) {}
    os::Task<ActionResult> act(Action, ActionTarget, Duration) override {
        co_await os::sleep_for(loop_, takes);
        co_return result;
    }
    ActionResult result{};
    Duration takes{};

private:
    os::Loop& loop_;
};

// Has no memory for the runs of pods that say so.
class FragileRuns final : public Runs {
public:
    explicit FragileRuns(SimulatedRuns& inner) : inner_(inner) {}
    void listen(RunListener listener) override {
        told = listener;
        inner_.listen(std::move(listener));
    }
    void start(RunRequest request) override {
        if (request.annotations.find("test/too-large")) throw std::bad_alloc();
        inner_.start(std::move(request));
    }
    void signal(const RunKey& key, int number) override { inner_.signal(key, number); }
    void forget(const Text& pod_uid) override { inner_.forget(pod_uid); }

    RunListener told{};

private:
    SimulatedRuns& inner_;
};

class AgentTest : public testing::Test {
protected:
    explicit AgentTest(Duration disk_delay = 0ns) : world_({}, disk_delay), client_(world_.objects, node_user()) {
        world_.create<Namespace>("metadata: {name: kube-node-lease}");
        begin();
    }

    static server::User node_user() {
        server::User user;
        user.name = "system:node:n1";
        user.groups = {"system:nodes", "system:authenticated"};
        return user;
    }
    void begin() {
        AgentOptions options;
        const auto make_runtime = [this](const PodHost& host) {
            ProcessPodsOptions pods;
            pods.directory = "/data";
            pods.actions = &actions_;
            return std::make_unique<ProcessPods>(host, fragile_, pods);
        };
        NodeDescription node;
        node.name = "n1";
        node.host_ip = "10.0.0.1";
        node.cpu = api::Quantity::from_int(2);
        node.memory = api::Quantity::parse("4Gi").value();
        options.nodes.push_back(node);
        options.registration.room = [this] { return room_; };
        agent_.reset();
        agent_ = std::make_unique<Agent>(world_.loop, client_, metrics_, make_runtime, options);
        agent_->start();
    }
    void make_pod(const std::string& spec, const std::string& duration = "5s", const std::string& code = "0") {
        make_named_pod("p", spec, duration, code);
    }
    void make_named_pod(const std::string& name, const std::string& spec, const std::string& duration = "60m",
                        const std::string& code = "0") {
        world_.create<Pod>("metadata: {name: " + name + ", annotations: {simulation.muster.dev/duration: \"" +
                           duration + "\", simulation.muster.dev/exit-code: \"" + code + "\"}}\nspec: {nodeName: n1, " +
                           spec + "}\n");
    }
    const Pod& pod() { return world_.get<Pod>("p"); }
    std::vector<std::string> events() {
        std::vector<std::string> out;
        const auto listing = world_.loop.run(client_.list<Event>("ns")).value();
        for (const auto& event : listing.items) out.push_back(event->reason.str() + ": " + event->message.str());
        return out;
    }
    void run_for(Duration span) { world_.loop.run_for(span); }

    ApiObjects world_;
    server::LocalClient client_;
    client::Metrics metrics_;
    SimulatedRuns runtime_{world_.loop, 1};
    FragileRuns fragile_{runtime_};
    SetActions actions_{world_.loop};
    os::MachineRoom room_{};
    std::unique_ptr<Agent> agent_;
};

constexpr const char* kOnce = "restartPolicy: Never, containers: [{name: c, image: x, command: [run]}]";

TEST_F(AgentTest, TheNodeIsRegisteredAndShowsSignsOfLife) {
    run_for(1s);
    const Node& node = world_.get<Node>("n1");
    EXPECT_EQ(node.status.capacity.find("cpu")->text(), "2");
    EXPECT_EQ(node.status.conditions.back().type, "Ready");
    EXPECT_EQ(node.status.conditions.back().status, "True");
    const auto lease = [&] {
        return world_.loop.run(client_.get<Lease>(client::ObjectName("kube-node-lease", "n1"))).value();
    };
    const auto first = *lease()->spec.renew_time;
    run_for(11s);
    EXPECT_GT(*lease()->spec.renew_time, first);
    EXPECT_EQ(*lease()->spec.holder_identity, "n1");
}

TEST_F(AgentTest, TheNodeTellsWhatItsMachineRunsShortOf) {
    const auto condition = [&](std::string_view type) {
        for (const auto& each : world_.get<Node>("n1").status.conditions)
            if (each.type == type) return each.status.str() + ' ' + each.reason.str();
        return std::string();
    };
    run_for(1s);
    EXPECT_EQ(condition("MemoryPressure"), "False KubeletHasSufficientMemory");
    EXPECT_EQ(condition("DiskPressure"), "False KubeletHasNoDiskPressure");
    EXPECT_EQ(condition("PIDPressure"), "False KubeletHasSufficientPID");
    room_.memory_available = 1 << 20;
    room_.disk = room_.processes = 1000;
    run_for(11s);
    EXPECT_EQ(condition("MemoryPressure"), "True KubeletHasInsufficientMemory");
    EXPECT_EQ(condition("DiskPressure"), "True KubeletHasDiskPressure");
    EXPECT_EQ(condition("PIDPressure"), "True KubeletHasInsufficientPID");
    EXPECT_EQ(condition("Ready"), "True KubeletReady");
    room_ = {};
    run_for(60s);
    EXPECT_EQ(condition("DiskPressure"), "True KubeletHasDiskPressure") << "it may come back soon";
    run_for(250s);
    EXPECT_EQ(condition("DiskPressure"), "False KubeletHasNoDiskPressure");
}

TEST_F(AgentTest, APodRunsToItsEnd) {
    make_pod(kOnce);
    run_for(3s);
    EXPECT_EQ(pod().status.phase, "Running");
    EXPECT_FALSE(pod().status.pod_ip.empty());
    run_for(5s);
    EXPECT_EQ(pod().status.phase, "Succeeded");
    const auto& end = *pod().status.container_statuses[0].state.terminated;
    EXPECT_EQ(end.finished_at.unix_seconds() - end.started_at.unix_seconds(), 5);
    EXPECT_THAT(events(), Contains("Created: Container created"));
    EXPECT_THAT(events(), Contains("Started: Container started"));
}

std::string asks_for(const char* cpu) {
    return std::string(
               "restartPolicy: Never, containers: [{name: c, image: x, command: [run], resources: {requests: "
               "{cpu: ") +
           cpu + "}}}]";
}

TEST_F(AgentTest, APodThatNamesANodeWithoutRoomForItIsRejected) {
    make_named_pod("first", asks_for("1500m"), "10s");
    run_for(1s);
    make_pod(asks_for("1"));
    run_for(1s);
    EXPECT_EQ(pod().status.phase, "Failed");
    EXPECT_EQ(pod().status.reason, "OutOfcpu");
    EXPECT_EQ(pod().status.message,
              "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000");
    EXPECT_TRUE(pod().status.container_statuses.empty());
    EXPECT_THAT(events(), Contains("OutOfcpu: Node didn't have enough resource: cpu, requested: 1000, used: 1500, "
                                   "capacity: 2000"));
    EXPECT_EQ(world_.get<Pod>("first").status.phase, "Running");
    run_for(10s);
    make_named_pod("after", asks_for("2"));
    run_for(1s);
    EXPECT_EQ(world_.get<Pod>("after").status.phase, "Running") << "the first has given its room back";
}

TEST_F(AgentTest, WhatRunsIsNotAskedAgainAndKeepsItsRoom) {
    make_named_pod("first", asks_for("1500m"));
    run_for(1s);
    begin();
    run_for(1s);
    EXPECT_EQ(world_.get<Pod>("first").status.phase, "Running");
    make_pod(asks_for("1"));
    run_for(1s);
    EXPECT_EQ(pod().status.reason, "OutOfcpu");
}

TEST_F(AgentTest, AnExceptionBecauseOfOnePodCostsThatPodOnly) {
    world_.create<Pod>(
        std::string("metadata: {name: bad, annotations: {test/too-large: \"\"}}\nspec: {nodeName: n1, ") + kOnce +
        "}\n");
    testing::internal::CaptureStderr();
    run_for(1s);
    make_pod(kOnce);
    run_for(10s);
    EXPECT_EQ(pod().status.phase, "Succeeded");
    EXPECT_THAT(events(), Contains("FailedSync: error syncing pod: std::bad_alloc"));
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("muster: pod ns/bad failed: std::bad_alloc\n"));
    run_for(60s);
    EXPECT_TRUE(world_.loop.run(client_.get<Pod>(client::ObjectName("ns", "bad"))).ok());
}

TEST_F(AgentTest, WhatTheRuntimeReportsAboutThePodAndTheNodeBecomesEvents) {
    world_.create<Namespace>("metadata: {name: default}");
    make_pod(kOnce);
    run_for(1s);
    testing::internal::CaptureStderr();
    fragile_.told.waits({pod().metadata.uid, "c", 0}, "its helper is old");
    fragile_.told.notice("NodeHelperVersion", "the helper is old");
    run_for(1s);
    EXPECT_THAT(events(), Contains("ContainerWaits: its helper is old"));
    std::vector<std::string> of_node;
    const auto listed = world_.loop.run(client_.list<Event>("default"));
    for (const auto& event : listed->items)
        of_node.push_back(event->involved_object.kind.str() + ' ' + event->reason.str() + ": " + event->message.str());
    EXPECT_THAT(of_node, Contains("Node NodeHelperVersion: the helper is old"));
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("muster: a check of the node (NodeHelperVersion) failed: the helper is old\n"));
}

TEST_F(AgentTest, APodOfAnotherNodeIsLeftAlone) {
    world_.create<Pod>("metadata: {name: p}\nspec: {nodeName: n2, containers: [{name: c, image: x, command: [run]}]}");
    run_for(10s);
    EXPECT_TRUE(runtime_.runs().empty());
    EXPECT_EQ(pod().status.phase, "Pending");
}

TEST_F(AgentTest, AFailureIsRestartedLaterEachTime) {
    make_pod("restartPolicy: OnFailure, containers: [{name: c, image: x, command: [run]}]", "1s", "2");
    run_for(5s);  // ends at 1s and at 2s, starts again at 12s
    const auto& waiting = pod().status.container_statuses[0];
    EXPECT_EQ(waiting.restart_count, 1);
    ASSERT_TRUE(waiting.state.waiting);
    EXPECT_EQ(waiting.state.waiting->reason, "CrashLoopBackOff");
    EXPECT_THAT(waiting.state.waiting->message.str(),
                HasSubstr("back-off 10s restarting failed container=c pod=p_ns("));
    EXPECT_EQ(waiting.last_state.terminated->exit_code, 2);
    EXPECT_EQ(pod().status.phase, "Running");
    EXPECT_THAT(events(), Contains(HasSubstr("BackOff: Back-off restarting failed container c in pod p_ns(")));
    const auto times_told = [&] {
        int times = 0;
        const auto listing = world_.loop.run(client_.list<Event>("ns")).value();
        for (const auto& event : listing.items)
            if (event->reason == "BackOff") times += event->count;
        return times;
    };
    EXPECT_EQ(times_told(), 1);
    ASSERT_TRUE(world_.update<Pod>("p", [](Pod& pod) { pod.metadata.labels.set("looked", "again"); }).ok());
    run_for(1s);
    EXPECT_EQ(times_told(), 1) << "once for each attempt";
    run_for(6500ms);
    EXPECT_EQ(pod().status.container_statuses[0].restart_count, 2);
}

TEST_F(AgentTest, ADeletedPodIsStoppedAndGoes) {
    make_pod(kOnce, "60m");
    run_for(1s);
    ASSERT_TRUE(world_.remove<Pod>("p").ok());
    EXPECT_NE(world_.find<Pod>("p"), nullptr) << "it has its grace";
    run_for(1s);
    EXPECT_EQ(world_.find<Pod>("p"), nullptr);
    EXPECT_TRUE(runtime_.runs().empty());
    EXPECT_THAT(events(), Contains("Killing: Stopping container c"));
}

TEST_F(AgentTest, APodThatIsRemovedAtOnceIsEnded) {
    make_pod(kOnce, "60m");
    run_for(1s);
    ASSERT_TRUE(world_.remove<Pod>("p", "gracePeriodSeconds: 0").ok());
    run_for(1s);
    EXPECT_TRUE(runtime_.runs().empty());
}

TEST_F(AgentTest, ADeadlineFailsThePod) {
    make_pod("activeDeadlineSeconds: 10, " + std::string(kOnce), "60m");
    run_for(9s);
    EXPECT_EQ(pod().status.phase, "Running");
    run_for(2s);
    EXPECT_EQ(pod().status.phase, "Failed");
    EXPECT_EQ(pod().status.reason, "DeadlineExceeded");
    EXPECT_EQ(pod().status.container_statuses[0].state.terminated->exit_code, 143);
}

TEST_F(AgentTest, AContainerThatFailsItsLivenessProbeIsStartedAgain) {
    actions_.result = {ActionResult::Kind::kFailure, "no answer"};
    make_pod(
        "restartPolicy: Always, containers: [{name: c, image: x, command: [run], livenessProbe: {periodSeconds: 5, "
        "failureThreshold: 2, exec: {command: [x]}}}]",
        "60m");
    run_for(4s);
    EXPECT_EQ(pod().status.container_statuses[0].restart_count, 0);
    run_for(3s);
    EXPECT_EQ(pod().status.container_statuses[0].restart_count, 1);
    EXPECT_EQ(pod().status.container_statuses[0].last_state.terminated->exit_code, 143);
    EXPECT_THAT(events(), Contains("Unhealthy: Liveness probe failed: no answer"));
    EXPECT_THAT(events(), Contains("Killing: Container c failed liveness probe, will be restarted"));
}

TEST_F(AgentTest, ASidecarsStartupProbeHoldsTheContainersBack) {
    actions_.takes = 7s;
    make_pod(
        "initContainers: [{name: s, image: x, command: [run], restartPolicy: Always, startupProbe: {timeoutSeconds: 9, "
        "exec: {command: [x]}}}], containers: [{name: c, image: x, command: [run]}]",
        "60m");
    run_for(5s);
    EXPECT_EQ(runtime_.runs().size(), 1u);
    EXPECT_EQ(pod().status.phase, "Pending");
    run_for(5s);
    EXPECT_EQ(runtime_.runs().size(), 2u);
    EXPECT_EQ(pod().status.phase, "Running");
}

TEST_F(AgentTest, TheSignalWaitsForThePreStopHook) {
    actions_.takes = 6s;
    make_pod(
        "restartPolicy: Never, containers: [{name: c, image: x, command: [run], lifecycle: {preStop: {exec: {command: "
        "[x]}}}}]",
        "60m");
    run_for(2s);
    ASSERT_TRUE(world_.remove<Pod>("p").ok());
    run_for(5s);
    ASSERT_NE(world_.find<Pod>("p"), nullptr);
    EXPECT_TRUE(pod().status.container_statuses[0].state.running) << "it has not been asked to end yet";
    EXPECT_THAT(events(), Contains("Killing: Stopping container c"));
    run_for(3s);
    EXPECT_EQ(world_.find<Pod>("p"), nullptr);
}

TEST_F(AgentTest, WhatIsMissingIsToldAndTriedAgain) {
    make_pod(
        "restartPolicy: Never, containers: [{name: c, image: x, command: [run], env: [{name: V, valueFrom: "
        "{configMapKeyRef: {name: cm, key: k}}}]}]");
    run_for(5s);
    ASSERT_TRUE(pod().status.container_statuses[0].state.waiting);
    EXPECT_EQ(pod().status.container_statuses[0].state.waiting->reason, "CreateContainerConfigError");
    EXPECT_EQ(pod().status.container_statuses[0].state.waiting->message, "configmap \"cm\" not found");
    EXPECT_THAT(events(), Contains("Failed: Error: configmap \"cm\" not found"));
    world_.create<ConfigMap>("metadata: {name: cm}\ndata: {k: v}\n");
    run_for(20s);
    EXPECT_EQ(pod().status.phase, "Succeeded");
}

TEST_F(AgentTest, WhatCannotBeGivenIsRefused) {
    make_pod(
        "restartPolicy: Never, containers: [{name: c, image: x, command: [run], livenessProbe: {grpc: {port: 1}}}]");
    run_for(2s);
    ASSERT_TRUE(pod().status.container_statuses[0].state.waiting);
    EXPECT_THAT(pod().status.container_statuses[0].state.waiting->message.str(),
                HasSubstr("does not ask gRPC services"));
    EXPECT_TRUE(runtime_.runs().empty());
}

TEST_F(AgentTest, AnAgentThatComesBackGoesOnWithWhatRuns) {
    make_pod(kOnce, "10s");
    run_for(3s);
    begin();
    run_for(3s);
    EXPECT_EQ(pod().status.phase, "Running");
    EXPECT_EQ(runtime_.runs().size(), 1u);
    agent_.reset();
    begin();
    run_for(10s);
    EXPECT_EQ(pod().status.phase, "Succeeded");
    EXPECT_EQ(runtime_.runs().size(), 1u);
}

TEST_F(AgentTest, APodKeepsTheAddressItWasStartedWithWhenTheAgentGoesBeforeItHasToldIt) {
    make_pod(kOnce, "60m");
    ASSERT_TRUE(world_.loop.run_until([&] { return !runtime_.runs().empty(); }));
    const Text given = runtime_.runs().begin()->second.pod_ip;
    ASSERT_TRUE(pod().status.pod_ip.empty());
    agent_.reset();
    make_named_pod("earlier", kOnce);
    begin();
    run_for(2s);
    EXPECT_EQ(pod().status.pod_ip, given);
    EXPECT_FALSE(world_.get<Pod>("earlier").status.pod_ip.empty());
    EXPECT_NE(world_.get<Pod>("earlier").status.pod_ip, given);
}

TEST_F(AgentTest, AnAddressThatAStoredPodHasIsGivenToNoOther) {
    // It waits, so that nothing of it runs.
    make_pod(
        "restartPolicy: Never, containers: [{name: c, image: x, command: [run], env: [{name: V, valueFrom: "
        "{configMapKeyRef: {name: cm, key: k}}}]}]");
    run_for(1s);
    const Text given = pod().status.pod_ip;
    ASSERT_FALSE(given.empty());
    agent_.reset();
    make_named_pod("earlier", kOnce);
    begin();
    run_for(2s);
    EXPECT_EQ(pod().status.pod_ip, given);
    EXPECT_NE(world_.get<Pod>("earlier").status.pod_ip, given);
}

class SlowDisk : public AgentTest {
protected:
    SlowDisk() : AgentTest(500ms) {}
};

TEST_F(SlowDisk, NothingStartsBeforeTheBindingIsDurable) {
    run_for(10s);
    make_pod(kOnce, "60m");
    const auto revision = world_.store->revision();
    while (runtime_.runs().empty()) run_for(1ms);
    EXPECT_GE(world_.store->durable_revision(), revision);
}

TEST_F(SlowDisk, NothingIsSignalledBeforeTheDeletionIsDurable) {
    make_pod(kOnce, "60m");
    while (runtime_.runs().empty()) run_for(1ms);
    run_for(10s);
    ASSERT_TRUE(world_.remove<Pod>("p").ok());
    const auto revision = world_.store->revision();
    while (!runtime_.runs().empty() && runtime_.runs().begin()->second.active()) run_for(1ms);
    EXPECT_GE(world_.store->durable_revision(), revision);
}

}  // namespace agent_test
}  // namespace muster::node
