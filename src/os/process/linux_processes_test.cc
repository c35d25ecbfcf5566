#include "os/process/linux_processes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>

namespace muster::os {
namespace linux_processes_test {

struct Pipe {
    Pipe() {
        int ends[2];
        CHECK(::pipe2(ends, O_CLOEXEC) == 0);
        out = Descriptor(ends[0]);
        in = Descriptor(ends[1]);
    }
    // What is left in the pipe once all writers have closed it.
    std::string drain() {
        in.close();
        std::string all;
        char buffer[4096];
        ssize_t count;
        while ((count = ::read(out.number(), buffer, sizeof(buffer))) > 0) all.append(buffer, count);
        return all;
    }
    Descriptor out;
    Descriptor in;
};

ProcessSpec shell(const std::string& script) {
    return {.program = "/bin/sh",
            .arguments = {"sh", "-c", script},
            .environment = {"PATH=/usr/bin:/bin"},
            .directory = ""};
}

struct LinuxProcessesTest : testing::Test {
    RealLoop loop;
    LinuxProcesses processes{loop};

    ProcessEnd run(const ProcessSpec& spec) { return loop.run(processes.start(spec).value()->wait()); }
    std::string output_of(ProcessSpec spec) {
        Pipe pipe;
        spec.output = pipe.in.number();
        EXPECT_EQ(run(spec), ProcessEnd{});
        return pipe.drain();
    }
};

TEST_F(LinuxProcessesTest, AProcessEndsWithItsCodeOrItsSignal) {
    EXPECT_EQ(run(shell("exit 0")), ProcessEnd{});
    EXPECT_EQ(run(shell("exit 3")), ProcessEnd{.code = 3});
    EXPECT_EQ(run(shell("kill -9 $$")), ProcessEnd{.signal = SIGKILL});
}

TEST_F(LinuxProcessesTest, ManyEndEachWithItsOwnCode) {
    std::vector<std::shared_ptr<Process>> started;
    for (int i = 0; i < 30; ++i) started.push_back(processes.start(shell("exit " + std::to_string(i))).value());
    for (int i = 0; i < 30; ++i) EXPECT_EQ(loop.run(started[i]->wait()).code, i);
    EXPECT_EQ(loop.run(started[7]->wait()).code, 7) << "one that has ended may be waited for";
}

TEST_F(LinuxProcessesTest, AProgramThatCannotRunIsAnErrorNotAProcess) {
    EXPECT_EQ(
        processes.start({.program = "/no/such", .arguments = {"x"}, .environment = {}, .directory = ""}).error().code,
        Code::kNotFound);
    EXPECT_EQ(processes.start({.program = "/etc/passwd", .arguments = {"x"}, .environment = {}, .directory = ""})
                  .error()
                  .code,
              Code::kIo);
    ProcessSpec spec = shell("true");
    spec.directory = "/no/such";
    EXPECT_EQ(processes.start(spec).error().code, Code::kNotFound);
}

TEST_F(LinuxProcessesTest, AProcessGetsItsEnvironmentDirectoryAndOutputAndNothingElse) {
    ProcessSpec spec = shell("env | grep -v ^_= | sort; pwd");
    spec.environment = {"PATH=/usr/bin:/bin", "JOB_COMPLETION_INDEX=5"};
    spec.directory = "/";
    EXPECT_EQ(output_of(spec), "JOB_COMPLETION_INDEX=5\nPATH=/usr/bin:/bin\nPWD=/\n/\n");
}

TEST_F(LinuxProcessesTest, AProcessGetsNoDescriptorsOfOurs) {
    const Descriptor leaky(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
    // ls itself holds one more, the directory it lists.
    EXPECT_EQ(output_of(shell("exec ls /proc/self/fd")), "0\n1\n2\n3\n");
}

TEST_F(LinuxProcessesTest, InputOutputAndErrorAreTheGivenOnes) {
    Pipe input;
    Pipe error;
    ASSERT_EQ(::write(input.in.number(), "abc", 3), 3);
    input.in.close();
    ProcessSpec spec = shell("cat; echo oops >&2");
    spec.input = input.out.number();
    spec.error = error.in.number();
    EXPECT_EQ(output_of(spec), "abc");
    EXPECT_EQ(error.drain(), "oops\n");
    EXPECT_EQ(output_of(shell("cat; echo done")), "done\n") << "no input means an empty one";
}

TEST_F(LinuxProcessesTest, StandardDescriptorsMayBeSwapped) {
    Pipe pipe;
    const Descriptor saved(::fcntl(0, F_DUPFD_CLOEXEC, 3));
    ASSERT_EQ(::dup2(pipe.in.number(), 0), 0);  // our input is now the pipe's writing end
    ProcessSpec spec = shell("echo through; echo error >&2");
    spec.output = 0;
    spec.error = 0;
    EXPECT_EQ(run(spec), ProcessEnd{});
    ::dup2(saved.number(), 0);
    EXPECT_EQ(pipe.drain(), "through\nerror\n");
}

TEST_F(LinuxProcessesTest, SignalsReachTheWholeGroup) {
    Pipe pipe;
    ProcessSpec spec = shell(
        "trap 'echo leader; wait; exit 4' TERM; (trap 'echo member; exit 0' TERM; echo up; "
        "while :; do sleep 0.01; done) & echo up; wait");
    spec.output = pipe.in.number();
    const auto process = processes.start(spec).value();
    std::string seen;
    while (std::count(seen.begin(), seen.end(), '\n') < 2) {
        char letter;
        ASSERT_EQ(::read(pipe.out.number(), &letter, 1), 1);
        seen += letter;
    }
    ASSERT_TRUE(process->signal(SIGTERM));
    EXPECT_EQ(loop.run(process->wait()), ProcessEnd{.code = 4});
    const std::string after = pipe.drain();
    EXPECT_NE(after.find("leader"), std::string::npos);
    EXPECT_NE(after.find("member"), std::string::npos);
    EXPECT_EQ(process->signal(SIGTERM).error().code, Code::kNotFound);
}

TEST_F(LinuxProcessesTest, WhatTheLeaderLeavesBehindIsKilled) {
    Pipe pipe;
    ProcessSpec spec = shell("sleep 1000 & echo $!");
    spec.output = pipe.in.number();
    EXPECT_EQ(run(spec), ProcessEnd{});
    // The sleeper holds the pipe's writing end: reading to the end proves that it is gone.
    EXPECT_FALSE(pipe.drain().empty());
}

TEST_F(LinuxProcessesTest, AProcessWithoutAHandleIsReapedToo) {
    const int pid = processes.start(shell("exit 0")).value()->pid();
    while (::kill(pid, 0) == 0) loop.run([](Loop& on) -> Task<void> { co_await sleep_for(on, 1ms); }(loop));
    EXPECT_EQ(errno, ESRCH);
}

TEST_F(LinuxProcessesTest, SignalsBlockedByUsAreNotBlockedInAProcess) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &set, nullptr), 0);
    EXPECT_EQ(run(shell("kill -TERM $$; exit 1")), ProcessEnd{.signal = SIGTERM});
    ASSERT_EQ(::pthread_sigmask(SIG_UNBLOCK, &set, nullptr), 0);
}

TEST_F(LinuxProcessesTest, WhatWeIgnoreIsNotIgnoredInAProcess) {
    EXPECT_EQ(run(shell("exit 0")), ProcessEnd{});  // also when it is ignored only after a first start
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(run(shell("kill -PIPE $$; exit 1")), ProcessEnd{.signal = SIGPIPE});
    ::signal(SIGPIPE, before);
}

}  // namespace linux_processes_test
}  // namespace muster::os
