#include "os/process/process_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "os/process/linux_processes.h"
#include "os/process/output_pipe.h"

namespace muster::os {
namespace process_table_test {

using testing::ElementsAre;
using testing::IsEmpty;

// Tests run beside each other.
const std::string kMark = "MUSTER_TABLE_TEST=" + std::to_string(::getpid()) + "mark";

class ProcessTable : public testing::Test {
protected:
    std::shared_ptr<Process> start(const std::string& script, int output = -1) {
        ProcessSpec spec;
        spec.program = "/bin/sh";
        spec.arguments = {"sh", "-c", script};
        spec.environment = {"PATH=/usr/bin:/bin", kMark};
        spec.output = output;
        return processes_.start(spec).value();
    }
    // No shell, which would become another program after it has started.
    std::shared_ptr<Process> start_sleep() {
        ProcessSpec spec;
        spec.program = "/bin/sleep";
        spec.arguments = {"sleep", "1000"};
        spec.environment = {kMark};
        return processes_.start(spec).value();
    }
    RealLoop loop_;
    LinuxProcesses processes_{loop_};
};

TEST_F(ProcessTable, TellsAProcessByTheTimeOfItsStart) {
    EXPECT_TRUE(process_start_ticks(::getpid()));
    const auto child = start_sleep();
    const auto ticks = process_start_ticks(child->pid());
    ASSERT_TRUE(ticks);
    EXPECT_FALSE(ForeignProcess::watch(loop_, child->pid(), *ticks + 1, [](auto) {}).ok())
        << "another of the same number";
    EXPECT_TRUE(child->signal(kKillSignal).ok());
    loop_.run(child->wait());
    EXPECT_FALSE(process_start_ticks(child->pid()));
}

TEST_F(ProcessTable, FindsAndKillsWhatWasStartedWithAMark) {
    EXPECT_THAT(find_processes(kMark), IsEmpty());
    const auto child = start_sleep();
    EXPECT_THAT(find_processes(kMark), ElementsAre(child->pid()));
    EXPECT_THAT(find_processes(kMark.substr(0, kMark.size() - 1)), IsEmpty());
    EXPECT_EQ(kill_processes(kMark), 1u);
    EXPECT_EQ(loop_.run(child->wait()).signal, kKillSignal);
}

TEST_F(ProcessTable, FindsAProcessFromItsFirstMomentOn) {
    // When start() returns, the kernel has not yet given the program its environment.
    for (int i = 0; i < 100; ++i) {
        const auto child = start_sleep();
        EXPECT_THAT(find_processes(kMark), ElementsAre(child->pid()));
        EXPECT_TRUE(child->signal(kKillSignal).ok());
        loop_.run(child->wait());
    }
}

TEST_F(ProcessTable, FindsAllOfANameByTheirValues) {
    const auto child = start_sleep();
    const auto all = find_marked_processes("MUSTER_TABLE_TEST");
    ASSERT_TRUE(all.contains(kMark.substr(kMark.find('=') + 1)));
    EXPECT_EQ(process_variable(child->pid(), "MUSTER_TABLE_TEST"), kMark.substr(kMark.find('=') + 1));
    EXPECT_FALSE(process_variable(child->pid(), "MUSTER_TABLE"));
    EXPECT_TRUE(child->signal(kKillSignal).ok());
    loop_.run(child->wait());
}

TEST_F(ProcessTable, SeesTheEndOfAProcessThatIsNotItsChild) {
    const auto child = start_sleep();
    bool ended = false;
    std::optional<ProcessEnd> how;
    auto foreign = ForeignProcess::watch(loop_, child->pid(), *process_start_ticks(child->pid()),
                                         [&](std::optional<ProcessEnd> end) {
                                             ended = true;
                                             how = end;
                                             loop_.stop();
                                         });
    ASSERT_TRUE(foreign.ok());
    EXPECT_TRUE((*foreign)->signal(kTermSignal).ok());
    EXPECT_EQ(loop_.run(child->wait()).signal, kTermSignal);
    while (!ended) loop_.run();
    EXPECT_EQ(how.value_or(ProcessEnd{.signal = kTermSignal}).signal, kTermSignal) << "when the kernel tells";
}

TEST_F(ProcessTable, ReadsOnWhatAProcessWritesAfterItsFirstReaderIsGone) {
    auto pipe = make_output_pipe();
    ASSERT_TRUE(pipe.ok());
    const auto child = start("sleep 0.05; echo one; echo two; exec sleep 1000", pipe->theirs.number());
    pipe->theirs.close();
    pipe->ours.close();
    std::string text;
    auto ours = reopen_output(child->pid(), 1);
    ASSERT_TRUE(ours.ok()) << ours.error().message;
    const OutputReader reader(loop_, std::move(*ours), [&](std::string_view data) {
        text += data;
        if (text.size() >= 8) loop_.stop();
    });
    loop_.run();
    EXPECT_EQ(text, "one\ntwo\n");
    EXPECT_FALSE(reopen_output(child->pid(), 0).ok()) << "its input is no pipe";
    EXPECT_TRUE(child->signal(kKillSignal).ok());
    loop_.run(child->wait());
}

}  // namespace process_table_test
}  // namespace muster::os
