#include "os/process/cgroups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "os/loop/real_loop.h"
#include "os/process/linux_processes.h"
#include "os/process/process_facts.h"

namespace muster::os {
namespace cgroups_test {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Directories that look like the kernel's: a test cannot mount what this machine does not have.
class PretendedCgroups : public testing::Test {
protected:
    PretendedCgroups() {
        std::string pattern = testing::TempDir() + "muster-cgroups-XXXXXX";
        root_ = ::mkdtemp(pattern.data());
    }
    ~PretendedCgroups() override { std::filesystem::remove_all(root_); }
    void prepare(const std::string& group, const std::vector<std::string>& files) {
        std::filesystem::create_directories(root_ + '/' + group);
        for (const std::string& name : files) std::ofstream(root_ + '/' + group + '/' + name) << "";
    }
    std::string root_;
};

TEST_F(PretendedCgroups, LimitsOfVersionTwoAreWrittenInItsWords) {
    prepare("m/pod/c", {"memory.max", "memory.swap.max", "memory.oom.group", "cpu.max", "cpu.weight", "pids.max"});
    Cgroups::Place place;
    place.unified = true;
    place.memory = root_;
    const Cgroups groups(place, "m");
    CgroupLimits limits;
    limits.memory_bytes = 1 << 20;
    limits.cpu_milli = 250;
    limits.cpu_requested = 100;
    limits.processes = 7;
    const Result<> made = groups.make("pod/c", limits);
    ASSERT_TRUE(made.ok()) << made.error().message;
    const std::string group = root_ + "/m/pod/c/";
    EXPECT_EQ(read_text(group + "memory.max"), "1048576");
    EXPECT_EQ(read_text(group + "memory.swap.max"), "0");
    EXPECT_EQ(read_text(group + "memory.oom.group"), "1");
    EXPECT_EQ(read_text(group + "cpu.max"), "25000 100000");
    EXPECT_EQ(read_text(group + "cpu.weight"), "4");
    EXPECT_EQ(read_text(group + "pids.max"), "7");
    EXPECT_THAT(groups.joins("pod/c"), ElementsAre(group + "cgroup.procs"));
    std::ofstream(group + "memory.events") << "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n";
    EXPECT_EQ(groups.killed_for_memory("pod/c"), 2);
    EXPECT_THAT(groups.list(), ElementsAre("pod"));
}

TEST(Cgroups, SharesAndWeightsAreTheKubeletsOwn) {
    EXPECT_EQ(cpu_shares(0), 2);
    EXPECT_EQ(cpu_shares(500), 512);
    EXPECT_EQ(cpu_shares(1'000'000), 262144);
    EXPECT_EQ(cpu_weight(0), 1);
    EXPECT_EQ(cpu_weight(1000), 39);
    EXPECT_EQ(cpu_weight(1'000'000), 10000);
    EXPECT_EQ(cpu_quota(500), 50'000);
    EXPECT_EQ(cpu_quota(1), 1000);
}

TEST(Cgroups, AnyNumberOfProcessorsHasAShareAWeightAndAQuota) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(cpu_shares(kMost), 262144);
    EXPECT_EQ(cpu_shares(kLeast), 2);
    EXPECT_EQ(cpu_weight(kMost), 10000);
    EXPECT_EQ(cpu_quota(kMost), kMost / 1000);
    EXPECT_EQ(cpu_quota(kLeast), 1000);
}

class RealCgroups : public testing::Test {
protected:
    void SetUp() override {
        const auto place = Cgroups::find_place();
        if (!place.ok()) GTEST_SKIP() << place.error().message;
        groups_.emplace(*place, "muster-test-" + std::to_string(::getpid()));
    }
    void TearDown() override {
        if (!groups_) return;
        remove("pod");
        groups_->remove_parent();
    }
    void remove(const std::string& group) {
        while (!groups_->remove(group)) std::this_thread::yield();
    }
    ProcessEnd run(const std::string& script, const std::string& group) {
        ProcessSpec spec;
        spec.program = "/bin/sh";
        spec.arguments = {"sh", "-c", script};
        spec.environment = {"PATH=/usr/bin:/bin"};
        for (const std::string& file : groups_->joins(group)) spec.setup.push_back(setup::write_file(file, "0"));
        auto process = processes_.start(spec);
        EXPECT_TRUE(process.ok()) << process.error().message;
        if (!process.ok()) return {};
        return loop_.run((*process)->wait());
    }
    RealLoop loop_;
    LinuxProcesses processes_{loop_};
    std::optional<Cgroups> groups_;
};

TEST_F(RealCgroups, WhoTakesMoreMemoryThanAllowedIsKilled) {
    CgroupLimits limits;
    limits.memory_bytes = 16 << 20;
    limits.cpu_milli = 500;
    ASSERT_TRUE(groups_->make("pod/c", limits).ok());
    EXPECT_EQ(run("true", "pod/c").code, 0);
    EXPECT_EQ(groups_->killed_for_memory("pod/c"), 0);
    const ProcessEnd end = run("exec tail /dev/zero", "pod/c");
    EXPECT_EQ(end.signal, 9);
    EXPECT_EQ(groups_->killed_for_memory("pod/c"), 1);
}

TEST_F(RealCgroups, AGroupGoesWithAllThatIsInIt) {
    CgroupLimits limits;
    limits.memory_bytes = 64 << 20;
    ASSERT_TRUE(groups_->make("pod/c", limits).ok());
    ASSERT_TRUE(groups_->make("pod/d", limits).ok());
    EXPECT_EQ(run("setsid sleep 1000 > /dev/null & true", "pod/d").code, 0);
    EXPECT_THAT(groups_->list(), Contains("pod"));
    remove("pod");
    EXPECT_THAT(groups_->list(), Not(Contains("pod")));
    EXPECT_TRUE(groups_->remove("pod")) << "absence is no error";
}

TEST_F(RealCgroups, AProcessIsStartedLikeAnother) {
    CgroupLimits limits;
    limits.memory_bytes = 64 << 20;
    ASSERT_TRUE(groups_->make("pod/c", limits).ok());
    EXPECT_THAT(cgroup_files(::getpid()), IsEmpty());
    ProcessSpec spec;
    spec.program = "/bin/sleep";
    spec.arguments = {"sleep", "1000"};
    spec.environment = {"A=1", "B=two words"};
    spec.directory = "/usr";
    for (const std::string& file : groups_->joins("pod/c")) spec.setup.push_back(setup::write_file(file, "0"));
    const auto process = processes_.start(spec);
    ASSERT_TRUE(process.ok());
    const auto facts = read_process_facts((*process)->pid());
    ASSERT_TRUE(facts.ok());
    EXPECT_THAT(facts->environment, ElementsAre("A=1", "B=two words"));
    EXPECT_EQ(facts->directory, "/usr");
    EXPECT_EQ(facts->setup.size(), groups_->joins("pod/c").size());
    for (const SetupStep& step : facts->setup) EXPECT_THAT(groups_->joins("pod/c"), Contains(step.path));
    ASSERT_TRUE((*process)->signal(9).ok());
    (void)loop_.run((*process)->wait());
    EXPECT_FALSE(read_process_facts((*process)->pid()).ok());
}

}  // namespace cgroups_test
}  // namespace muster::os
