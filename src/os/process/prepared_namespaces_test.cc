#include "os/process/prepared_namespaces.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "os/process/device_nodes.h"
#include "os/process/linux_processes.h"
#include "os/process/mount_points.h"

namespace muster::os {
namespace prepared_namespaces_test {

class PreparedNamespacesTest : public testing::Test {
protected:
    PreparedNamespacesTest() {
        std::string pattern = testing::TempDir() + "muster-prepared-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
    }
    ~PreparedNamespacesTest() override { std::filesystem::remove_all(directory_); }
    std::string path(const char* name) const { return directory_ + '/' + name; }
    void write(const char* name, const char* content) const { std::ofstream(path(name)) << content; }

    std::string directory_;
};

TEST_F(PreparedNamespacesTest, ProcessesThatEnterSeeWhatWasMountedAndOthersDoNot) {
    SetupSteps steps;
    switch (probe_namespaces()) {
        case NamespaceAccess::kNone: GTEST_SKIP() << "the kernel gives no namespaces";
        case NamespaceAccess::kByUser:
            steps = setup::own_user_namespace(kMountNamespace, ::geteuid(), ::getegid());
            break;
        case NamespaceAccess::kFree: steps = {setup::unshare(kMountNamespace)}; break;
    }
    write("machine", "machine");
    write("prepared", "prepared");
    steps.push_back(setup::private_mounts());
    steps.push_back(setup::bind_mount(path("prepared"), path("machine")));
    const auto made = prepare_namespaces(steps);
    ASSERT_TRUE(made.ok()) << made.error().message;
    ProcessSpec spec;
    spec.program = "/bin/grep";
    spec.arguments = {"grep", "-q", "prepared", path("machine")};
    for (const bool enters : {true, true, false}) {
        spec.namespaces = enters ? made->numbers() : std::vector<int>();
        const auto launched = LinuxProcesses::launch(spec);
        ASSERT_TRUE(launched.ok()) << launched.error().message;
        int status = 0;
        ASSERT_EQ(::waitpid(launched->pid, &status, 0), launched->pid);
        EXPECT_EQ(WEXITSTATUS(status), enters ? 0 : 1);
    }
}

TEST_F(PreparedNamespacesTest, AStepThatFailsIsNamed) {
    SetupSteps steps = {setup::change_directory(path("nowhere"))};
    const auto made = prepare_namespaces(steps);
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.error().message.find("nowhere"), std::string::npos);
}

TEST_F(PreparedNamespacesTest, DeviceNodesAreRemovedWhereverTheyAre) {
    std::filesystem::create_directories(path("a/b"));
    write("a/b/file", "stays");
    std::filesystem::create_symlink("/dev/null", path("a/link"));
    if (::mknod(path("a/b/null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0)
        GTEST_SKIP() << "only root makes device nodes";
    ASSERT_TRUE(remove_device_nodes(directory_).ok());
    EXPECT_FALSE(std::filesystem::exists(path("a/b/null")));
    EXPECT_TRUE(std::filesystem::exists(path("a/b/file")));
    EXPECT_TRUE(std::filesystem::is_symlink(path("a/link")));
}

}  // namespace prepared_namespaces_test
}  // namespace muster::os
