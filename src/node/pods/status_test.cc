#include "node/pods/status.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"

namespace muster::node {
namespace status_test {

using api::core::Pod;
using api::core::PodStatus;

const Instant kNow = Instant::from_unix_seconds(1'000'000);
const PodPlace kPlace{"127.64.0.1", "10.0.0.1", kNow};

Run running(int attempt = 0) { return {attempt, Run::State::kRunning, kNow - 5s, {}, 0, {}, {}}; }
Run ended(int code, int attempt = 0, Text reason = {}) {
    if (reason.empty()) reason = code == 0 ? "Completed" : "Error";
    return {attempt, Run::State::kEnded, kNow - 5s, kNow - 1s, code, reason, {}};
}
ContainerRuns with(Run run) {
    ContainerRuns runs;
    runs.now = std::move(run);
    return runs;
}

Pod pod_of(const std::string& spec, const std::string& status = "") {
    return api::from_yaml<Pod>("metadata: {name: p, namespace: ns, uid: u, generation: 1}\nspec: {" + spec +
                               "}\nstatus: {" + status + "}\n")
        .value();
}

// "Running [a running ready] Ready=True …": what kubectl shows of it.
std::string format_status(const PodStatus& status) {
    std::string out = status.phase.str();
    if (!status.reason.empty()) out += '(' + status.reason.str() + ')';
    for (const auto* list : {&status.init_container_statuses, &status.container_statuses}) {
        for (const auto& each : *list) {
            out += " " + each.name.str() + ':';
            if (each.state.waiting) out += each.state.waiting->reason.str();
            if (each.state.running) out += "running";
            if (each.state.terminated)
                out += each.state.terminated->reason.str() + '=' + std::to_string(each.state.terminated->exit_code);
            if (each.restart_count != 0) out += "#" + std::to_string(each.restart_count);
            if (each.last_state.terminated) out += "<" + std::to_string(each.last_state.terminated->exit_code);
            if (each.ready) out += "+";
        }
    }
    out += " |";
    for (const auto& each : status.conditions)
        if (each.status == "True") out += " " + each.type.str();
    return out;
}

struct StatusCase {
    const char* sentence;
    std::string spec;
    RunsByContainer runs;
    const char* status;
    bool ended = false;
    std::optional<Stop> stop = {};
    std::string before = "";
};

constexpr const char* kOne = "containers: [{name: a}]";
constexpr const char* kInit = "initContainers: [{name: i}], containers: [{name: a}]";
constexpr const char* kSidecar = "initContainers: [{name: s, restartPolicy: Always}], containers: [{name: a}]";

std::vector<StatusCase> status_cases() {
    ContainerRuns waiting = with(ended(1, 2));
    waiting.before = ended(2, 1);
    waiting.backoff = {20s, kNow - 9s};
    ContainerRuns restarted = with(running(1));
    restarted.before = ended(7);
    ContainerRuns stuck;
    stuck.problem = Problem{"CreateContainerConfigError", "secret \"x\" not found", kNow};
    return {
        {"a new pod's containers are being made",
         kOne,
         {},
         "Pending a:ContainerCreating | PodReadyToStartContainers Initialized PodScheduled"},
        {"behind init containers they wait for those",
         kInit,
         {{"i", with(running())}},
         "Pending i:running a:PodInitializing | PodReadyToStartContainers PodScheduled"},
        {"an init container that is done is ready",
         kInit,
         {{"i", with(ended(0))}, {"a", with(running())}},
         "Running i:Completed=0+ a:running+ | PodReadyToStartContainers Initialized Ready ContainersReady "
         "PodScheduled"},
        {"a running pod is ready",
         kOne,
         {{"a", with(running())}},
         "Running a:running+ | PodReadyToStartContainers Initialized Ready ContainersReady PodScheduled"},
        {"a sidecar counts as ready while it runs",
         kSidecar,
         {{"s", with(running())}, {"a", with(running())}},
         "Running s:running+ a:running+ | PodReadyToStartContainers Initialized Ready ContainersReady PodScheduled"},
        {"what waits for its next start has crashed in a loop",
         "restartPolicy: Always, " + std::string(kOne),
         {{"a", waiting}},
         "Running a:CrashLoopBackOff#2<1 | PodReadyToStartContainers Initialized PodScheduled",
         false,
         {},
         "phase: Running"},
        {"what runs again says how it ended before",
         "restartPolicy: Always, " + std::string(kOne),
         {{"a", restarted}},
         "Running a:running#1<7+ | PodReadyToStartContainers Initialized Ready ContainersReady PodScheduled"},
        {"what cannot be made says why",
         kOne,
         {{"a", stuck}},
         "Pending a:CreateContainerConfigError | PodReadyToStartContainers Initialized PodScheduled"},
        {"all successes are a success",
         "restartPolicy: Never, " + std::string(kOne),
         {{"a", with(ended(0))}},
         "Succeeded a:Completed=0 | Initialized PodScheduled",
         true},
        {"a failure is a failure",
         "restartPolicy: Never, " + std::string(kOne),
         {{"a", with(ended(137))}},
         "Failed a:Error=137 | Initialized PodScheduled",
         true},
        {"a failed init container fails the pod",
         "restartPolicy: Never, " + std::string(kInit),
         {{"i", with(ended(1))}},
         "Failed i:Error=1 a:PodInitializing | PodScheduled",
         true},
        {"sidecars that were stopped do not make a failure",
         "restartPolicy: Never, " + std::string(kSidecar),
         {{"s", with(ended(143))}, {"a", with(ended(0))}},
         "Succeeded s:Error=143 a:Completed=0 | Initialized PodScheduled",
         true},
        {"a deadline is the pod's reason",
         kOne,
         {{"a", with(ended(143))}},
         "Failed(DeadlineExceeded) a:Error=143 | Initialized PodScheduled",
         true,
         Stop{kNow, 0s, "DeadlineExceeded", "too long"}},
        {"a program that is not there is a start that failed",
         "restartPolicy: Never, " + std::string(kOne),
         {{"a", with(ended(128, 0, "StartError"))}},
         "Failed a:StartError=128 | Initialized PodScheduled",
         true},
    };
}

TEST(PodStatus, SaysWhatAKubeletWould) {
    for (const StatusCase& each : status_cases()) {
        const Pod pod = pod_of(each.spec, each.before);
        const PodView view{pod, each.runs, each.stop, kNow};
        EXPECT_EQ(format_status(make_pod_status(view, kPlace, each.ended)), each.status) << each.sentence;
    }
}

TEST(PodStatus, GivesAddressesTimesAndIdentities) {
    const Pod pod = pod_of("restartPolicy: Never, containers: [{name: a, image: perl}]");
    const RunsByContainer runs{{"a", with(ended(3))}};
    const PodStatus status = make_pod_status({pod, runs, {}, kNow}, kPlace, true);
    EXPECT_EQ(status.pod_ip, "127.64.0.1");
    EXPECT_EQ(status.host_ip, "10.0.0.1");
    EXPECT_EQ(status.start_time->unix_seconds(), 1'000'000);
    EXPECT_EQ(api::to_json(status.container_statuses[0]),
              R"({"name":"a","state":{"terminated":{"exitCode":3,"reason":"Error","startedAt":"1970-01-12T13:46:35Z",)"
              R"("finishedAt":"1970-01-12T13:46:39Z","containerID":"muster://u/a/0"}},"lastState":{},"ready":false,)"
              R"("restartCount":0,"image":"perl","imageID":"","containerID":"muster://u/a/0","started":false})");
}

TEST(PodStatus, NamesWhatIsNotReady) {
    const Pod pod = pod_of("containers: [{name: a}, {name: b}]");
    const RunsByContainer runs{{"a", with(running())}};
    const PodStatus status = make_pod_status({pod, runs, {}, kNow}, kPlace, false);
    EXPECT_EQ(status.conditions[2].type, "Ready");
    EXPECT_EQ(status.conditions[2].reason, "ContainersNotReady");
    EXPECT_EQ(status.conditions[2].message, "containers with unready status: [b]");
}

TEST(PodStatus, MovesATransitionOnlyWithItsStatusAndKeepsOthersConditions) {
    const std::string before =
        "startTime: \"1970-01-02T00:00:00Z\", conditions: [{type: DisruptionTarget, status: \"True\"}, {type: "
        "Initialized, status: \"True\", lastTransitionTime: \"1970-01-02T00:00:00Z\"}, {type: Ready, status: "
        "\"True\", lastTransitionTime: \"1970-01-02T00:00:00Z\"}]";
    const Pod pod = pod_of(kOne, before);
    const PodStatus status = make_pod_status({pod, {}, {}, kNow}, kPlace, false);
    EXPECT_EQ(status.start_time->unix_seconds(), 86400);
    EXPECT_EQ(status.conditions[0].type, "DisruptionTarget");
    EXPECT_EQ(status.conditions[1].last_transition_time.unix_seconds(), 86400);
    EXPECT_EQ(status.conditions[2].last_transition_time.unix_seconds(), 1'000'000);
}

TEST(PodStatus, KeepsTheEndOfAnEndedPodThatTheNodeNoLongerKnows) {
    const Pod pod = pod_of("containers: [{name: a}, {name: b}]",
                           "phase: Failed, containerStatuses: [{name: a, state: {terminated: {exitCode: 9, reason: "
                           "Error}}}, {name: b, state: {waiting: {reason: ContainerCreating}}}]");
    const RunsByContainer none;
    const PodStatus status = make_pod_status({pod, none, {}, kNow}, kPlace, true);
    ASSERT_EQ(status.container_statuses.size(), 2u);
    EXPECT_EQ(status.container_statuses[0], pod.status.container_statuses[0]);
    ASSERT_TRUE(status.container_statuses[1].state.terminated);
    EXPECT_EQ(status.container_statuses[1].state.terminated->reason, "ContainerStatusUnknown");
}

TEST(PodStatus, IsTheSameWhenNothingChanged) {
    Pod pod = pod_of(kOne);
    const RunsByContainer runs{{"a", with(running())}};
    pod.status = make_pod_status({pod, runs, {}, kNow}, kPlace, false);
    EXPECT_TRUE(make_pod_status({pod, runs, {}, kNow + 60s}, kPlace, false) == pod.status);
}

}  // namespace status_test
}  // namespace muster::node
