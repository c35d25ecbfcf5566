// Preparation of containers: warnings for pods that ask for more than the machine gives to its node.
#include "node/process/preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "os/testing/virtual_loop.h"
#include "server/local_client.h"
#include "server/testing/api_objects.h"

namespace muster::node {
namespace preparation_test {

using api::core::Pod;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PreparationTest : public testing::Test {
protected:
    PreparationTest()
        : directory_(std::filesystem::temp_directory_path() / ("muster-preparation-" + std::to_string(::getpid()))) {}
    ~PreparationTest() override { std::filesystem::remove_all(directory_); }

    PreparationOptions options() {
        PreparationOptions options;
        options.directory = directory_.string();
        options.user_id = ::getuid();
        options.access = os::NamespaceAccess::kFree;
        options.machine_token = (directory_ / "no-token").string();
        options.find_groups = [] { return Result<os::Cgroups::Place>(os::Cgroups::Place()); };
        options.warn = [this](const Pod& pod, const char* reason, std::string message) {
            told_.push_back(pod.metadata.name.str() + ' ' + reason + ": " + message);
        };
        return options;
    }
    static std::string container(const std::string& more = "") {
        return "containers: [{name: c, image: x, command: [run]" + more + "}]";
    }
    std::variant<RunRequest, Obstacle> prepare(Preparation& preparation, const std::string& name,
                                               const std::string& spec) {
        world_.create<Pod>("{metadata: {name: " + name + "}, spec: {nodeName: n1, " + spec + "}}");
        const auto pod = world_.loop.run(client_.get<Pod>(client::ObjectName("ns", name))).value();
        ContainerStart start(pod, pod->spec.containers[0], 0, NodeFacts(), "127.64.0.1");
        return world_.loop.run(preparation.prepare(std::move(start)));
    }

    const std::filesystem::path directory_;
    server::ApiObjects world_;
    server::LocalClient client_{world_.objects, server::controller_user("node")};
    std::vector<std::string> told_;
};

constexpr const char* kLimits = ", resources: {limits: {memory: 64Mi}}";

// Where its process sees an empty directory instead of the machine's token.
std::vector<std::string> hidden_paths(const std::variant<RunRequest, Obstacle>& prepared) {
    std::vector<std::string> paths;
    if (const auto* request = std::get_if<RunRequest>(&prepared))
        for (const os::SetupStep& step : request->setup)
            if (step.source.ends_with("/nothing")) paths.push_back(step.inside + step.path);
    return paths;
}

TEST_F(PreparationTest, TheTokenOfAMachineThatIsAPodIsHiddenFromPodsWithoutOne) {
    PreparationOptions in_pod = options();
    in_pod.machine_token = (directory_ / "machine" / "token").string();
    std::filesystem::create_directories(in_pod.machine_token);
    std::ofstream(in_pod.machine_token + "/token") << "secret";
    Preparation preparation(world_.loop, client_, in_pod);
    EXPECT_THAT(hidden_paths(prepare(preparation, "plain", container())), ElementsAre(in_pod.machine_token));
    const std::string mounts = ", volumeMounts: [{name: v, mountPath: " + in_pod.machine_token + "}]";
    EXPECT_THAT(hidden_paths(prepare(preparation, "own", container(mounts) + ", volumes: [{name: v, emptyDir: {}}]")),
                IsEmpty())
        << "it has a token of its own there";
    PreparationOptions elsewhere = options();
    elsewhere.machine_token = (directory_ / "none").string();
    Preparation plain(world_.loop, client_, elsewhere);
    const auto prepared = prepare(plain, "elsewhere", container());
    EXPECT_TRUE(std::get<RunRequest>(prepared).setup.empty()) << "a plain machine's pods need no mount namespace";
}

TEST_F(PreparationTest, FilesOfVolumesAreWrittenOnTheWorkerSoThatOthersGoOn) {
    world_.create<api::core::ConfigMap>("{metadata: {name: m}, data: {a: one}}");
    os::VirtualWorker worker(world_.loop, 1, 2s, 2s);
    PreparationOptions with_worker = options();
    with_worker.worker = &worker;
    Preparation preparation(world_.loop, client_, with_worker);
    const Duration before = world_.loop.uptime();
    const auto prepared = prepare(
        preparation, "p",
        container(", volumeMounts: [{name: v, mountPath: /mnt}]") + ", volumes: [{name: v, configMap: {name: m}}]");
    EXPECT_TRUE(std::holds_alternative<RunRequest>(prepared));
    EXPECT_GE(world_.loop.uptime() - before, 2s) << "the loop goes on while the worker writes";
    bool written = false;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_))
        written = written || entry.path().filename() == "a";
    EXPECT_TRUE(written);
}

