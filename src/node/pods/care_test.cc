// Care in virtual time, with actions that a test answers.
#include "node/pods/care.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "node/pods/vitals.h"
#include "os/testing/virtual_loop.h"

namespace muster::node {
namespace care_test {

using api::core::Container;
using api::core::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

// What is done is known by the first word of its command.
class TestActions final : public Actions {
public:
    explicit TestActions(os::Loop& loop) : loop_(loop), begun_(loop.now()) {}
    os::Task<ActionResult> act(Action action, ActionTarget target, Duration timeout) override {
        const std::string name = action.exec->command[0].str();
        done.push_back(name + " at " + std::to_string((loop_.now() - begun_) / 1s));
        run = target.run;
        last_timeout = timeout;
        co_await os::sleep_for(loop_, takes[name]);
        co_return answers[name];
    }
    std::vector<std::string> done;
    std::map<std::string, ActionResult> answers;
    std::map<std::string, Duration> takes;
    RunKey run{};
    Duration last_timeout{};

private:
    os::Loop& loop_;
    const Instant begun_;
};

class CareTest : public testing::Test {
protected:
    CareTest() {
        Care::Listener listener;
        listener.changed = [this](const Pod&) { ++changes_; };
        listener.tell = [this](const Pod&, const Container&, bool, const char* reason, std::string message) {
            told_.push_back(reason + (": " + message));
        };
        care_ = std::make_unique<Care>(loop_, &actions_, std::move(listener));
    }
    void make(const std::string& container, const std::string& rest = "") {
        pod_ = std::make_shared<const Pod>(
            api::from_yaml<Pod>(
                "metadata: {uid: u}\nspec: {terminationGracePeriodSeconds: 20, containers: [{name: c, " + container +
                "}]}\n" + rest)
                .value());
        node::Run run;
        run.state = node::Run::State::kRunning;
        run.started_at = loop_.now();
        runs_["c"].now = run;
    }
    // As the agent does at each look.
    const Vitals& look(bool stopping = false) {
        care_->attend(pod_, runs_, "127.64.0.1", stopping);
        return runs_["c"].vitals;
    }
    static ActionResult fails(const char* why) { return {ActionResult::Kind::kFailure, why}; }

