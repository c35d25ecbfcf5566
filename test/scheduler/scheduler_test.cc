// The scheduler on a whole API server in virtual time: what it stores, tells and tries again.
#include "scheduler/scheduler.h"

#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "server/local_client.h"
#include "server/testing/api_objects.h"

namespace muster::scheduler {
namespace scheduler_test {

using api::core::Event;
using api::core::Node;
using api::core::Pod;

// Refuses the next bindings, and statuses that name a disruption, as many as it is told.
class RefusingClient final : public client::Client {
public:
    explicit RefusingClient(client::Client& inner) : inner_(inner) {}
    int refusals = 0;
    int mark_refusals = 0;
    Code mark_refusal = Code::kUnavailable;

    os::Task<Result<client::AnyObject>> get_any(const api::KindInfo& kind, client::ObjectName name,
                                                View view) override {
        return inner_.get_any(kind, std::move(name), view);
    }
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_,
                                                  View view) override {
        return inner_.list_any(kind, std::move(namespace_), view);
    }
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string version, View view) override {
        return inner_.watch_any(kind, std::move(namespace_), std::move(version), view);
    }
    os::Task<Result<client::AnyObject>> patch_any(const api::KindInfo& kind, client::ObjectName name,
                                                  client::MetadataPatch patch, View view) override {
        return inner_.patch_any(kind, std::move(name), std::move(patch), view);
    }
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, client::ObjectName name,
                                      client::Removal removal) override {
        return inner_.remove_any(kind, std::move(name), std::move(removal));
    }
    os::Task<Result<void>> bind(client::ObjectName pod, Text uid, Text node) override {
        if (refusals > 0) {
            --refusals;
            co_return Error{Code::kUnavailable, "not now"};
        }
        co_return co_await inner_.bind(std::move(pod), std::move(uid), std::move(node));
    }
    os::Task<Result<client::AnyObject>> create_any(const api::KindInfo& kind, client::AnyObject draft) override {
        return inner_.create_any(kind, std::move(draft));
    }
    os::Task<Result<client::AnyObject>> change_any(const api::KindInfo& kind, client::AnyObject before,
                                                   client::AnyObject after, client::Part part) override {
        if (part == client::Part::kStatus && &kind == &api::kind_info<Pod>() && mark_refusals > 0)
            for (const auto& condition : static_cast<const Pod*>(after.get())->status.conditions)
                if (condition.type == "DisruptionTarget") return refuse_mark();
        return inner_.change_any(kind, std::move(before), std::move(after), part);
    }

private:
    os::Task<Result<client::AnyObject>> refuse_mark() {
        --mark_refusals;
        co_return Error{mark_refusal, "not now"};
    }
    client::Client& inner_;
};

struct SchedulerTest : testing::Test {
    SchedulerTest() { start(); }
    void start() {
        running.reset();
        running = std::make_unique<Scheduler>(api.loop, asked, metrics);
        running->start();
        api.loop.run_for(10ms);
    }
    void node(const std::string& name, const std::string& cpu, const std::string& more = "") {
        api.create<Node>("{metadata: {name: " + name + "}, " + more + " status: {allocatable: {cpu: '" + cpu +
                         "', memory: 8Gi, pods: '110'}}}");
        // A node that is created has no status yet.
        Node draft = get<Node>("", name);
        draft.status.allocatable.set("cpu", api::Quantity::parse(cpu).value());
        draft.status.allocatable.set("memory", api::Quantity::parse("8Gi").value());
        draft.status.allocatable.set("pods", api::Quantity::from_int(110));
        ASSERT_TRUE(
            api.loop
                .run(client.change_status<Node>(std::make_shared<const Node>(get<Node>("", name)), std::move(draft)))
                .ok());
    }
    void pod(const std::string& name, const std::string& cpu, const std::string& more = "") {
        api.create<Pod>("{metadata: {name: " + name + "}, spec: {" + more +
                        " containers: [{name: c, image: i, resources: {requests: {cpu: '" + cpu + "'}}}]}}");
    }
    void make_vip() {
        // Priority comes from a class; system-node-critical is there from the first start, but not in this small world.
        auto vip = server::ApiObjects::draft<Pod>(
            "{metadata: {name: vip}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}}");
        server::as<Pod>(*vip).spec.priority = 100;
        server::Objects bare(api.loop, *api.store, {}, {}, 9);
        ASSERT_TRUE(bare.create(server::ApiObjects::place<Pod>("vip"), std::move(vip), {}).ok());
    }
    template <class K>
    K get(const std::string& in, const std::string& name) {
        auto found = api.loop.run(client.get<K>(client::ObjectName(in, name)));
        CHECK(found.ok(), name);
        return **found;
    }
    std::string node_of(const std::string& name) { return get<Pod>("ns", name).spec.node_name.str(); }
    std::string condition_of(const std::string& name, const char* type = "PodScheduled") {
        for (const auto& condition : get<Pod>("ns", name).status.conditions)
            if (condition.type == type)
                return condition.status.str() + ' ' + condition.reason.str() + ' ' + condition.message.str();
        return "";
    }
    std::string events_about(const std::string& name) {
        std::string text;
        const auto events = api.loop.run(client.list<Event>("ns")).value();
        for (const auto& event : events.items)
            if (event->involved_object.name == name)
                text += event->type.str() + ' ' + event->reason.str() + ' ' + event->message.str() + '\n';
        return text;
    }
    void remove(const std::string& name, std::int64_t grace = 0) {
        client::Removal removal;
        removal.grace_seconds = grace;
        ASSERT_TRUE(api.loop.run(client.remove<Pod>(client::ObjectName("ns", name), removal)).ok());
    }

