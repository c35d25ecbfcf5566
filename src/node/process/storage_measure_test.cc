#include "node/process/storage_measure.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "api/codec/decode.h"
#include "node/pods/storage_limits.h"

namespace muster::node {
namespace storage_limits_test {

using api::core::Pod;

constexpr std::uint64_t kMi = 1u << 20;

struct StorageCase {
    const char* name;
    const char* spec;
    StorageUse use;
    const char* why;  // empty: it may stay
};

constexpr const char* kVolume = "volumes: [{name: v, emptyDir: {sizeLimit: 1Mi}}], containers: [{name: c}]";
constexpr const char* kMemory =
    "volumes: [{name: v, emptyDir: {medium: Memory, sizeLimit: 1Mi}}], "
    "containers: [{name: c}]";
constexpr const char* kLimits =
    "containers: [{name: a, resources: {limits: {ephemeral-storage: 1Mi}}}, "
    "{name: b, resources: {limits: {ephemeral-storage: 2Mi}}}]";
constexpr const char* kInit =
    "initContainers: [{name: i, resources: {limits: {ephemeral-storage: 5Mi}}}], "
    "containers: [{name: a, resources: {limits: {ephemeral-storage: 1Mi}}}]";

const StorageCase kCases[] = {
    {"AVolumeAtItsLimitStays", kVolume, {.volumes = {{"v", kMi}}}, ""},
    {"AVolumeOverItsLimitGoes",
     kVolume,
     {.volumes = {{"v", kMi + 1}}},
     "Usage of EmptyDir volume \"v\" exceeds the limit \"1Mi\". "},
    {"MemoryOfAnOrdinaryUserIsMeasured",
     kMemory,
     {.volumes = {{"v", kMi + 1}}},
     "Usage of EmptyDir volume \"v\" exceeds the limit \"1Mi\". "},
    {"ContainersTogetherMayTakeTheSumOfTheirLimits",
     kLimits,
     {.containers = {{"a", kMi}, {"b", kMi}}, .pod = 3 * kMi},
     ""},
    {"APodOverTheSumGoes",
     kLimits,
     {.containers = {{"a", kMi}, {"b", kMi}}, .pod = 3 * kMi + 1},
     "Pod ephemeral local storage usage exceeds the total limit of containers 3Mi. "},
    {"AContainerOverItsOwnLimitGoes",
     kLimits,
     {.containers = {{"a", kMi + 1}}, .pod = 2 * kMi},
     "Container a exceeded its local ephemeral storage limit \"1Mi\". "},
    {"AnInitContainerThatMayTakeMoreRaisesThePodsLimit", kInit, {.containers = {{"a", kMi}}, .pod = 5 * kMi}, ""},
};

Pod make_pod(const std::string& spec) {
    auto pod = api::from_yaml<Pod>("metadata: {name: p, uid: u}\nspec: {" + spec + "}\n");
    return pod.value();
}

class StorageLimits : public testing::TestWithParam<StorageCase> {};

TEST_P(StorageLimits, FindsWhoTakesTooMuch) {
    const StorageCase& each = GetParam();
    EXPECT_EQ(find_excess(make_pod(each.spec), each.use).value_or(""), each.why);
}

INSTANTIATE_TEST_SUITE_P(Cases, StorageLimits, testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(StorageMeasuring, OnlyPodsWithLimitsAreMeasured) {
    EXPECT_TRUE(has_storage_limits(make_pod(kVolume), true));
    EXPECT_FALSE(has_storage_limits(make_pod(kMemory), true));
    EXPECT_TRUE(has_storage_limits(make_pod(kMemory), false));
    EXPECT_TRUE(has_storage_limits(make_pod(kLimits), true));
    EXPECT_FALSE(has_storage_limits(make_pod("volumes: [{name: v, emptyDir: {}}], containers: [{name: c}]"), true));
}

TEST(StorageMeasuring, CountsLogsAndLayersForContainersAndAllForThePod) {
    const std::string directory = testing::TempDir() + "muster-storage-" + std::to_string(::getpid());
    const auto fill = [&](const std::string& path) {
        std::filesystem::create_directories(directory + "/pods/u/" + path);
        std::ofstream(directory + "/pods/u/" + path + "/file") << std::string(kMi, 'x');
    };
    for (const char* path : {"a", "stage/a/0", "b", "volumes/v"}) fill(path);
    const std::atomic<bool> stop{false};
    const Pod pod = make_pod(std::string(kLimits) + ", volumes: [{name: v, emptyDir: {sizeLimit: 1Mi}}]");
    const StorageUse use = measure_storage(directory, pod, true, stop);
    EXPECT_EQ(use.containers.at("a") / kMi, 2u);
    EXPECT_EQ(use.containers.at("b") / kMi, 1u);
    EXPECT_EQ(use.volumes.at("v") / kMi, 1u);
    EXPECT_EQ(use.pod / kMi, 4u);
    EXPECT_TRUE(measure_storage(directory, make_pod(kMemory), false, stop).volumes.contains("v"));
    EXPECT_FALSE(measure_storage(directory, make_pod(kMemory), true, stop).volumes.contains("v"))
        << "the kernel enforces the limit of memory that root mounts";
    std::filesystem::remove_all(directory);
}

}  // namespace storage_limits_test
}  // namespace muster::node