    const RunKey key_{"u", "c", 0};
    os::VirtualLoop loop_;
    TestActions actions_{loop_};
    std::unique_ptr<Care> care_;
    std::shared_ptr<const Pod> pod_;
    RunsByContainer runs_;
    std::vector<std::string> told_;
    int changes_ = 0;
};

TEST_F(CareTest, AStartupProbeHoldsTheOthersBack) {
    make(
        "startupProbe: {periodSeconds: 2, failureThreshold: 5, exec: {command: [up]}}, "
        "readinessProbe: {initialDelaySeconds: 1, periodSeconds: 3, timeoutSeconds: 4, exec: {command: [ready]}}");
    actions_.answers["up"] = fails("no");
    look();
    loop_.run_for(3s);
    EXPECT_THAT(actions_.done, ElementsAre("up at 0", "up at 2"));
    EXPECT_FALSE(look().started);
    actions_.answers["up"] = {};
    loop_.run_for(5s);
    EXPECT_THAT(actions_.done, ElementsAre("up at 0", "up at 2", "up at 4", "ready at 4", "ready at 7"));
    EXPECT_TRUE(look().started);
    EXPECT_TRUE(look().ready);
    EXPECT_EQ(actions_.run, (RunKey{"u", "c", 0}));
    EXPECT_EQ(actions_.last_timeout, 4s);
    EXPECT_THAT(told_, ElementsAre("Unhealthy: Startup probe failed: no", "Unhealthy: Startup probe failed: no"));
}

TEST_F(CareTest, ALivenessProbeThatFailsDoomsItsRunAndAsksNoMore) {
    make(
        "livenessProbe: {periodSeconds: 10, failureThreshold: 2, terminationGracePeriodSeconds: 5, exec: {command: "
        "[alive]}}");
    actions_.answers["alive"] = fails("gone");
    look();
    loop_.run_for(5s);
    EXPECT_FALSE(look().doom);
    loop_.run_for(100s);
    ASSERT_TRUE(look().doom);
    EXPECT_EQ(look().doom->grace, 5s);
    EXPECT_EQ(look().doom->message, "Container c failed liveness probe, will be restarted");
    EXPECT_THAT(actions_.done, ElementsAre("alive at 0", "alive at 10"));
}

TEST_F(CareTest, WhoIsToEndIsNotAskedWhetherItLives) {
    make(
        "livenessProbe: {periodSeconds: 10, failureThreshold: 1, exec: {command: [alive]}}, "
        "readinessProbe: {periodSeconds: 10, exec: {command: [ready]}}");
    look();
    loop_.run_for(5s);
    look(true);
    actions_.answers["alive"] = fails("of course");
    actions_.answers["ready"] = fails("no more");
    loop_.run_for(40s);
    EXPECT_FALSE(look().doom);
    EXPECT_FALSE(look().ready);
}

TEST_F(CareTest, ProbesWaitForThePostStartHook) {
    make("lifecycle: {postStart: {exec: {command: [hello]}}}, readinessProbe: {exec: {command: [ready]}}");
    actions_.takes["hello"] = 7s;
    care_->expect(key_);
    look();
    loop_.run_for(5s);
    EXPECT_FALSE(is_up(pod_->spec.containers[0], runs_["c"]));
    loop_.run_for(3s);
    look();
    EXPECT_TRUE(is_ready(pod_->spec.containers[0], runs_["c"]));
    EXPECT_THAT(actions_.done, ElementsAre("hello at 0", "ready at 7"));
}

TEST_F(CareTest, APostStartHookThatFailsDoomsItsRun) {
    make("lifecycle: {postStart: {exec: {command: [hello]}}}");
    actions_.answers["hello"] = fails("a secret");
    care_->expect(key_);
    look();
    loop_.run_for(1s);
    ASSERT_TRUE(look().doom);
    EXPECT_EQ(look().doom->grace, 20s);
    EXPECT_THAT(told_, ElementsAre("FailedPostStartHook: PostStartHook failed"));
}

TEST_F(CareTest, APreStopHookIsDoneOnceAndToldWhenItFails) {
    make("lifecycle: {preStop: {exec: {command: [bye]}}}");
    actions_.takes["bye"] = 3s;
    actions_.answers["bye"] = fails("no");
    look();
    loop_.run_for(10s);
    EXPECT_THAT(actions_.done, IsEmpty());
    care_->begin_stop(key_);
    care_->begin_stop(key_);
    loop_.run_for(2s);
    EXPECT_TRUE(look(true).stop_begun);
    EXPECT_FALSE(look(true).stop_hooked);
    loop_.run_for(2s);
    EXPECT_TRUE(look(true).stop_hooked);
    EXPECT_THAT(actions_.done, ElementsAre("bye at 10"));
    EXPECT_THAT(told_, ElementsAre("FailedPreStopHook: PreStopHook failed"));
}

TEST_F(CareTest, WhatWasStartedAndReadyBeforeTheServerCameBackStaysSo) {
    make(
        "startupProbe: {exec: {command: [up]}}, readinessProbe: {periodSeconds: 5, failureThreshold: 2, exec: "
        "{command: [ready]}}, lifecycle: {postStart: {exec: {command: [hello]}}}",
        "status: {containerStatuses: [{name: c, containerID: muster://u/c/0, state: {running: {}}, started: true, "
        "ready: true}]}");
    actions_.answers["ready"] = fails("not yet");
    look();
    loop_.run_for(1s);
    EXPECT_TRUE(look().started);
    EXPECT_TRUE(look().ready);
    EXPECT_THAT(actions_.done, ElementsAre("ready at 0")) << "neither the hook nor the startup probe again";
    loop_.run_for(5s);
    EXPECT_FALSE(look().ready);
}

TEST_F(CareTest, NothingHappensForARunThatHasEnded) {
    make("readinessProbe: {periodSeconds: 1, exec: {command: [ready]}}");
    look();
    loop_.run_for(1500ms);
    care_->end(key_);
    loop_.run_for(100s);
    EXPECT_EQ(actions_.done.size(), 2u);
    EXPECT_EQ(loop_.timers(), 0u);
}

TEST_F(CareTest, WithoutActionsEveryContainerIsWell) {
    Care simulated(loop_, nullptr, {});
    make("startupProbe: {exec: {command: [up]}}, readinessProbe: {exec: {command: [ready]}}");
    simulated.attend(pod_, runs_, "127.64.0.1", false);
    EXPECT_TRUE(is_ready(pod_->spec.containers[0], runs_["c"]));
}

}  // namespace care_test
}  // namespace muster::node
