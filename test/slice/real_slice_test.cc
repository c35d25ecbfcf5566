// The slice on the real loop and disk: the process is killed, and the next one finds everything and goes on.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "os/real_loop.h"
#include "os/thread_worker.h"
#include "slice/scene.h"
#include "store/rocksdb_journal.h"

namespace muster::slice {
namespace {

// Runs slice_child until it has said its line, then kills it.
std::string acknowledged_before_kill(const std::string& directory) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::string program = SLICE_CHILD;
    std::string argument = directory;
    char* arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string line;
    char c = 0;
    while (::read(ends[0], &c, 1) == 1 && c != '\n') line += c;
    ::close(ends[0]);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return line;
}

TEST(RealSlice, AKilledProcessLosesNothingAcknowledgedAndTheNextOneGoesOn) {
    const std::string directory = testing::TempDir() + "muster-slice-" + std::to_string(::getpid());
    struct Cleanup {  // after the store has closed
        const std::string& of;
        ~Cleanup() { std::filesystem::remove_all(of); }
    } cleanup{directory};
    const std::string line = acknowledged_before_kill(directory);
    ASSERT_FALSE(line.empty()) << "the child died before it had acknowledged anything";

    os::RealLoop loop;
    auto journal = store::RocksdbJournal::open(loop, std::make_unique<os::ThreadWorker>("journal"), directory);
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    World world(loop, **journal);
    const auto job = loop.run(world.client.get<Job>({"default", "pi"}));
    ASSERT_TRUE(job.ok()) << job.error().message;
    EXPECT_EQ((*job)->metadata.uid.str() + " " + (*job)->metadata.resource_version.str(), line);
    EXPECT_EQ((*job)->status.conditions[0].type, "Complete");
    EXPECT_EQ((*job)->spec.template_.spec.containers[0].image, "perl");

    // Finished long ago: the controller of the new process removes it.
    Job old = **job;
    const auto long_ago = api::Time::from_instant(loop.now() - 1h);
    old.status.conditions.edit()[0].last_transition_time = long_ago;
    const auto updated = loop.run(world.client.update(old));
    ASSERT_TRUE(updated.ok()) << updated.error().message;
    std::vector<std::string> seen;
    world.start_controllers();
    loop.run([](client::Client& client, std::string from, std::vector<std::string>& out) -> os::Task<void> {
        auto watch = co_await client.watch<Job>("default", from);
        for (bool gone = false; !gone;) {
            const auto events = co_await watch->next();
            for (const auto& event : *events) {
                gone = gone || event.type == client::EventType::kDeleted;
                if (gone) out.push_back(event.object->metadata.name.str());
            }
        }
    }(world.client, (*updated)->metadata.resource_version.str(), seen));
    EXPECT_EQ(seen, (std::vector<std::string>{"pi"}));
}

}  // namespace
}  // namespace muster::slice