TEST_F(PreparationTest, WithoutNamespacesAPodWithAHostNameRunsAndIsTold) {
    PreparationOptions without = options();
    without.access = os::NamespaceAccess::kNone;
    Preparation preparation(world_.loop, client_, without);
    const auto named = prepare(preparation, "named", "hostname: other, " + container());
    ASSERT_TRUE(std::holds_alternative<RunRequest>(named));
    EXPECT_THAT(std::get<RunRequest>(named).setup, IsEmpty()) << "it is a plain process";
    EXPECT_THAT(std::get<RunRequest>(named).environment, testing::Contains("HOSTNAME=other"));
    EXPECT_THAT(told_, ElementsAre(HasSubstr("named NoNamespaces: the kernel gives this node no namespaces")));
    prepare(preparation, "plain", container());
    EXPECT_EQ(told_.size(), 1u) << "one that asks for nothing misses nothing";
}

TEST_F(PreparationTest, WithNamespacesThereIsNothingToTell) {
    Preparation preparation(world_.loop, client_, options());
    const auto named = prepare(preparation, "named", "hostname: other, " + container());
    ASSERT_TRUE(std::holds_alternative<RunRequest>(named));
    EXPECT_FALSE(std::get<RunRequest>(named).setup.empty());
    EXPECT_THAT(told_, IsEmpty());
}

TEST_F(PreparationTest, WithoutNamespacesAContainerWithVolumesIsRefused) {
    PreparationOptions without = options();
    without.access = os::NamespaceAccess::kNone;
    Preparation preparation(world_.loop, client_, without);
    const auto refused =
        prepare(preparation, "p",
                "volumes: [{name: v, emptyDir: {}}], " + container(", volumeMounts: [{name: v, mountPath: /mnt}]"));
    ASSERT_TRUE(std::holds_alternative<Obstacle>(refused));
    EXPECT_THAT(std::get<Obstacle>(refused).why, HasSubstr("namespace"));
}

TEST_F(PreparationTest, WhereNoLimitsCanBeEnforcedTheFirstPodWithSomeIsTold) {
    PreparationOptions without = options();
    without.find_groups = [] { return Result<os::Cgroups::Place>(Error{Code::kUnavailable, "all is read-only"}); };
    Preparation preparation(world_.loop, client_, without);
    prepare(preparation, "free", container());
    EXPECT_THAT(told_, IsEmpty());
    const auto limited = prepare(preparation, "limited", container(kLimits));
    ASSERT_TRUE(std::holds_alternative<RunRequest>(limited)) << "it runs all the same";
    prepare(preparation, "another", container(kLimits));
    EXPECT_THAT(told_, ElementsAre("limited LimitsNotEnforced: this node does not hold containers to their limits: all "
                                   "is read-only"));
}

TEST_F(PreparationTest, WhereLimitsAreEnforcedThereIsNothingToTell) {
    Preparation preparation(world_.loop, client_, options());
    const auto limited = prepare(preparation, "limited", container(kLimits));
    ASSERT_TRUE(std::holds_alternative<RunRequest>(limited));
    EXPECT_EQ(std::get<RunRequest>(limited).limits.memory_bytes, 64 << 20);
    EXPECT_THAT(told_, IsEmpty());
}

}  // namespace preparation_test
}  // namespace muster::node
