// The mark of ProcessSpec::marked (os/process/process.h), as process_mark() of os/process/process_table.h tells it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "os/process/linux_processes.h"
#include "os/process/process_table.h"

namespace muster::os {
namespace process_mark_test {

ProcessSpec sleeping_process() {
    ProcessSpec spec;
    spec.program = "/bin/sleep";
    spec.arguments = {"sleep", "1000"};
    spec.marked = true;
    return spec;
}

void end_process(int pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

// Where namespaces are to be had by root alone, others get no mark, and their processes start all the same.
TEST(ProcessMark, EachMarkedProcessHasOneOfItsOwnThatItsEnvironmentDoesNotTell) {
    const auto first = LinuxProcesses::launch(sleeping_process());
    const auto second = LinuxProcesses::launch(sleeping_process());
    ASSERT_TRUE(first.ok() && second.ok());
    const auto seen_of_first = process_mark(first->pid);
    const auto seen_of_second = process_mark(second->pid);
    end_process(first->pid);
    end_process(second->pid);
    EXPECT_EQ(process_mark(first->pid), std::nullopt);
    if (first->mark == 0) GTEST_SKIP() << "the kernel gives no marks here";
    EXPECT_EQ(seen_of_first, first->mark);
    EXPECT_EQ(seen_of_second, second->mark);
    EXPECT_NE(first->mark, second->mark);
    EXPECT_NE(process_mark(own_pid()), first->mark);
}

TEST(ProcessMark, AProcessThatIsNotMarkedHasOurs) {
    ProcessSpec spec = sleeping_process();
    spec.marked = false;
    const auto launched = LinuxProcesses::launch(spec);
    ASSERT_TRUE(launched.ok());
    EXPECT_EQ(launched->mark, 0u);
    EXPECT_EQ(process_mark(launched->pid), process_mark(own_pid()));
    end_process(launched->pid);
}

}  // namespace process_mark_test
}  // namespace muster::os
