#include "os/process/process_setup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "os/machine/machine.h"
#include "os/process/linux_processes.h"
#include "os/process/mount_points.h"

namespace muster::os {
namespace process_setup_test {

using testing::HasSubstr;
using namespace setup;  // NOLINT(google-build-using-namespace)

constexpr int kOtherUser = 65534;

// What a process with a setup of its own sees. Most of it only root may do.
struct ProcessSetupTest : testing::Test {
    ProcessSetupTest() {
        std::string pattern = testing::TempDir() + "muster-setup-XXXXXX";
        directory = ::mkdtemp(pattern.data());
        ::chmod(directory.c_str(), 0755);
        if (::geteuid() == 0) own_mounts = {unshare(kMountNamespace), private_mounts()};
    }
    ~ProcessSetupTest() override { std::filesystem::remove_all(directory); }

    std::string make_file(const std::string& name, const std::string& content) {
        std::filesystem::create_directories(std::filesystem::path(directory + '/' + name).parent_path());
        std::ofstream(directory + '/' + name) << content;
        return directory + '/' + name;
    }
    std::string make_directory(const std::string& name) {
        std::filesystem::create_directories(directory + '/' + name);
        return directory + '/' + name;
    }
    Result<std::string> run(SetupSteps steps, const std::string& script) {
        const std::string output = directory + "/output";
        const Descriptor file(::open(output.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
        ProcessSpec spec{.program = "/bin/sh",
                         .arguments = {"sh", "-c", script},
                         .environment = {"PATH=/usr/bin:/bin", "D=" + directory},
                         .directory = "/"};
        spec.output = spec.error = file.number();
        spec.setup = std::move(steps);
        TRY_ASSIGN(const std::shared_ptr<Process> process, processes.start(spec));
        loop.run(process->wait());
        std::ifstream written(output);
        return std::string(std::istreambuf_iterator<char>(written), {});
    }
    std::string output_of(SetupSteps steps, const std::string& script) {
        const Result<std::string> result = run(std::move(steps), script);
        return result.ok() ? *result : result.error().message;
    }
    SetupSteps with_mounts(SetupSteps more) {
        SetupSteps all = own_mounts;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    RealLoop loop;
    LinuxProcesses processes{loop};
    std::string directory;
    SetupSteps own_mounts;
};

struct RootSetupTest : ProcessSetupTest {
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root may do this";
        if (probe_namespaces() != NamespaceAccess::kFree) GTEST_SKIP() << "this machine gives root no namespaces";
    }
};

TEST_F(RootSetupTest, AHostNameIsTheProcessesOwn) {
    const std::string ours = host_name();
    EXPECT_EQ(output_of({unshare(kUtsNamespace), setup::host_name("job-3")}, "uname -n"), "job-3\n");
    EXPECT_EQ(host_name(), ours);
}

TEST_F(RootSetupTest, AProcessWithANameOfItsOwnGetsNoDescriptorsOfOurs) {
    const Descriptor ours(::open("/dev/null", O_RDONLY));  // not closed by exec
    const Descriptor high(::fcntl(ours.number(), F_DUPFD, 100));
    EXPECT_EQ(output_of({unshare(kUtsNamespace), setup::host_name("own")}, "ls /proc/self/fd"), "0\n1\n2\n3\n");
}

TEST_F(RootSetupTest, ABoundDirectoryAppearsOnlyThere) {
    make_file("volume/greeting", "hello\n");
    const std::string point = make_directory("point");
    EXPECT_EQ(output_of(with_mounts({bind_mount(directory + "/volume", point)}), "cat $D/point/greeting"), "hello\n");
    EXPECT_TRUE(std::filesystem::is_empty(point));
}

TEST_F(RootSetupTest, AReadOnlyMountCannotBeWrittenAndItsSourceCan) {
    make_file("volume/greeting", "hello\n");
    make_directory("point");
    const SetupSteps steps =
        with_mounts({bind_mount(directory + "/volume", directory + "/point", SetupStep::kReadOnlyMount)});
    EXPECT_EQ(output_of(steps, "echo x 2>&1 > $D/point/new; echo x > $D/volume/new; cat $D/point/new"),
              "sh: 1: cannot create " + directory + "/point/new: Read-only file system\nx\n");
}

TEST_F(RootSetupTest, AMissingMountPointIsMadeWithWhatIsAboveIt) {
    make_file("volume/greeting", "hello\n");
    make_directory("root");
    SetupStep whole = bind_mount(directory + "/volume", "/a/b/c", SetupStep::kMakePoint);
    SetupStep file = bind_mount(directory + "/volume/greeting", "/etc/greeting", SetupStep::kMakePoint);
    whole.inside = file.inside = directory + "/root";
    EXPECT_EQ(output_of(with_mounts({tmpfs(directory + "/root", "mode=755"), whole, file}),
                        "cat $D/root/a/b/c/greeting $D/root/etc/greeting"),
              "hello\nhello\n");
    EXPECT_TRUE(std::filesystem::is_empty(directory + "/root")) << "the points were made in memory";
}

TEST_F(RootSetupTest, NoLinkInARootLeadsAMountOut) {
    make_file("volume/greeting", "hello\n");
    make_directory("root/inner");
    make_directory("outer");
    std::filesystem::create_symlink(directory + "/outer", directory + "/root/way");
    SetupStep step = bind_mount(directory + "/volume", "/way/point", SetupStep::kMakePoint);
    step.inside = directory + "/root";
    output_of(with_mounts({step}), "true");
    EXPECT_TRUE(std::filesystem::is_empty(directory + "/outer"));
}

TEST_F(RootSetupTest, ALinkOutOfAVolumeIsNoPartOfIt) {
    make_file("volume/inner/greeting", "hello\n");
    std::filesystem::create_symlink("inner", directory + "/volume/fine");
    std::filesystem::create_symlink("/etc", directory + "/volume/bad");
    std::filesystem::create_symlink("../..", directory + "/volume/inner/worse");
    make_directory("point");
    const auto mount_part = [&](const std::string& part) {
        SetupStep step = bind_mount(directory + "/volume", directory + "/point");
        step.detail = part;
        return output_of(with_mounts({step}), "cat $D/point/greeting");
    };
    EXPECT_EQ(mount_part("fine"), "hello\n");
    for (const std::string part : {"bad", "inner/worse", "inner/../.."})
        EXPECT_EQ(mount_part(part), "cannot mount " + directory + "/volume/" + part + " on " + directory +
                                        "/point: Invalid cross-device link");
}

TEST_F(RootSetupTest, APartOfAVolumeThatIsNotThereIsMadeWhenTheStepSaysSo) {
    make_directory("volume/inner");
    make_directory("point");
    make_directory("outer");
    std::filesystem::permissions(directory + "/volume", std::filesystem::perms(0777));
    std::filesystem::create_symlink(directory + "/outer", directory + "/volume/way");
    const auto mount_part = [&](const std::string& part, std::uint64_t flags) {
        SetupStep step = bind_mount(directory + "/volume", directory + "/point", flags);
        step.detail = part;
        return output_of(with_mounts({step}), "echo x > $D/point/file; stat -c %a $D/point");
    };
    EXPECT_EQ(mount_part("inner/new/deep", SetupStep::kMakeBeneath), "777\n") << "as open as the volume";
    EXPECT_TRUE(std::filesystem::exists(directory + "/volume/inner/new/deep/file"));
    EXPECT_EQ(mount_part("inner/other", 0), "cannot mount " + directory + "/volume/inner/other on " + directory +
                                                "/point: No such file or directory");
    EXPECT_EQ(mount_part("way/new", SetupStep::kMakeBeneath),
              "cannot mount " + directory + "/volume/way/new on " + directory + "/point: Invalid cross-device link");
    EXPECT_TRUE(std::filesystem::is_empty(directory + "/outer")) << "nothing is made outside of the volume";
}

TEST_F(RootSetupTest, TheFirstStepThatFailsIsNamedAndNothingRuns) {
    EXPECT_EQ(
        output_of(with_mounts({bind_mount("/no/such", "/tmp"), setup::change_directory("/never")}), "touch $D/ran"),
        "cannot mount /no/such on /tmp: No such file or directory");
    EXPECT_EQ(run({setup::change_directory("/no/such")}, "true").error().code, Code::kNotFound);
    EXPECT_FALSE(std::filesystem::exists(directory + "/ran"));
}

TEST_F(RootSetupTest, AnotherRootHidesTheMachines) {
    SetupSteps steps = with_mounts({tmpfs(directory + "/root", "mode=755")});
    make_directory("root");
    for (const char* part : {"/usr", "/lib", "/lib64", "/bin", "/proc"}) {
        SetupStep step = bind_mount(part, part, SetupStep::kRecursive | SetupStep::kMakePoint);
        step.inside = directory + "/root";
        steps.push_back(step);
    }
    steps.push_back(setup::pivot_root(directory + "/root"));
    EXPECT_EQ(output_of(steps, "ls /; ls /etc 2>&1 | grep -c such; grep -c ' / / ' /proc/self/mountinfo"),
              "bin\nlib\nlib64\nproc\nusr\n1\n1\n");
}

TEST_F(RootSetupTest, UserGroupsAndRightsAreThoseOfTheSteps) {
    EXPECT_EQ(output_of({groups({7, 8}), group(kOtherUser), user(kOtherUser), no_new_privileges()},
                        "id -u; id -G; grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status"),
              "65534\n65534 7 8\nNoNewPrivs:\t1\nCapEff:\t0000000000000000\n");
    EXPECT_EQ(::geteuid(), 0u);
    EXPECT_EQ(output_of({capabilities(1u << 10)}, "grep -E 'CapEff|CapBnd' /proc/self/status"),
              "CapEff:\t0000000000000400\nCapBnd:\t0000000000000400\n");
}

TEST_F(RootSetupTest, AProcessEntersAnothersNamespaces) {
    ProcessSpec spec{.program = "/bin/sleep", .arguments = {"sleep", "1000"}, .environment = {}, .directory = "/"};
    spec.setup = {unshare(kUtsNamespace), setup::host_name("elsewhere")};
    const auto sleeper = processes.start(spec).value();
    EXPECT_EQ(output_of({join_process(sleeper->pid(), kUtsNamespace)}, "uname -n"), "elsewhere\n");
    EXPECT_EQ(output_of({join("/proc/" + std::to_string(sleeper->pid()) + "/ns/uts")}, "uname -n"), "elsewhere\n");
    ASSERT_TRUE(sleeper->signal(9));
    loop.run(sleeper->wait());
}

TEST_F(ProcessSetupTest, AFileIsWrittenByTheProcessItself) {
    const std::string file = make_file("note", "");
    EXPECT_EQ(output_of({write_file(file, "0")}, "cat $D/note"), "0");
    EXPECT_EQ(output_of({write_file(directory + "/none", "0")}, "true"),
              "cannot write " + directory + "/none: No such file or directory");
}

TEST_F(ProcessSetupTest, ProgramsAreTriedInTurn) {
    ProcessSpec spec{.program = "/no/such/true", .arguments = {"true"}, .environment = {}, .directory = "/"};
    spec.alternatives = {directory + "/true", "/usr/bin/true", "/bin/false"};
    EXPECT_EQ(loop.run(processes.start(spec).value()->wait()), ProcessEnd{});
    spec.alternatives = {"/etc/passwd", directory};
    EXPECT_EQ(processes.start(spec).error().message, "cannot start /no/such/true: Permission denied");
}

// Run by hand of the test below, as another user.
TEST_F(ProcessSetupTest, AnOrdinaryUserHasNamespacesOfItsOwn) {
    if (::geteuid() == 0) GTEST_SKIP() << "root needs no user namespace";
    make_file("volume/greeting", "hello\n");
    make_directory("point");
    SetupSteps steps = own_user_namespace(kMountNamespace | kUtsNamespace, ::getuid(), ::getgid());
    steps.push_back(private_mounts());
    steps.push_back(setup::host_name("mine"));
    steps.push_back(bind_mount(directory + "/volume", directory + "/point", SetupStep::kReadOnlyMount));
    const Result<std::string> seen = run(steps, "uname -n; cat $D/point/greeting; id -u; touch $D/point/x 2>&1");
    if (!seen.ok() && seen.error().message.find("namespace of its own") != std::string::npos)
        GTEST_SKIP() << "this kernel gives ordinary users no namespaces";
    ASSERT_TRUE(seen.ok()) << seen.error().message;
    EXPECT_THAT(*seen, HasSubstr("mine\nhello\n" + std::to_string(::getuid()) + "\n"));
    EXPECT_THAT(*seen, HasSubstr("Read-only file system"));
}

TEST_F(RootSetupTest, AnOrdinaryUserCanDoSoToo) {
    ProcessSpec spec;
    spec.program = "/proc/self/exe";
    spec.arguments = {"os_test", "--gtest_filter=ProcessSetupTest.AnOrdinaryUser*"};
    spec.environment = {"TEST_TMPDIR=/tmp/"};
    spec.setup = {groups({}), group(kOtherUser), user(kOtherUser)};
    const auto process = processes.start(spec);
    if (!process.ok()) GTEST_SKIP() << "user 65534 may not run this test: " << process.error().message;
    EXPECT_EQ(loop.run((*process)->wait()), ProcessEnd{});
}

}  // namespace process_setup_test
}  // namespace muster::os
