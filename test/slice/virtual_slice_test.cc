// The slice in virtual time, over a disk in memory that can crash.
#include <gtest/gtest.h>

#include "os/testing/virtual_loop.h"
#include "slice/scene.h"
#include "store/testing/memory_journal.h"

namespace muster::slice {
namespace {

struct Machine {
    os::VirtualLoop loop;
    store::MemoryDisk disk;
    std::unique_ptr<os::VirtualWorker> worker;
    std::unique_ptr<store::MemoryJournal> journal;
    std::unique_ptr<World> world;

    Machine() { boot(); }
    ~Machine() { shut_down(); }
    void boot() {
        worker = std::make_unique<os::VirtualWorker>(loop, 7, 1ms, 5ms);
        journal = std::make_unique<store::MemoryJournal>(loop, *worker, disk);
        world = std::make_unique<World>(loop, *journal);
    }
    void crash() {
        worker->abandon();
        shut_down();
        disk.forget();
        boot();
    }

private:
    void shut_down() {
        world.reset();
        journal.reset();
        worker.reset();
    }
};

TEST(VirtualSlice, AJobIsStoredSeenAndRemovedWhenItsTtlHasPassed) {
    Machine machine;
    machine.world->start_controllers();
    std::vector<std::string> seen;
    os::TaskScope watchers(machine.loop);
    watchers.spawn(record_until_deleted(machine.world->client, seen));

    const auto created = machine.loop.run(create_job(machine.world->client));
    ASSERT_TRUE(created.ok()) << created.error().message;
    EXPECT_EQ((*created)->metadata.resource_version, "1");
    ASSERT_TRUE(machine.loop.run(finish_job(machine.world->client, machine.loop.now())).ok());

    machine.loop.run_for(8s);
    EXPECT_EQ(seen, (std::vector<std::string>{"ADDED pi @1", "MODIFIED pi @2"})) << "too early to remove it";
    machine.loop.run_for(3s);
    EXPECT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen.back(), "DELETED pi @3");
}

TEST(VirtualSlice, WhatWasAcknowledgedSurvivesACrashAndTheWorkGoesOn) {
    Machine machine;
    const auto created = machine.loop.run(create_job(machine.world->client));
    ASSERT_TRUE(created.ok());
    const Instant finish = machine.loop.now();
    ASSERT_TRUE(machine.loop.run(finish_job(machine.world->client, finish)).ok());
    const Job before = **machine.loop.run(machine.world->client.get<Job>({"default", "pi"}));

    machine.crash();
    const auto after = machine.loop.run(machine.world->client.get<Job>({"default", "pi"}));
    ASSERT_TRUE(after.ok()) << after.error().message;
    EXPECT_EQ(**after, before);

    machine.world->start_controllers();
    machine.loop.run_for(11s);
    EXPECT_EQ(machine.loop.run(machine.world->client.get<Job>({"default", "pi"})).error().code, Code::kNotFound);
    EXPECT_EQ(machine.world->store->revision(), 3u) << "revisions go on where they stopped";
}

TEST(VirtualSlice, AWriteThatWasNotAcknowledgedMayBeLostButNeverHalf) {
    Machine machine;
    os::TaskScope writers(machine.loop);
    bool answered = false;
    writers.spawn([](client::Client& client, bool& done) -> os::Task<void> {
        (void)co_await create_job(client);
        done = true;
    }(machine.world->client, answered));
    machine.loop.run_until_idle();
    EXPECT_FALSE(answered) << "an answer waits for the disk";
    writers.cancel();
    machine.crash();
    EXPECT_EQ(machine.world->store->revision(), 0u);
    EXPECT_TRUE(machine.loop.run(create_job(machine.world->client)).ok());
}

}  // namespace
}  // namespace muster::slice
