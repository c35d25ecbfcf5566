#include "node/keeper/orphan_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "node/keeper/run_notes.h"
#include "os/process/process_table.h"
#include "os/testing/virtual_loop.h"

namespace muster::node {
namespace orphan_sweep_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kOwnLabel = 1;

struct FakeProcess {
    std::optional<std::uint64_t> mark{};
    std::optional<std::string> run{};
    std::optional<std::uint64_t> label{};
    bool ended = false;
    bool at_guardian = false;
};

class FakeTable final : public OrphanTable {
public:
    std::vector<int> adopted() override { return which(false); }
    std::vector<int> left_to_guardian() override { return which(true); }
    bool reap_adopted(int pid) override { return reap(pid); }
    bool reap_left(int pid) override { return reap(pid); }
    std::optional<std::uint64_t> mark_of(int pid) override { return find(pid).mark; }
    std::optional<std::string> run_of(int pid) override { return find(pid).run; }
    std::optional<std::uint64_t> label_of(int pid) override {
        return pid == os::own_pid() ? kOwnLabel : find(pid).label;
    }
    void kill(int pid) override {
        killed.push_back(pid);
        processes[pid].ended = true;
    }
    void kill_runs(const std::set<std::string>& runs) override { killed_runs.insert(runs.begin(), runs.end()); }
    void kill_labels(const std::set<std::uint64_t>& labels) override {
        killed_labels.insert(labels.begin(), labels.end());
    }

