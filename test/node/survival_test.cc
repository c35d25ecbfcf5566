// Processes survive restarts of the agent and of the keeper, and run once. The keeper is this program itself, started
// with node-helper as its first argument.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/prng.h"
#include "node/inside/inside.h"
#include "node/keeper/keeper.h"
#include "node/keeper/keeper_client.h"
#include "node/keeper/run_notes.h"
#include "node/logs/cri_log.h"
#include "node/runtime/node_paths.h"
#include "os/loop/real_loop.h"
#include "os/process/linux_processes.h"
#include "os/process/process_label.h"
#include "os/process/process_table.h"

namespace muster::node {
namespace survival_test {

using testing::HasSubstr;

constexpr const char* kVerb = "node-helper";
// Processes are found by the pod's UID, and tests run beside each other.
const std::string kUid = "u" + std::to_string(::getpid());

std::string read_file(const std::string& path) {
    // By its buffer: a process that ends while its file in /proc is read must not throw.
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class Survival : public testing::Test {
protected:
    Survival() : changed_(loop_), processes_(loop_) {
        std::string pattern = testing::TempDir() + "muster-node-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
        connect();
    }
    ~Survival() override {
        runtime_.reset();
        kill_guardian_and_keeper();
        for (const auto& [key, record] : records_) os::kill_processes(run_mark(key));
        // A keeper that is about to go takes its socket away itself.
        std::error_code failure;
        for (int tries = 0; tries < 100; ++tries)
            if (std::filesystem::remove_all(directory_, failure); !failure) break;
    }

    // The agent's side, as after a start of the server.
    void connect() {
        records_.clear();
        in_touch_ = false;
        runtime_ =
            std::make_unique<KeeperClient>(loop_, processes_, directory_ + "/node",
                                           std::vector<std::string>{"/proc/self/exe", kVerb, directory_ + "/node"});
        RunListener listener;
        listener.out_of_touch = [this] {
            in_touch_ = false;
            records_.clear();
            changed_.notify();
        };
        listener.run = [this](const RunRecord& record) {
            records_[record.key] = record;
            changed_.notify();
        };
        listener.in_touch = [this] {
            in_touch_ = true;
            changed_.notify();
        };
        listener.waits = [this](const RunKey& key, const std::string& why) { waits_[key] = why; };
        listener.notice = [this](const char*, const std::string& text) {
            notice_ = text;
            changed_.notify();
        };
        runtime_->listen(std::move(listener));
        wait_for([this] { return in_touch_; });
    }
    void disconnect() { runtime_.reset(); }

    void wait_for(const std::function<bool()>& holds) {
        bool late = false;
        const os::TimerId timer = loop_.after(30s, [&] {
            late = true;
            changed_.notify();
        });
        loop_.run([](os::Event& event, const std::function<bool()>& wanted, bool& given_up) -> os::Task<void> {
            while (!wanted() && !given_up) co_await event.wait();
        }(changed_, holds, late));
        loop_.cancel(timer);
        ASSERT_FALSE(late) << "what was waited for did not happen";
    }
    void wait_state(const RunKey& key, RunState state) {
        wait_for([&] { return in_touch_ && records_.contains(key) && records_[key].state == state; });
    }

    void start(const RunKey& key, const std::string& script, Instant pod_created_at = {}) {
        RunRequest request;
        request.pod_created_at = pod_created_at;
        request.key = key;
        request.command = {"sh", "-c", script};
        request.environment = {"PATH=/usr/bin:/bin", "D=" + directory_};
        request.directory = directory_;
        request.log_path = run_log(directory_ + "/node", key);
        runtime_->start(std::move(request));
    }
    // 0 when there is none.
    int guardian() const { return std::atoi(read_file(directory_ + "/node/keeper.lock").c_str()); }
    int keeper() const {
        for (const int pid : os::children_of(guardian()))
            if (read_file("/proc/" + std::to_string(pid) + "/cmdline").find(kVerb) != std::string::npos) return pid;
        return 0;
    }
    void kill_keeper() const {
        if (const int pid = keeper(); pid > 0) os::kill_process(pid);
    }
    // Kills both, so that no other keeper is started.
    void kill_guardian_and_keeper() const {
        // The guardian first, which would start another keeper. Both have ended when this returns: neither writes a
        // file afterwards.
        const int both[] = {guardian(), keeper()};
        for (const int pid : both)
            if (pid > 0) os::kill_process(pid);
        for (const int pid : both)
            while (pid > 0 && os::process_start_ticks(pid)) std::this_thread::yield();
    }
    static void wait_for_end_of(int pid) {
        const auto patience_ends = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (os::process_start_ticks(pid) && std::chrono::steady_clock::now() < patience_ends)
            std::this_thread::yield();
        EXPECT_FALSE(os::process_start_ticks(pid)) << "it still runs";
        if (os::process_start_ticks(pid)) os::kill_process(pid);
    }
    std::string log_of(const RunKey& key) {
        return LogText(LogSelection()).add(read_file(run_log(directory_ + "/node", key)));
    }
    void let_go() { std::ofstream(directory_ + "/go") << "go"; }

    os::RealLoop loop_;
    os::Event changed_;
    os::LinuxProcesses processes_;
    std::string directory_;
    std::map<RunKey, RunRecord> records_;
    bool in_touch_ = false;
    std::string notice_;
    std::map<RunKey, std::string> waits_;
    std::unique_ptr<KeeperClient> runtime_;
};

// Runs until it is let go.
constexpr const char* kWait = "echo ran >> $D/marks; while [ ! -e $D/go ]; do sleep 0.01; done; echo bye; exit 7";

TEST_F(Survival, ARunsOutputAndEndAreToldAsTheyWere) {
    const RunKey code{kUid, "code", 0};
    const RunKey killed{kUid, "killed", 0};
    start(code, "echo out; echo err >&2; printf end; exit 3");
    start(killed, "kill -9 $$");
    wait_state(code, RunState::kEnded);
    wait_state(killed, RunState::kEnded);
    EXPECT_EQ(records_[code].code, 3);
    EXPECT_EQ(records_[killed].signal, 9);
    EXPECT_THAT(log_of(code), HasSubstr("out\n"));
    EXPECT_THAT(log_of(code), HasSubstr("err\n"));
    EXPECT_THAT(read_file(run_log(directory_ + "/node", code)), HasSubstr(" stderr F err\n"));
    EXPECT_THAT(read_file(run_log(directory_ + "/node", code)), HasSubstr(" stdout P end\n"));
}

TEST_F(Survival, WhatCannotBeStartedSaysWhy) {
    RunRequest request;
    request.key = {kUid, "c", 0};
    request.command = {"no-such-program"};
    request.environment = {"PATH=/usr/bin:/bin"};
    request.log_path = run_log(directory_ + "/node", request.key);
    runtime_->start(request);
    wait_state(request.key, RunState::kNotStarted);
    EXPECT_EQ(records_[request.key].message, "exec: \"no-such-program\": executable file not found in $PATH");
    request.key.attempt = 1;
    request.command = {"true"};
    request.directory = "/no/such/directory";
    runtime_->start(request);
    wait_state(request.key, RunState::kNotStarted);
    EXPECT_THAT(records_[request.key].message, HasSubstr("/no/such/directory"));
}

TEST_F(Survival, ASignalReachesTheWholeGroup) {
    const RunKey key{kUid, "c", 0};
    start(key, "sleep 1000 & echo ready; wait");
    wait_state(key, RunState::kRunning);
    runtime_->signal(key, os::kTermSignal);
    wait_state(key, RunState::kEnded);
    EXPECT_EQ(records_[key].signal, 15);
    // Nothing of it is left; a signal takes its time.
    while (!os::find_processes(run_mark(key)).empty()) std::this_thread::yield();
}

TEST_F(Survival, WhatARunLeftBehindInAnotherSessionEndsWithIt) {
    const RunKey key{kUid, "c", 0};
    const RunKey other{kUid + "-other", "c", 0};
    start(other, "setsid sh -c 'echo $$ > $D/kept; exec sleep 1000' & while [ ! -e $D/go ]; do sleep 0.01; done");
    start(key,
          "setsid sh -c 'setsid sleep 1000 & echo $$ > $D/left; exec sleep 1000' & "
          "while [ ! -s $D/left ]; do sleep 0.01; done");
    wait_state(key, RunState::kEnded);
    while (!os::find_processes(run_mark(key)).empty()) std::this_thread::yield();
    while (read_file(directory_ + "/kept").empty()) std::this_thread::yield();
    EXPECT_TRUE(os::process_start_ticks(std::atoi(read_file(directory_ + "/kept").c_str()))) << "its own still runs";
    let_go();
    wait_state(other, RunState::kEnded);
    while (!os::find_processes(run_mark(other)).empty()) std::this_thread::yield();
}

// Without the variables and in a session of their own. The command is no child of the keeper's, and neither is what it
// leaves; what the other run has goes on.
TEST_F(Survival, WhatACommandInsideARunLeftBehindEndsWithTheRun) {
    const RunKey key{kUid, "c", 0};
    const RunKey other{kUid + "-other", "c", 0};
    for (const RunKey& each : {key, other}) {
        start(each, "while [ ! -e $D/end-" + each.pod_uid.str() + " ]; do sleep 0.01; done");
        wait_state(each, RunState::kRunning);
        InsideCommand inside;
        inside.pid = records_[each].pid;
        inside.command = {"sh", "-c",
                          "env -i setsid sh -c 'echo $$ > $0.new; mv $0.new $0; exec sleep 1000' $0 & "
                          "while [ ! -e $0 ]; do sleep 0.01; done",
                          directory_ + "/left-" + each.pod_uid.str()};
        const auto started = start_inside(processes_, inside, [&](std::uint64_t label) { runtime_->enter(label); });
        ASSERT_TRUE(started.ok()) << started.error().message;
        while (!std::filesystem::exists(inside.command.back())) std::this_thread::yield();
    }
    const auto left_by = [&](const RunKey& each) {
        return std::atoi(read_file(directory_ + "/left-" + each.pod_uid.str()).c_str());
    };
    std::ofstream(directory_ + "/end-" + kUid) << "end";
    wait_state(key, RunState::kEnded);
    wait_for_end_of(left_by(key));
    EXPECT_TRUE(os::process_start_ticks(left_by(other)));
    // The next keeper finds them, too.
    disconnect();
    kill_guardian_and_keeper();
    connect();
    std::ofstream(directory_ + "/end-" + other.pod_uid.str()) << "end";
    wait_for([&] { return in_touch_ && records_.contains(other) && !records_[other].active(); });
    wait_for_end_of(left_by(other));
}

// By its label alone, which it has whether the kernel gives namespaces or not.
TEST_F(Survival, WhatHasClearedItsEnvironmentIsKnownByItsLabel) {
    const RunKey key{kUid, "c", 0};
    start(key, "env -i setsid sleep 1000 & echo $! > $D/left; while [ ! -e $D/go ]; do sleep 0.01; done");
    wait_state(key, RunState::kRunning);
    while (read_file(directory_ + "/left").empty()) std::this_thread::yield();
    const int left = std::atoi(read_file(directory_ + "/left").c_str());
    EXPECT_EQ(os::process_label(left), run_label(key));
    EXPECT_NE(os::process_label(keeper()), run_label(key));
    let_go();
    wait_state(key, RunState::kEnded);
    wait_for_end_of(left);
}

TEST_F(Survival, AStartThatIsRepeatedHappensOnce) {
    const RunKey key{kUid, "c", 0};
    start(key, "echo ran >> $D/marks");
    start(key, "echo ran >> $D/marks");
    wait_state(key, RunState::kEnded);
    start(key, "echo ran >> $D/marks");
    const RunKey after{kUid, "after", 0};
    start(after, "true");
    wait_state(after, RunState::kEnded);
    EXPECT_EQ(read_file(directory_ + "/marks"), "ran\n");
}

TEST_F(Survival, WhatEndsWhileTheServerIsAwayIsToldWithItsTrueCode) {
    const RunKey key{kUid, "c", 0};
    start(key, kWait);
    wait_state(key, RunState::kRunning);
    const int pid = records_[key].pid;
    disconnect();
    let_go();
    while (os::process_start_ticks(pid)) std::this_thread::yield();
    connect();
    wait_state(key, RunState::kEnded);
    EXPECT_EQ(records_[key].code, 7);
    EXPECT_EQ(log_of(key), "bye\n");
    EXPECT_EQ(read_file(directory_ + "/marks"), "ran\n");
}

TEST_F(Survival, AKilledKeepersProcessesAreFoundAgainAndTheirOutputIsKept) {
    const RunKey key{kUid, "c", 0};
    start(key, kWait);
    wait_state(key, RunState::kRunning);
    const int pid = records_[key].pid;
    kill_keeper();
    wait_for([this] { return !in_touch_; });
    wait_state(key, RunState::kRunning);
    EXPECT_EQ(records_[key].pid, pid) << "the same process, not another";
    start(key, kWait);
    let_go();
    wait_state(key, RunState::kEnded);
    EXPECT_EQ(records_[key].code, 7);
    EXPECT_EQ(log_of(key), "bye\n") << "what it wrote after the keeper's death";
    EXPECT_EQ(read_file(directory_ + "/marks"), "ran\n");
}

TEST_F(Survival, WhatEndsWhileThereIsNoKeeperIsToldWithItsTrueCode) {
    const RunKey code{kUid, "code", 0};
    const RunKey killed{kUid, "killed", 0};
    start(code, kWait);
    start(killed, "exec sleep 1000");
    wait_state(code, RunState::kRunning);
    wait_state(killed, RunState::kRunning);
    const int code_pid = records_[code].pid;
    const int killed_pid = records_[killed].pid;
    // The guardian stands still, so that there is no other keeper yet.
    const int guarding = guardian();
    ASSERT_EQ(::kill(guarding, SIGSTOP), 0);
    kill_keeper();
    wait_for([this] { return !in_touch_; });
    let_go();
    os::kill_process(killed_pid);
    while (os::process_start_ticks(code_pid) || os::process_start_ticks(killed_pid)) std::this_thread::yield();
    ASSERT_EQ(::kill(guarding, SIGCONT), 0);
    wait_state(code, RunState::kEnded);
    wait_state(killed, RunState::kEnded);
    EXPECT_EQ(records_[code].code, 7);
    EXPECT_EQ(records_[killed].signal, os::kKillSignal);
    EXPECT_EQ(guardian(), guarding);
    while (os::children_of(guarding).size() > 1) std::this_thread::yield();  // what was told is let go of
}

TEST_F(Survival, ARestartedKeeperWithOnlyEndedRunsWaitsForTheAgent) {
    const RunKey key{kUid, "c", 0};
    start(key, kWait);
    wait_state(key, RunState::kRunning);
    const int pid = records_[key].pid;
    const int guarding = guardian();
    ASSERT_EQ(::kill(guarding, SIGSTOP), 0);
    kill_keeper();
    disconnect();
    let_go();
    while (os::process_start_ticks(pid)) std::this_thread::yield();
    ASSERT_EQ(::kill(guarding, SIGCONT), 0);
    // The next keeper has written the end down, let go of the process, and has nothing more to do.
    while (os::process_start_ticks(guarding) && (os::children_of(guarding).size() != 1 || keeper() == 0))
        std::this_thread::yield();
    connect();
    wait_state(key, RunState::kEnded);
    EXPECT_EQ(records_[key].code, 7);
    EXPECT_EQ(guardian(), guarding) << "no other had to be started";
}

TEST_F(Survival, WithoutItsGuardianTheKeeperGoesOn) {
    const RunKey key{kUid, "c", 0};
    start(key, kWait);
    wait_state(key, RunState::kRunning);
    os::kill_process(guardian());
    const RunKey after{kUid, "after", 0};
    start(after, "exit 4");
    wait_state(after, RunState::kEnded);
    EXPECT_EQ(records_[after].code, 4);
    let_go();
    wait_state(key, RunState::kEnded);
    EXPECT_EQ(records_[key].code, 7);
}

TEST_F(Survival, WithoutBothTheProcessesAreFoundAndNoneRunsTwice) {
    const RunKey key{kUid, "c", 0};
    start(key, kWait);
    wait_state(key, RunState::kRunning);
    const int pid = records_[key].pid;
    kill_guardian_and_keeper();
    wait_for([this] { return !in_touch_; });
    wait_state(key, RunState::kRunning);
    EXPECT_EQ(records_[key].pid, pid);
    let_go();
    // A new kernel tells the code, an old one does not.
    wait_for([&] { return in_touch_ && records_.contains(key) && !records_[key].active(); });
    EXPECT_EQ(records_[key].code, records_[key].state == RunState::kEnded ? 7 : 0);
    EXPECT_EQ(read_file(directory_ + "/marks"), "ran\n");
}

TEST_F(Survival, TheGuardianGoesWhenNothingIsLeft) {
    const RunKey key{kUid, "c", 0};
    start(key, "exit 0");
    wait_state(key, RunState::kEnded);
    const int guarding = guardian();
    ASSERT_GT(guarding, 0);
    disconnect();
    while (os::process_start_ticks(guarding)) std::this_thread::yield();
}

TEST_F(Survival, AnIntentOfWhichNothingIsFoundIsNeverStarted) {
    disconnect();
    kill_guardian_and_keeper();
    RunRecord intent;
    intent.key = {kUid, "c", 0};
    intent.boot = os::boot_id();
    intent.log_path = run_log(directory_ + "/node", intent.key);
    std::ofstream(directory_ + "/node/runs") << format_message(intent) << "run\tu\ttorn";
    connect();
    wait_state(intent.key, RunState::kLost);
    start(intent.key, "echo ran >> $D/marks");
    const RunKey after{kUid, "after", 0};
    start(after, "true");
    wait_state(after, RunState::kEnded);
    EXPECT_EQ(read_file(directory_ + "/marks"), "");
}

// A bit of every line is another one.
void damage_lines(const std::string& path) {
    std::string text = read_file(path);
    for (std::size_t at = 20; at < text.size(); at = text.find('\n', at) + 21) {
        text[at] = static_cast<char>(text[at] ^ 1);
        if (text.find('\n', at) == std::string::npos) break;
    }
    std::ofstream(path, std::ios::trunc) << text;
}

TEST_F(Survival, ADamagedOrMissingRecordStartsNothingTwice) {
    const std::string runs = directory_ + "/node/runs";
    const RunKey plain{kUid, "plain", 0};
    const RunKey unmarked{kUid, "unmarked", 0};
    const RunKey over{kUid, "over", 0};
    start(plain, kWait);
    start(unmarked, std::string("exec env -i D=$D PATH=$PATH sh -c '") + kWait + "'");
    start(over, "sleep 0.3; echo over >> $D/marks");
    wait_state(over, RunState::kEnded);
    for (const RunKey& key : {plain, unmarked, over})
        while (!std::filesystem::exists(run_note_path(directory_ + "/node", key))) std::this_thread::yield();
    const std::map<RunKey, RunRecord> before = records_;
    for (const bool missing : {false, true}) {
        disconnect();
        kill_guardian_and_keeper();
        for (const std::string& file : {runs, runs + ".copy"}) {
            if (missing)
                std::filesystem::remove(file);
            else
                damage_lines(file);
        }
        notice_.clear();
        connect();
        EXPECT_THAT(notice_, HasSubstr("were found by their notes and processes alone"));
        for (const RunKey& key : {plain, unmarked}) {
            wait_state(key, RunState::kRunning);
            EXPECT_EQ(records_[key].pid, before.at(key).pid) << key.container.view();
            start(key, kWait);
        }
        EXPECT_EQ(records_[over].state, RunState::kLost) << "how it ended is not known";
        start(over, "echo over >> $D/marks");
        const RunKey after{kUid, missing ? "after-missing" : "after-damage", 0};
        start(after, "true");
        wait_state(after, RunState::kEnded);
    }
    EXPECT_TRUE(std::filesystem::exists(runs + ".damaged"));
    let_go();
    for (const RunKey& key : {plain, unmarked})
        wait_for([&] { return in_touch_ && records_.contains(key) && !records_[key].active(); });
    EXPECT_EQ(read_file(directory_ + "/marks"), "ran\nran\nover\n");
}

// A run that is over at once leaves neither a note nor a process: whether it happened cannot be known, so it is lost.
TEST_F(Survival, ARunOfWhichARecordWithoutACopyKnewAloneIsNotStartedTwice) {
    const std::string runs = directory_ + "/node/runs";
    const std::function<void(const std::string& file)> harms[] = {
        [](const std::string& file) { damage_lines(file); },
        [](const std::string& file) { std::filesystem::remove(file); },
        [](const std::string& file) { std::filesystem::resize_file(file, 0); },
    };
    int number = 0;
    for (const auto& harm : harms) {
        SCOPED_TRACE(number);
        const Instant before = loop_.now();
        const RunKey key{kUid + "-" + std::to_string(number++), "c", 0};
        const RunKey second{key.pod_uid, "d", 0};
        start(key, "echo ran >> $D/marks", before);
        start(second, "echo ran >> $D/marks", before);
        wait_state(key, RunState::kEnded);
        wait_state(second, RunState::kEnded);
        disconnect();
        kill_guardian_and_keeper();
        harm(runs);
        harm(runs + ".copy");
        connect();
        EXPECT_THAT(notice_, HasSubstr("ContainerStatusUnknown once instead of starting"));
        start(key, "echo again >> $D/marks", before);
        wait_state(key, RunState::kLost);
        EXPECT_THAT(records_[key].message, HasSubstr("record of runs was damaged"));
        // What was found out is known to the next keeper, too.
        disconnect();
        kill_guardian_and_keeper();
        connect();
        start(second, "echo again >> $D/marks", before);
        wait_state(second, RunState::kLost);
        // The next attempt is started, and so is what a pod that was created since asks for.
        const RunKey next{key.pod_uid, "c", 1};
        const RunKey fresh{key.pod_uid.str() + "-fresh", "c", 0};
        start(next, "exit 3", before);
        start(fresh, "exit 4", loop_.now());
        wait_state(next, RunState::kEnded);
        wait_state(fresh, RunState::kEnded);
        EXPECT_EQ(records_[next].code, 3);
        EXPECT_EQ(records_[fresh].code, 4);
    }
    EXPECT_EQ(read_file(directory_ + "/marks"), "ran\nran\nran\nran\nran\nran\n");
}

// A run that is over at once leaves neither a note nor a process.
TEST_F(Survival, ADamagedRecordIsReadFromItsCopy) {
    const std::string runs = directory_ + "/node/runs";
    const std::function<void()> harms[] = {
        [&] { damage_lines(runs); },
        [&] { std::filesystem::remove(runs); },
        [&] { std::filesystem::resize_file(runs, 0); },
    };
    int number = 0;
    for (const auto& harm : harms) {
        const RunKey key{kUid, "c" + std::to_string(number++), 0};
        start(key, "echo over >> $D/marks; exit 3");
        wait_state(key, RunState::kEnded);
        disconnect();
        kill_guardian_and_keeper();
        harm();
        notice_.clear();
        connect();
        EXPECT_THAT(notice_, HasSubstr("runs were read from its copy, runs.copy"));
        EXPECT_EQ(records_[key].state, RunState::kEnded);
        EXPECT_EQ(records_[key].code, 3);
        start(key, "echo over >> $D/marks");
        const RunKey after{kUid, key.container.str() + "-after", 0};
        start(after, "true");
        wait_state(after, RunState::kEnded);
    }
    EXPECT_EQ(read_file(directory_ + "/marks"), "over\nover\nover\n");
}

// A keeper of another version, as far as the agent's side can tell.
class OtherKeeper {
public:
    OtherKeeper(os::RealLoop& loop, const std::string& directory, std::string greeting)
        : greeting_(std::move(greeting)) {
        listener_ =
            os::LineListener::open(loop, keeper_socket(directory), [this](std::unique_ptr<os::LineSocket> peer) {
                peer_ = std::move(peer);
                peer_->listen(
                    [this](std::vector<std::string> lines) {
                        for (const std::string& line : lines)
                            if (line.starts_with("start")) ++starts;
                    },
                    [this] { left = true; });
                peer_->send(greeting_ + format_message(Synced()));
            }).value();
    }
    void say(const RunRecord& record) { peer_->send(format_message(record)); }
    void say_line(const std::string& line) { peer_->send(line); }

    int starts = 0;
    bool left = false;

private:
    const std::string greeting_;
    std::unique_ptr<os::LineSocket> peer_;
    std::unique_ptr<os::LineListener> listener_;
};

TEST_F(Survival, AKeeperOfAnEarlierVersionEndsWhatItRunsAndOursTakesItsPlace) {
    disconnect();
    kill_guardian_and_keeper();
    RunRecord running;
    running.key = {kUid, "running", 0};
    running.state = RunState::kRunning;
    auto old = std::make_unique<OtherKeeper>(loop_, directory_ + "/node", format_message(running));
    connect();
    EXPECT_TRUE(records_.contains(running.key));
    // What it understands it gets; what it does not is held back while something runs.
    const RunKey plain{kUid, "plain", 0};
    const RunKey beyond{kUid, "beyond", 0};
    const auto ask = [&](const RunKey& key, std::uint64_t flags) {
        RunRequest request;
        request.key = key;
        request.command = {"true"};
        request.environment = {"PATH=/usr/bin:/bin"};
        request.log_path = run_log(directory_ + "/node", key);
        if (flags != 0)
            request.setup = {os::setup::unshare(os::kMountNamespace), os::setup::private_mounts(),
                             os::setup::bind_mount(directory_, directory_, flags)};
        runtime_->start(std::move(request));
    };
    ask(plain, 0);
    ask(beyond, os::SetupStep::kMakeBeneath);
    EXPECT_THAT(notice_, HasSubstr("an earlier version (protocol 1, this server has 2): it continues with its 2 "
                                   "containers, and not every new container can start"));
    EXPECT_EQ(waits_[beyond], notice_);
    EXPECT_FALSE(waits_.contains(plain));
    const RunKey ended{kUid, "ended", 0};
    ask(ended, os::SetupStep::kMakeBeneath);
    runtime_->signal(ended, os::kKillSignal);
    wait_state(ended, RunState::kNotStarted);
    running.state = RunState::kEnded;
    old->say(running);
    wait_state(running.key, RunState::kEnded);
    EXPECT_EQ(old->starts, 1);
    EXPECT_FALSE(old->left) << "a run that it was asked for has not ended";
    RunRecord over = running;
    over.key = plain;
    old->say(over);
    wait_for([&] { return !in_touch_; });
    old.reset();
    std::filesystem::remove(keeper_socket(directory_ + "/node"));
    wait_for([&] { return in_touch_; });
    ask(beyond, os::SetupStep::kMakeBeneath);
    wait_for([&] { return in_touch_ && records_.contains(beyond) && !records_[beyond].active(); });
}

TEST_F(Survival, AKeeperOfALaterVersionIsFollowedToItsEndAndGetsNoStartThatItWouldMisread) {
    disconnect();
    kill_guardian_and_keeper();
    RunRecord running;
    running.key = {kUid, "running", 0};
    running.state = RunState::kRunning;
    auto later = std::make_unique<OtherKeeper>(
        loop_, directory_ + "/node",
        format_message(KeeperVersion{9}) + format_message(OldestServer{8}) + "colour\tred\n" + format_message(running));
    connect();
    EXPECT_TRUE(records_.contains(running.key));
    EXPECT_EQ(notice_, "") << "messages of later versions are ignored";
    const RunKey fresh{kUid, "fresh", 0};
    start(fresh, "echo once >> $D/marks");
    EXPECT_THAT(waits_[fresh], HasSubstr("run the later version of muster again"));
    EXPECT_EQ(waits_[fresh], notice_);
    running.state = RunState::kEnded;
    running.code = 3;
    later->say(running);
    wait_for([&] { return !in_touch_; });
    EXPECT_EQ(later->starts, 0);
    later.reset();
    std::filesystem::remove(keeper_socket(directory_ + "/node"));
    wait_for([&] { return in_touch_; });
    start(fresh, "echo once >> $D/marks");
    wait_state(fresh, RunState::kEnded);
    EXPECT_EQ(read_file(directory_ + "/marks"), "once\n");
}

TEST_F(Survival, AMessageThatCannotBeReadIsToldOnBothSides) {
    disconnect();
    kill_guardian_and_keeper();
    auto other =
        std::make_unique<OtherKeeper>(loop_, directory_ + "/node", format_message(KeeperVersion{kKeeperVersion}));
    connect();
    other->say_line("record\tu\tc\n");
    wait_for([&] { return !notice_.empty(); });
    EXPECT_THAT(notice_, HasSubstr("the node helper sent a message that this server cannot read: a message of the "
                                   "node is cut: record"));
    EXPECT_THAT(notice_, HasSubstr("run the version of muster that started the node helper"));
    disconnect();
    other.reset();
    std::filesystem::remove(keeper_socket(directory_ + "/node"));
    connect();
    notice_.clear();
    auto socket = os::LineSocket::connect(loop_, keeper_socket(directory_ + "/node")).value();
    std::string said;
    socket->listen(
        [&](const std::vector<std::string>& lines) {
            for (const std::string& line : lines)
                if (line.starts_with("unclear")) said = line;
            changed_.notify();
        },
        [] {});
    socket->send("start\tu\tc\nstart\tu\td\n");
    wait_for([&] { return !said.empty(); });
    EXPECT_EQ(said, "unclear\ta message of the node is cut: start");
}

TEST_F(Survival, AProcessThatIsKnownByItsMarkAloneIsNotStartedAgain) {
    const RunKey key{kUid, "c", 0};
    start(key, kWait);
    wait_state(key, RunState::kRunning);
    disconnect();
    kill_guardian_and_keeper();
    std::filesystem::remove(directory_ + "/node/runs");
    std::filesystem::remove(directory_ + "/node/runs.copy");
    std::filesystem::remove_all(directory_ + "/node/pods");
    connect();
    wait_state(key, RunState::kRunning);
    start(key, kWait);
    let_go();
    wait_for([&] { return in_touch_ && records_.contains(key) && !records_[key].active(); });
    EXPECT_EQ(read_file(directory_ + "/marks"), "ran\n");
}

TEST_F(Survival, ARecordOfAnEarlierVersionIsReadAsItIs) {
    const RunKey key{kUid, "c", 0};
    start(key, "exit 3");
    wait_state(key, RunState::kEnded);
    disconnect();
    kill_guardian_and_keeper();
    std::ofstream(directory_ + "/node/runs", std::ios::trunc) << format_message(records_[key]);
    notice_.clear();
    connect();
    EXPECT_EQ(records_[key].code, 3);
    EXPECT_EQ(notice_, "");
}

TEST_F(Survival, AForgottenPodLeavesNothing) {
    const RunKey key{kUid, "c", 0};
    start(key, "sleep 1000");
    wait_state(key, RunState::kRunning);
    const int pid = records_[key].pid;
    runtime_->forget(kUid);
    const RunKey after{"v", "after", 0};
    start(after, "true");
    wait_state(after, RunState::kEnded);
    while (os::process_start_ticks(pid)) std::this_thread::yield();
    while (std::filesystem::exists(pod_directory(directory_ + "/node", kUid))) std::this_thread::yield();
    disconnect();
    connect();
    EXPECT_FALSE(records_.contains(key));
}

TEST_F(Survival, NothingRunsTwiceOrIsLostWhateverIsKilled) {
    constexpr int kRuns = 60;
    constexpr int kKills = 8;
    Prng prng(17);
    for (int round = 0; round < kKills; ++round) {
        // Whatever did not arrive is asked for again, as the agent does: the key is the same.
        for (int i = 0; i < kRuns; ++i) {
            const RunKey key{kUid + "-" + std::to_string(i), "c", 0};
            if (!records_.contains(key))
                start(key,
                      "echo " + std::to_string(i) + " >> $D/marks; sleep 0.0" + std::to_string(i % 10) + "; exit 5");
        }
        loop_.run([](os::RealLoop& loop, Duration span) -> os::Task<void> { co_await os::sleep_for(loop, span); }(
                                                            loop_, std::chrono::microseconds(prng.below(30'000))));
        kill_keeper();
        if (prng.chance(1, 2)) {
            disconnect();
            connect();
        } else {
            wait_for([this] { return !in_touch_; });
            wait_for([this] { return in_touch_; });
        }
    }
    for (int i = 0; i < kRuns; ++i)
        start({kUid + "-" + std::to_string(i), "c", 0}, "echo " + std::to_string(i) + " >> $D/marks; exit 5");
    wait_for([&] {
        std::size_t over = 0;
        for (const auto& [key, record] : records_) over += record.active() ? 0 : 1;
        return over == kRuns;
    });
    std::map<std::string, int> marks;
    std::istringstream lines(read_file(directory_ + "/marks"));
    for (std::string line; std::getline(lines, line);) ++marks[line];
    for (const auto& [key, record] : records_) {
        EXPECT_EQ(marks[key.pod_uid.str().substr(kUid.size() + 1)], 1) << key.pod_uid.view() << " ran once";
        EXPECT_EQ(record.state, RunState::kEnded) << record.message;
        EXPECT_EQ(record.code, 5);
    }
}

}  // namespace survival_test
}  // namespace muster::node

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == muster::node::survival_test::kVerb)
        return muster::node::run_keeper(argv[2]);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
