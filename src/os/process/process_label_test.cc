#include "os/process/process_label.h"

#include <gtest/gtest.h>

#include <thread>

#include "os/loop/real_loop.h"
#include "os/process/linux_processes.h"
#include "os/process/proc_file.h"
#include "os/process/process_table.h"

namespace muster::os {
namespace process_label_test {

TEST(ProcessLabel, EveryNameHasItsOwn) {
    EXPECT_EQ(make_label("pod/c/0"), make_label("pod/c/0"));
    EXPECT_NE(make_label("pod/c/0"), make_label("pod/c/1"));
}

TEST(ProcessLabel, DescendantsCarryItWithoutEnvironmentAndInOtherSessions) {
    RealLoop loop;
    LinuxProcesses processes(loop);
    const std::uint64_t label = make_label("descendants of " + std::to_string(own_pid()));
    EXPECT_NE(process_label(own_pid()), label);
    ProcessSpec spec;
    spec.program = "/bin/sh";
    spec.arguments = {"sh", "-c", "env -i setsid -f sleep 1000; setsid -f env -i sleep 1000; exec sleep 1000"};
    spec.environment = {"PATH=/usr/bin:/bin"};
    spec.label = label;
    const auto started = processes.start(spec);
    ASSERT_TRUE(started.ok()) << started.error().message;
    EXPECT_EQ(process_label((*started)->pid()), label);
    // Until the last is a sleep in a session of its own; the first has become one then, too.
    const auto sleeps = [&] {
        int count = 0;
        for (const int pid : all_processes())
            if (process_label(pid) == label &&
                read_proc("/proc/" + std::to_string(pid) + "/comm").value_or("") == "sleep\n")
                ++count;
        return count;
    };
    while (sleeps() < 3) std::this_thread::yield();
    EXPECT_GE(kill_labelled_processes({label, label - 1}), 3u);
    loop.run([](std::shared_ptr<Process> child) -> Task<void> { (void)co_await child->wait(); }(*started));
    EXPECT_EQ(kill_labelled_processes({label}), 0u);
}

}  // namespace process_label_test
}  // namespace muster::os