    std::map<int, FakeProcess> processes;
    std::vector<int> killed;
    std::set<std::string> killed_runs;
    std::set<std::uint64_t> killed_labels;
    int looks = 0;

private:
    std::vector<int> which(bool at_guardian) {
        if (!at_guardian) ++looks;
        std::vector<int> found;
        for (const auto& [pid, process] : processes)
            if (process.at_guardian == at_guardian) found.push_back(pid);
        return found;
    }
    bool reap(int pid) {
        const auto found = processes.find(pid);
        if (found == processes.end() || !found->second.ended) return false;
        processes.erase(found);
        return true;
    }
    FakeProcess find(int pid) const {
        const auto found = processes.find(pid);
        return found == processes.end() ? FakeProcess() : found->second;
    }
};

struct World {
    os::VirtualLoop loop;
    FakeTable table;
    std::set<std::string> runs{};      // that go on
    std::set<std::uint64_t> labels{};  // theirs
    bool starting = false;
    OrphanSweep sweep{loop,
                      table,
                      {[this] { return !runs.empty(); }, [this] { return starting; },
                       [this](const std::string& run) { return runs.contains(run); },
                       [this](std::uint64_t label) { return labels.contains(label); }}};
};

EndedRun ended_run(std::uint64_t mark, bool foreign = false) {
    EndedRun run;
    run.key = {"u", "c", 0};
    run.mark = mark;
    run.label = 77;
    run.foreign = foreign;
    return run;
}

TEST(OrphanSweep, WhichOrphansGo) {
    const struct {
        const char* sentence;
        FakeProcess orphan;
        bool any_run;
        bool starting;
        bool goes;
    } cases[] = {
        {"one with the mark of a run that has ended", {.mark = 5}, true, false, true},
        {"one with that mark, though it names a run that goes on", {.mark = 5, .run = "u/on/0"}, true, false, true},
        {"one with another mark that names a run that goes on", {.mark = 6, .run = "u/on/0"}, true, false, false},
        {"one that names a run that does not go on", {.mark = 6, .run = "u/c/0"}, true, false, true},
        {"one without environment with the label of a run that goes on", {.label = 10}, true, false, false},
        {"one without environment with another label", {.label = 11}, true, false, true},
        {"one without environment with our own label", {.label = kOwnLabel}, true, false, false},
        {"one of which nothing is known, while runs go on", {}, true, false, false},
        {"one of which nothing is known, while nothing runs", {}, false, false, true},
        {"one of which nothing is known, while a run is started", {}, false, true, false},
        {"one that was left to the guardian", {.run = "u/c/0", .at_guardian = true}, true, false, true},
    };
    for (const auto& one : cases) {
        World world;
        if (one.any_run) world.runs = {"u/on/0"};
        if (one.any_run) world.labels = {10};
        world.starting = one.starting;
        world.table.processes[100] = one.orphan;
        world.sweep.on_end(ended_run(5));
        world.sweep.sweep();
        EXPECT_EQ(!world.table.killed.empty(), one.goes) << one.sentence;
    }
}

TEST(OrphanSweep, AnOrphanIsReapedAndItsChildrenAreFoundSoonAfter) {
    World world;
    world.runs = {"u/on/0"};
    world.table.processes[100] = {.run = "u/c/0"};
    world.sweep.look();
    EXPECT_THAT(world.table.killed, ElementsAre(100));
    world.table.processes[101] = {.run = "u/c/0"};  // its child, ours from its end on
    world.loop.run_for(3ms);
    EXPECT_THAT(world.table.killed, ElementsAre(100, 101));
    world.loop.run_for(5ms);
    EXPECT_THAT(world.table.processes, IsEmpty());
    const int looks = world.table.looks;
    world.loop.run_for(60s);
    EXPECT_EQ(world.table.looks, looks) << "without orphans it does not look";
}

TEST(OrphanSweep, OrphansOfRunsThatGoOnAreLookedAtOnceASecond) {
    World world;
    world.runs = {"u/on/0"};
    world.table.processes[100] = {.run = "u/on/0"};
    world.sweep.look();
    world.loop.run_for(10500ms);
    EXPECT_EQ(world.table.looks, 11);
    EXPECT_THAT(world.table.killed, IsEmpty());
    world.runs = {"u/next/0"};
    world.loop.run_for(1s);
    EXPECT_THAT(world.table.killed, ElementsAre(100));
}

TEST(OrphanSweep, AMarkIsForgottenWithItsLastProcessSoThatTheKernelMayUseItAgain) {
    World world;
    world.runs = {"u/on/0"};
    world.sweep.on_end(ended_run(5));
    world.sweep.sweep();
    world.table.processes[100] = {.mark = 5, .run = "u/on/0"};
    world.sweep.look();
    EXPECT_THAT(world.table.killed, IsEmpty()) << "no process had the mark when it was looked for";
    world.sweep.on_end(ended_run(6));
    world.sweep.on_begun(6);
    world.table.processes[101] = {.mark = 6, .run = "u/on/0"};
    world.sweep.look();
    EXPECT_THAT(world.table.killed, IsEmpty()) << "a new run has the mark";
}

TEST(OrphanSweep, ProcessesThatAreNoDescendantsAreSearchedInTheWholeTable) {
    const struct {
        const char* sentence;
        bool foreign;
        bool entered_before;
        bool entered_after;
        std::set<std::string> runs;
        std::set<std::uint64_t> labels;
    } cases[] = {
        {"a run of ours: its processes are our descendants", false, false, false, {}, {}},
        {"a run of a keeper before us", true, false, false, {"u/c/0"}, {77}},
        {"a run that a command was started in", false, true, false, {}, {77}},
        {"a command that was started when the run had ended", false, false, true, {}, {77}},
    };
    for (const auto& one : cases) {
        World world;
        if (one.entered_before) world.sweep.on_entered(77, true);
        world.sweep.sweep();
        EXPECT_THAT(world.table.killed_labels, IsEmpty()) << one.sentence;
        world.sweep.on_end(ended_run(5, one.foreign));
        if (one.entered_after) world.sweep.on_entered(77, false);
        world.sweep.sweep();
        EXPECT_EQ(world.table.killed_runs, one.runs) << one.sentence;
        EXPECT_EQ(world.table.killed_labels, one.labels) << one.sentence;
    }
}

}  // namespace orphan_sweep_test
}  // namespace muster::node
