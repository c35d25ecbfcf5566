#include "node/pods/pod_state.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "node/pods/restart.h"

namespace muster::node {
namespace pods_pod_state_test {

using api::core::Pod;

const Instant kNow = Instant::from_unix_seconds(1'000'000);

Run running(int attempt = 0) { return {attempt, Run::State::kRunning, kNow - 5s, {}, 0, {}, {}}; }
Run ended(int code, int attempt = 0, Duration ago = 0s) {
    return {attempt, Run::State::kEnded, kNow - ago - 1s, kNow - ago, code, code == 0 ? "Completed" : "Error", {}};
}
ContainerRuns with(Run run, Backoff backoff = {}) {
    ContainerRuns runs;
    runs.now = std::move(run);
    runs.backoff = backoff;
    return runs;
}

// "start a/0", "hook a/0", "term a/0", "kill a/0", "stop DeadlineExceeded", "ended", "wake +10s", in the plan's order.
std::string format_plan(const PodPlan& plan) {
    std::string out;
    const auto add = [&](const std::string& word) { out += (out.empty() ? "" : ", ") + word; };
    for (const auto& step : plan.start) add("start " + step.container->name.str() + '/' + std::to_string(step.attempt));
    for (const auto& step : plan.pre_stop) add("hook " + step.container.str() + '/' + std::to_string(step.attempt));
    for (const auto& step : plan.signal)
        add((step.kill ? "kill " : "term ") + step.container.str() + '/' + std::to_string(step.attempt));
    if (plan.stop) add(plan.stop->reason.empty() ? "stop" : "stop " + plan.stop->reason.str());
    if (plan.ended) add("ended");
    if (plan.wake_at) add("wake +" + std::to_string((*plan.wake_at - kNow) / 1s) + 's');
    return out;
}

// A run that is looked after.
ContainerRuns cared(Vitals vitals, Run run = running()) {
    ContainerRuns runs = with(std::move(run));
    vitals.attempt = runs.now->attempt;
    runs.vitals = vitals;
    return runs;
}
ContainerRuns doomed(Instant since, Duration grace, Run run = running()) {
    Vitals vitals;
    vitals.doom = Doom{since, grace, "m"};
    return cared(vitals, std::move(run));
}
ContainerRuns asked_at(ContainerRuns runs, Instant at) {
    runs.term_sent = runs.now->attempt;
    runs.term_at = at;
    return runs;
}

TEST(PodView, WhatIsKeptOfEveryContainerIsSmall) { EXPECT_LE(sizeof(ContainerRuns), 144u); }

struct PodCase {
    const char* sentence;
    std::string spec;
    RunsByContainer runs;
    std::string plan;
    std::string metadata{};
    std::optional<Stop> stop = {};
    std::string status{};
};

constexpr const char* kOne = "containers: [{name: a}]";
constexpr const char* kTwo = "containers: [{name: a}, {name: b}]";
constexpr const char* kInits = "initContainers: [{name: i}, {name: j}], containers: [{name: a}]";
constexpr const char* kSidecars =
    "initContainers: [{name: s, restartPolicy: Always}, {name: t, restartPolicy: Always}], containers: [{name: a}]";
constexpr const char* kSlowSidecar =
    "initContainers: [{name: s, restartPolicy: Always, startupProbe: {}}], containers: [{name: a}]";
constexpr const char* kHooked =
    "containers: [{name: a, lifecycle: {postStart: {sleep: {seconds: 1}}, preStop: {sleep: {seconds: 1}}}}, {name: b}]";
constexpr const char* kHookedSidecar =
    "initContainers: [{name: s, restartPolicy: Always, lifecycle: {preStop: {sleep: {seconds: 1}}}}], "
    "containers: [{name: a}]";
const std::string kNever = "restartPolicy: Never, ";
const std::string kOnFailure = "restartPolicy: OnFailure, ";
const std::string kAlways = "restartPolicy: Always, ";
const std::string kDeleted = "deletionTimestamp: \"1970-01-12T13:47:10Z\", deletionGracePeriodSeconds: 30";

std::vector<PodCase> pod_cases() {
    ContainerRuns asked = with(running());
    asked.term_sent = 0;
    ContainerRuns killed = asked;
    killed.kill_sent = 0;
    ContainerRuns stuck;
    stuck.problem = Problem{"CreateContainerConfigError", "no", kNow + 7s};
    return {
        {"containers start together", kTwo, {}, "start a/0, start b/0"},
        {"what runs is left alone", kTwo, {{"a", with(running())}}, "start b/0"},
        {"init containers start one by one", kInits, {}, "start i/0"},
        {"the next waits for the one before", kInits, {{"i", with(running())}}, ""},
        {"a success lets the next start", kInits, {{"i", with(ended(0))}}, "start j/0"},
        {"containers start after all init containers",
         kInits,
         {{"i", with(ended(0))}, {"j", with(ended(0))}},
         "start a/0"},
        {"a failed init container is tried again", kOnFailure + kInits, {{"i", with(ended(3))}}, "start i/1"},
        {"an init container that succeeded is not run again under Always",
         kAlways + kInits,
         {{"i", with(ended(0))}, {"j", with(running())}},
         ""},
        {"a failed init container ends a pod that never restarts", kNever + kInits, {{"i", with(ended(3))}}, "ended"},
        {"a sidecar must run before the next starts", kSidecars, {}, "start s/0"},
        {"and then the next starts", kSidecars, {{"s", with(running())}}, "start t/0"},
        {"containers start beside running sidecars",
         kSidecars,
         {{"s", with(running())}, {"t", with(running())}},
         "start a/0"},
        {"a sidecar that ended is restarted even when the pod never restarts",
         kNever + kSidecars,
         {{"s", with(ended(0))}, {"t", with(running())}, {"a", with(running())}},
         "start s/1"},
        {"sidecars stop last to first when the containers are done",
         kNever + kSidecars,
         {{"s", with(running())}, {"t", with(running())}, {"a", with(ended(0))}},
         "term t/0, stop, wake +30s"},
        {"the first sidecar stops after the second",
         kNever + kSidecars,
         {{"s", with(running())}, {"t", with(ended(143))}, {"a", with(ended(0))}},
         "term s/0, wake +20s",
         "",
         Stop{kNow - 10s, 30s, {}, {}}},
        {"a pod that never restarts ends with its containers", kNever + kOne, {{"a", with(ended(1))}}, "ended"},
        {"one container that still runs keeps it", kNever + kTwo, {{"a", with(ended(1))}, {"b", with(running())}}, ""},
        {"OnFailure restarts a failure at once the first time",
         kOnFailure + kOne,
         {{"a", with(ended(1))}},
         "start a/1"},
        {"OnFailure leaves a success", kOnFailure + kOne, {{"a", with(ended(0))}}, "ended"},
        {"Always restarts a success", kAlways + kOne, {{"a", with(ended(0))}}, "start a/1"},
        {"the second restart waits ten seconds after the end",
         kAlways + kOne,
         {{"a", with(ended(1, 1, 4s), {10s, kNow - 9s})}},
         "wake +6s"},
        {"and then happens", kAlways + kOne, {{"a", with(ended(1, 1, 10s), {10s, kNow - 15s})}}, "start a/2"},
        {"a run of more than ten minutes forgives",
         kAlways + kOne,
         {{"a", with(ended(1, 7), {300s, kNow - 601s})}},
         "start a/8"},
        {"what cannot be started is tried again later", kOne, {{"a", stuck}}, "wake +7s"},
        {"a container's own rule restarts it",
         "restartPolicy: Never, containers: [{name: a, restartPolicy: Never, restartPolicyRules: [{action: Restart, "
         "exitCodes: {operator: In, values: [42]}}]}]",
         {{"a", with(ended(42))}},
         "start a/1"},
        {"a deleted pod is asked to end", kTwo, {{"a", with(running())}}, "term a/0, stop, wake +30s", kDeleted},
        {"it is asked once", kOne, {{"a", asked}}, "wake +25s", kDeleted, Stop{kNow - 5s, 30s, {}, {}}},
        {"after its grace it is killed", kOne, {{"a", asked}}, "kill a/0", kDeleted, Stop{kNow - 30s, 30s, {}, {}}},
        {"it is killed once", kOne, {{"a", killed}}, "", kDeleted, Stop{kNow - 40s, 30s, {}, {}}},
        {"a deleted pod of which nothing runs has ended", kOne, {{"a", with(ended(143))}}, "ended", kDeleted},
        {"a deleted pod that never started has ended", kOne, {}, "ended", kDeleted},
        {"a second delete can shorten the grace",
         kOne,
         {{"a", asked}},
         "kill a/0, stop",
         "deletionTimestamp: \"1970-01-12T13:47:10Z\", deletionGracePeriodSeconds: 0",
         Stop{kNow - 5s, 30s, {}, {}}},
        {"a pod past its deadline is stopped",
         "activeDeadlineSeconds: 60, " + std::string(kOne),
         {{"a", with(running())}},
         "term a/0, stop DeadlineExceeded, wake +30s",
         "",
         {},
         "startTime: \"1970-01-12T13:45:40Z\""},
        {"before its deadline it is woken for it",
         "activeDeadlineSeconds: 60, " + std::string(kOne),
         {{"a", with(running())}},
         "wake +10s",
         "",
         {},
         "startTime: \"1970-01-12T13:45:50Z\""},
        {"a deadline ends a pod that waits between two starts",
         "restartPolicy: Always, activeDeadlineSeconds: 60, " + std::string(kOne),
         {{"a", with(ended(1, 3, 4s), {80s, kNow - 9s})}},
         "stop DeadlineExceeded, ended",
         "",
         {},
         "startTime: \"1970-01-12T13:45:40Z\""},
        {"a sidecar with a startup probe holds the others until it has passed", kSlowSidecar, {{"s", cared({})}}, ""},
        {"and lets them start then", kSlowSidecar, {{"s", cared({.started = true})}}, "start a/0"},
        {"one that is restarted before that holds them again", kSlowSidecar, {{"s", with(ended(1))}}, "start s/1"},
        {"one that is restarted later does not",
         kSlowSidecar,
         {{"s", cared({}, running(1))}, {"a", with(ended(1))}},
         "start a/1"},
        {"a postStart hook holds the next container back", kHooked, {{"a", cared({})}}, ""},
        {"when it is done the next starts", kHooked, {{"a", cared({.hooked = true})}}, "start b/0"},
        {"a preStop hook comes before the signal",
         kHooked,
         {{"a", cared({.hooked = true})}, {"b", with(running())}},
         "hook a/0, term b/0, stop, wake +30s",
         kDeleted},
        {"it is begun once",
         kHooked,
         {{"a", cared({.hooked = true, .stop_begun = true})}},
         "wake +25s",
         kDeleted,
         Stop{kNow - 5s, 30s, {}, {}}},
        {"the signal follows it",
         kHooked,
         {{"a", cared({.hooked = true, .stop_begun = true, .stop_hooked = true})}},
         "term a/0, wake +25s",
         kDeleted,
         Stop{kNow - 5s, 30s, {}, {}}},
        {"a hook that takes all of the grace leaves two seconds",
         kHooked,
         {{"a", cared({.hooked = true, .stop_begun = true})}},
         "term a/0, wake +2s",
         kDeleted,
         Stop{kNow - 30s, 30s, {}, {}}},
        {"and no more",
         kHooked,
         {{"a", asked_at(cared({.hooked = true, .stop_begun = true}), kNow - 2s)}},
         "kill a/0",
         kDeleted,
         Stop{kNow - 32s, 30s, {}, {}}},
        {"without grace nothing is waited for",
         kHooked,
         {{"a", cared({.hooked = true})}},
         "kill a/0, stop",
         "deletionTimestamp: \"1970-01-12T13:47:10Z\", deletionGracePeriodSeconds: 0"},
        {"a sidecar's hook runs at once, its signal waits for its turn",
         kHookedSidecar,
         {{"s", cared({})}, {"a", with(running())}},
         "hook s/0, term a/0, stop, wake +30s",
         kDeleted},
        {"a container whose probe failed is asked to end",
         kTwo,
         {{"a", doomed(kNow, 5s)}, {"b", with(running())}},
         "term a/0, wake +5s"},
        {"and is killed when its own grace is over",
         kTwo,
         {{"a", asked_at(doomed(kNow - 5s, 5s), kNow - 5s)}, {"b", with(running())}},
         "kill a/0"},
        {"it is restarted under OnFailure though it ended well",
         kOnFailure + kOne,
         {{"a", doomed(kNow, 5s, ended(0))}},
         "start a/1"},
        {"and not under Never", kNever + kOne, {{"a", doomed(kNow, 5s, ended(143))}}, "ended"},
        {"its own grace counts when the pod is deleted, if it is the shorter",
         kOne,
         {{"a", asked_at(doomed(kNow - 2s, 5s), kNow - 2s)}},
         "stop, wake +3s",
         kDeleted},
        {"a pod whose phase was set to Failed is stopped",
         kOne,
         {{"a", with(running())}},
         "term a/0, stop, wake +30s",
         "",
         {},
         "phase: Failed"},
    };
}

TEST(DecidePod, PlansWhatComesNext) {
    for (const PodCase& each : pod_cases()) {
        const std::string yaml =
            "metadata: {name: p, " + each.metadata + "}\nspec: {" + each.spec + "}\nstatus: {" + each.status + "}\n";
        const Result<Pod> pod = api::from_yaml<Pod>(yaml);
        ASSERT_TRUE(pod.ok()) << pod.error().message << '\n' << yaml;
        EXPECT_EQ(format_plan(decide_pod({*pod, each.runs, each.stop, kNow})), each.plan) << each.sentence;
    }
}

TEST(Backoff, DoublesFromTenSecondsToFiveMinutes) {
    Backoff backoff;
    const int delays[] = {0, 10, 20, 40, 80, 160, 300, 300};
    Instant now = kNow;
    for (const int seconds : delays) {
        EXPECT_EQ(restart_at(backoff, now), now + std::chrono::seconds(seconds));
        now = restart_at(backoff, now);
        backoff = next_backoff(backoff, now, now);
    }
}

TEST(Backoff, IsRebuiltFromTheAttempt) {
    EXPECT_EQ(rebuild_backoff(0, kNow), Backoff());
    EXPECT_EQ(rebuild_backoff(1, kNow), (Backoff{10s, kNow}));
    EXPECT_EQ(rebuild_backoff(3, kNow), (Backoff{40s, kNow}));
    EXPECT_EQ(rebuild_backoff(1000, kNow), (Backoff{300s, kNow}));
}

}  // namespace pods_pod_state_test
}  // namespace muster::node