    server::ApiObjects api;
    server::LocalClient client{api.objects, server::controller_user("scheduler")};
    RefusingClient asked{client};
    client::Metrics metrics;
    std::unique_ptr<Scheduler> running;
};

TEST_F(SchedulerTest, GivesAPodItsNodeAndSaysSo) {
    node("n1", "4");
    pod("p", "1");
    api.loop.run_for(100ms);
    EXPECT_EQ(node_of("p"), "n1");
    EXPECT_EQ(condition_of("p"), "True  ");
    EXPECT_EQ(events_about("p"), "Normal Scheduled Successfully assigned ns/p to n1\n");
    EXPECT_NE(metrics.format().find(
                  "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1"),
              std::string::npos);
}

TEST_F(SchedulerTest, ABindingThatFailsGivesItsRoomBackAndIsTriedAgain) {
    node("n1", "1");
    asked.refusals = 1;
    pod("a", "1");
    api.loop.run_for(100ms);
    EXPECT_EQ(node_of("a"), "");
    EXPECT_EQ(events_about("a"), "Warning FailedScheduling binding rejected: not now\n");
    const auto shows = [&](const std::string& line) {
        return metrics.format().find("scheduler_" + line + '\n') != std::string::npos;
    };
    EXPECT_TRUE(shows("schedule_attempts_total{profile=\"default-scheduler\",result=\"error\"} 1")) << metrics.format();
    EXPECT_TRUE(shows("pending_pods{queue=\"unschedulable\"} 1")) << metrics.format();
    pod("b", "1");
    api.loop.run_for(100ms);
    EXPECT_EQ(node_of("b"), "n1") << "a pod that was not bound takes no room and does not delay others";
    remove("b");
    api.loop.run_for(15s);
    EXPECT_EQ(node_of("a"), "n1");
    EXPECT_TRUE(shows("pending_pods{queue=\"unschedulable\"} 0")) << metrics.format();
}

TEST_F(SchedulerTest, TellsWhoHasToWaitAndPlacesItWhenANodeComes) {
    node("n1", "1");
    pod("p", "2");
    api.loop.run_for(3s);
    const std::string why =
        "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful "
        "for scheduling.";
    EXPECT_EQ(condition_of("p"), "False Unschedulable " + why);
    EXPECT_EQ(events_about("p"), "Warning FailedScheduling " + why + '\n');
    node("n2", "4");
    api.loop.run_for(100ms);
    EXPECT_EQ(node_of("p"), "n2");
}

