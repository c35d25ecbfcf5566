#include "node/logs/logs.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::node {
namespace logs_test {

using api::core::Pod;
using api::core::PodLogOptions;

struct LogChoice {
    const char* sentence;
    const char* pod;
    const char* options;
    const char* outcome;
};

constexpr const char* kOne = "spec: {containers: [{name: a}]}\n";
constexpr const char* kTwo = "spec: {containers: [{name: a}, {name: b}]}\n";

TEST(FindLog, NamesTheRunsLogOrSaysWhyThereIsNone) {
    const std::string running = std::string(kOne) +
                                "status: {containerStatuses: [{name: a, image: x, imageID: x, ready: true, "
                                "restartCount: 2, containerID: muster://u/a/2, state: {running: {}}, lastState: "
                                "{terminated: {exitCode: 1, containerID: muster://u/a/1}}}]}\n";
    const std::string crashed = std::string(kOne) +
                                "status: {containerStatuses: [{name: a, image: x, imageID: x, ready: false, "
                                "restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}, lastState: "
                                "{terminated: {exitCode: 1, containerID: muster://u/a/2}}}]}\n";
    const std::string waiting = std::string(kOne) +
                                "status: {containerStatuses: [{name: a, image: x, imageID: x, ready: false, "
                                "restartCount: 0, state: {waiting: {reason: PodInitializing}}}]}\n";
    const LogChoice cases[] = {
        {"the only container of a pod", running.c_str(), "{}", "/d/pods/u/a/2.log"},
        {"its previous run", running.c_str(), "previous: true", "/d/pods/u/a/1.log"},
        {"the last run of one that waits for the next", crashed.c_str(), "{}", "/d/pods/u/a/2.log"},
        {"one that has not run", waiting.c_str(), "{}",
         "container \"a\" in pod \"p\" is waiting to start: PodInitializing"},
        {"one that has not run before", waiting.c_str(), "previous: true",
         "previous terminated container \"a\" in pod \"p\" not found"},
        {"one of several that is not named", kTwo, "{}",
         "a container name must be specified for pod p, choose one of: [a b]"},
        {"one that there is not", kTwo, "container: c", "container c is not valid for pod p"},
    };
    for (const LogChoice& each : cases) {
        const auto pod = api::from_yaml<Pod>("metadata: {name: p, uid: u}\n" + std::string(each.pod));
        ASSERT_TRUE(pod.ok()) << pod.error().message;
        const auto found =
            find_log(*pod, api::from_yaml<PodLogOptions>(each.options).value(), "/d", Instant::from_unix_seconds(0));
        EXPECT_EQ(found.ok() ? found->path : found.error().message, each.outcome) << each.sentence;
    }
}

}  // namespace logs_test
}  // namespace muster::node
