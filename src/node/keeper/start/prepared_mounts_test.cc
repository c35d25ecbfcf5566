#include "node/keeper/start/prepared_mounts.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster::node {
namespace prepared_mounts_test {

using namespace os::setup;

constexpr std::uint64_t kReadOnly = os::SetupStep::kReadOnlyMount | os::SetupStep::kMakePoint;

os::SetupSteps with_hosts(os::SetupSteps begin, os::SetupSteps end = {}) {
    begin.push_back(private_mounts());
    begin.push_back(bind_mount("/node/hosts", "/etc/hosts", kReadOnly));
    for (os::SetupStep& step : end) begin.push_back(std::move(step));
    return begin;
}

TEST(PreparedMounts, ContainersThatDifferByTheirHostsFileAloneHaveStepsInCommon) {
    const struct {
        const char* sentence;
        os::SetupSteps setup;
        std::size_t common;
    } cases[] = {
        {"nothing is common to nothing", {}, 0},
        {"a hosts file", with_hosts({unshare(os::kMountNamespace)}), 3},
        {"a host name is each one's own",
         with_hosts({unshare(os::kMountNamespace)}, {unshare(os::kUtsNamespace), host_name("a")}), 3},
        {"so is the user", with_hosts({unshare(os::kMountNamespace)}, {groups({1}), group(1), user(1)}), 3},
        {"in a user namespace", with_hosts(own_user_namespace(os::kMountNamespace, 7, 7)), 6},
        {"nothing in place of the machine's token",
         with_hosts({unshare(os::kMountNamespace)}, {bind_mount("/node/nothing", "/var/run/secrets", kReadOnly)}), 4},
        {"a volume behind it makes it another view",
         with_hosts({unshare(os::kMountNamespace)},
                    {bind_mount("/a", "/b", os::SetupStep::kRecursive | os::SetupStep::kMakePoint)}),
         0},
        {"and so does a file that is the pod's own",
         with_hosts({unshare(os::kMountNamespace)}, {bind_mount("/node/pods/uid-1/message", "/message", kReadOnly)}),
         0},
        {"and so does memory in front of it",
         {unshare(os::kMountNamespace), private_mounts(), tmpfs("/a", ""), bind_mount("/node/hosts", "/etc/hosts")},
         0},
        {"a host name in the same step cannot be shared",
         with_hosts({unshare(os::kMountNamespace | os::kUtsNamespace)}), 0},
        {"a path from the working directory means something else to each",
         {unshare(os::kMountNamespace), private_mounts(), bind_mount("hosts", "/etc/hosts")},
         0},
    };
    for (const auto& one : cases) EXPECT_EQ(count_common_steps(one.setup, "uid-1"), one.common) << one.sentence;
}

TEST(PreparedMounts, AFileThatReplacesTheOneBelowAMountMakesAnotherView) {
    std::string pattern = testing::TempDir() + "muster-mounts-XXXXXX";
    const std::string directory = ::mkdtemp(pattern.data());
    const auto write = [&](const char* name) {
        std::ofstream(directory + name) << name;
        return directory + name;
    };
    const std::string source = write("/node-hosts");
    const std::string point = write("/hosts");
    const os::SetupSteps setup{unshare(os::kMountNamespace), private_mounts(), bind_mount(source, point, kReadOnly)};
    PreparedMounts mounts;
    auto take = [&, now = Duration()]() mutable {
        os::SetupSteps steps = setup;
        return mounts.take(steps, "uid-1", now += 1s);
    };
    const PreparedMounts::Namespaces first = take();
    const PreparedMounts::Namespaces again = take();
    std::filesystem::rename(write("/other"), point);
    const PreparedMounts::Namespaces after = take();
    std::filesystem::remove_all(directory);
    if (!first) GTEST_SKIP() << "mount namespaces cannot be had here";
    EXPECT_EQ(again, first);
    EXPECT_NE(after, first) << "the kernel has taken the mount off in the first";
}

}  // namespace prepared_mounts_test
}  // namespace muster::node