TEST_F(SchedulerTest, TellsWhoHasToWaitThoughNothingElseHappens) {
    node("n1", "1");
    pod("first", "1");
    api.loop.run_for(5s);
    ASSERT_EQ(node_of("first"), "n1");
    pod("p", "1", "nodeSelector: {zone: nowhere},");
    api.loop.run_for(3s);
    EXPECT_EQ(condition_of("p"),
              "False Unschedulable 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. "
              "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
}

TEST_F(SchedulerTest, UsesRoomAsSoonAsItIsFree) {
    node("n1", "2");
    for (const char* name : {"a", "b", "c", "d"}) pod(name, "1");
    api.loop.run_for(100ms);
    EXPECT_EQ(node_of("a") + node_of("b") + node_of("c") + node_of("d"), "n1n1");
    remove("a");
    api.loop.run_for(10ms);
    EXPECT_EQ(node_of("c"), "n1");
    Pod ended = get<Pod>("ns", "b");
    ended.status.phase = "Succeeded";
    ASSERT_TRUE(
        api.loop.run(client.change_status<Pod>(std::make_shared<const Pod>(get<Pod>("ns", "b")), std::move(ended)))
            .ok());
    api.loop.run_for(10ms);
    EXPECT_EQ(node_of("d"), "n1");
}

TEST_F(SchedulerTest, LeavesAloneGatedPodsAndPodsOfOtherSchedulers) {
    node("n1", "4");
    pod("gated", "1", "schedulingGates: [{name: example.com/wait}],");
    pod("other", "1", "schedulerName: mine,");
    api.loop.run_for(5s);
    EXPECT_EQ(node_of("gated") + node_of("other"), "");
    Pod opened = get<Pod>("ns", "gated");
    opened.spec.scheduling_gates.reset();
    ASSERT_TRUE(
        api.loop.run(client.change<Pod>(std::make_shared<const Pod>(get<Pod>("ns", "gated")), std::move(opened))).ok());
    api.loop.run_for(100ms);
    EXPECT_EQ(node_of("gated"), "n1");
}

TEST_F(SchedulerTest, DoesNothingWhileNothingChanges) {
    node("n1", "1");
    pod("p", "2");
    api.loop.run_for(30s);
    const auto revision = api.store->revision();
    api.loop.run_for(250s);
    EXPECT_EQ(api.store->revision(), revision);
}

TEST_F(SchedulerTest, MakesRoomForAMoreImportantPod) {
    node("n1", "2");
    pod("low", "2");
    api.loop.run_for(100ms);
    ASSERT_EQ(node_of("low"), "n1");
    make_vip();
    api.loop.run_for(2s);
    EXPECT_EQ(get<Pod>("ns", "vip").status.nominated_node_name, Text("n1"));
    EXPECT_TRUE(get<Pod>("ns", "low").metadata.deletion_timestamp.has_value());
    EXPECT_EQ(condition_of("low", "DisruptionTarget"),
              "True PreemptionByScheduler default-scheduler: preempting to accommodate a higher priority pod");
    EXPECT_NE(events_about("low").find("Normal Preempted Preempted by pod "), std::string::npos);
    // The room is promised.
    pod("small", "1");
    api.loop.run_for(2s);
    EXPECT_EQ(node_of("small"), "");
    remove("low");
    api.loop.run_for(2s);
    EXPECT_EQ(node_of("vip"), "n1");
    EXPECT_EQ(node_of("small"), "n1");
    EXPECT_EQ(get<Pod>("ns", "vip").status.nominated_node_name, Text());
}

TEST_F(SchedulerTest, AVictimGoesOnlyOnceItIsStoredWhy) {
    node("n1", "2");
    pod("low", "2");
    api.loop.run_for(100ms);
    asked.mark_refusals = 2;
    make_vip();
    api.loop.run_for(500ms);
    EXPECT_EQ(asked.mark_refusals, 1);
    EXPECT_FALSE(get<Pod>("ns", "low").metadata.deletion_timestamp.has_value());
    api.loop.run_for(5s);
    EXPECT_EQ(asked.mark_refusals, 0);
    EXPECT_TRUE(get<Pod>("ns", "low").metadata.deletion_timestamp.has_value()) << "it is tried again";
    EXPECT_NE(condition_of("low", "DisruptionTarget"), "");
}

TEST_F(SchedulerTest, AVictimWhoseNodeWritesItsStatusMeanwhileIsMarkedAllTheSame) {
    node("n1", "2");
    pod("low", "2");
    api.loop.run_for(100ms);
    asked.mark_refusals = 3;
    asked.mark_refusal = Code::kConflict;
    make_vip();
    api.loop.run_for(500ms);
    EXPECT_TRUE(get<Pod>("ns", "low").metadata.deletion_timestamp.has_value());
    EXPECT_NE(condition_of("low", "DisruptionTarget"), "");
}

TEST_F(SchedulerTest, StartedAgainItKnowsWhatIsTaken) {
    node("n1", "2");
    pod("a", "1");
    api.loop.run_for(100ms);
    start();
    pod("b", "1");
    pod("c", "1");
    api.loop.run_for(100ms);
    EXPECT_EQ(node_of("b") + node_of("c"), "n1");
}

TEST_F(SchedulerTest, ManyPodsWaitForOneNodeAndAllHaveTheirTurn) {
    node("n1", "4");
    for (int i = 0; i < 60; ++i) pod("p" + std::to_string(100 + i), "1");
    api.loop.run_for(50ms);
    int ended = 0;
    for (int turn = 0; turn < 15; ++turn) {
        const auto pods = api.loop.run(client.list<Pod>("ns")).value();
        for (const auto& one : pods.items) {
            if (one->spec.node_name.empty() || one->status.phase == "Succeeded") continue;
            Pod draft = *one;
            draft.status.phase = "Succeeded";
            ASSERT_TRUE(api.loop.run(client.change_status<Pod>(one, std::move(draft))).ok());
            ++ended;
        }
        api.loop.run_for(10ms);
    }
    EXPECT_EQ(ended, 60);
}

}  // namespace scheduler_test
}  // namespace muster::scheduler
