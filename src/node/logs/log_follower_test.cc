#include "node/logs/log_follower.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "node/logs/log_file.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"

namespace muster::node {
namespace log_follower_test {

// Says what the test says.
struct ToldRuns final : Runs {
    void listen(RunListener told) override { listener = std::move(told); }
    void start(RunRequest) override {}
    void signal(const RunKey&, int) override {}
    void forget(const Text&) override {}
    RunListener listener;
};

RunRecord record_of(const RunKey& key, RunState state, int pid = 7) {
    RunRecord record;
    record.key = key;
    record.state = state;
    record.pid = pid;
    return record;
}

const RunKey kKey{"u", "c", 0};

struct Told {
    Told() {
        RunListener listener;
        listener.out_of_touch = [] {};
        listener.run = [](const RunRecord&) {};
        listener.in_touch = [] {};
        board.listen(std::move(listener));
    }
    void tell(RunState state) { runtime.listener.run(record_of(kKey, state)); }
    ToldRuns runtime;
    RunBoard board{runtime};
};

TEST(RunBoard, KnowsWhatRuns) {
    Told told;
    EXPECT_TRUE(told.board.may_run(kKey)) << "the runtime has not reported anything yet";
    EXPECT_EQ(told.board.find_process(kKey), std::nullopt);
    told.tell(RunState::kRunning);
    told.runtime.listener.in_touch();
    EXPECT_TRUE(told.board.may_run(kKey));
    EXPECT_EQ(told.board.find_process(kKey), 7);
    EXPECT_FALSE(told.board.may_run({"u", "c", 1}));
    int ends = 0;
    const auto watch = told.board.watch(kKey, [&] { ++ends; });
    told.tell(RunState::kEnded);
    EXPECT_EQ(ends, 1);
    EXPECT_FALSE(told.board.may_run(kKey));
}

TEST(RunBoard, NoticesWhatEndedWhileOutOfTouch) {
    Told told;
    told.tell(RunState::kRunning);
    told.runtime.listener.in_touch();
    int ends = 0;
    const auto watch = told.board.watch(kKey, [&] { ++ends; });
    told.runtime.listener.out_of_touch();
    EXPECT_TRUE(told.board.may_run(kKey));
    told.runtime.listener.in_touch();
    EXPECT_EQ(ends, 1);
    EXPECT_FALSE(told.board.may_run(kKey));
}

TEST(RunBoard, APodThatIsForgottenHasEnded) {
    Told told;
    told.tell(RunState::kRunning);
    told.runtime.listener.in_touch();
    int ends = 0;
    auto watch = told.board.watch(kKey, [&] { ++ends; });
    told.board.forget("u");
    EXPECT_EQ(ends, 1);
    watch.reset();
    told.tell(RunState::kEnded);
    EXPECT_EQ(ends, 1);
}

class LogFollowerTest : public ::testing::Test {
protected:
    LogFollowerTest() {
        std::string pattern = ::testing::TempDir() + "/followXXXXXX";
        directory_ = ::mkdtemp(pattern.data());
        request_.key = kKey;
        request_.path = directory_ + "/c/0.log";
        request_.follow = true;
        told_.tell(RunState::kRunning);
        told_.runtime.listener.in_touch();
    }
    ~LogFollowerTest() override { (void)files_.remove(directory_).ok(); }

    LogFile create() {
        EXPECT_TRUE(files_.create_directories(directory_ + "/c", os::Access::kOnlyUs).ok());
        return LogFile::create(files_, request_.path, limits_).value();
    }
    static std::string entry(int number) {
        return "2026-01-01T00:00:00.000000000Z stdout F " + std::to_string(number) + '\n';
    }
    LogPlaces places() { return {loop_, worker_, directories_, told_.board}; }
    // Reads until as many lines have come, or to the end.
    static os::Task<std::string> read(LogFollower* follower, std::size_t lines) {
        std::string text;
        while (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) < lines) {
            Result<std::optional<std::string>> part = co_await follower->next();
            if (!part.ok() || !*part) co_return text + "end";
            text += **part;
        }
        co_return text;
    }
    void later(std::function<void()> work) {
        loop_.after(20ms, [work = std::move(work)] { work(); });
    }

    os::RealLoop loop_;
    os::LinuxFiles files_;
    os::DirectoryWatches directories_{loop_};
    Told told_;
    std::string directory_;
    LogRequest request_;
    LogLimits limits_{100, 5};
    os::ThreadWorker worker_{"test"};
};

TEST_F(LogFollowerTest, GoesOnWithNewLinesOverRotationsUntilTheRunHasEnded) {
    LogFile log = create();
    log.append(entry(0));
    LogFollower follower(places(), request_);
    ASSERT_TRUE(loop_.run(follower.open()).ok());
    EXPECT_EQ(loop_.run(read(&follower, 1)), "0\n");
    later([&] {
        for (int i = 1; i < 8; ++i) log.append(entry(i));
    });
    EXPECT_EQ(loop_.run(read(&follower, 7)), "1\n2\n3\n4\n5\n6\n7\n");
    later([&] {
        log.append(entry(8));
        told_.tell(RunState::kEnded);
    });
    EXPECT_EQ(loop_.run(read(&follower, 99)), "8\nend");
}

TEST_F(LogFollowerTest, WaitsForALogThatIsNotThereYet) {
    LogFollower follower(places(), request_);
    ASSERT_TRUE(loop_.run(follower.open()).ok());
    std::optional<LogFile> log;
    later([&] {
        log.emplace(create());
        log->append(entry(0));
    });
    EXPECT_EQ(loop_.run(read(&follower, 1)), "0\n");
}

TEST_F(LogFollowerTest, WhatComesAfterwardsIsNotCutToTheLastLines) {
    request_.selection.tail_lines = 0;
    LogFollower follower(places(), request_);
    ASSERT_TRUE(loop_.run(follower.open()).ok());
    LogFile log = create();
    log.append(entry(0));
    EXPECT_EQ(loop_.run(read(&follower, 1)), "0\n");
}

TEST_F(LogFollowerTest, ARunThatSaidNothingHasAnEmptyLog) {
    told_.tell(RunState::kEnded);
    LogFollower follower(places(), request_);
    ASSERT_TRUE(loop_.run(follower.open()).ok());
    EXPECT_EQ(loop_.run(read(&follower, 1)), "end");
}

TEST_F(LogFollowerTest, WithoutFollowingEndsWhereTheLogDoes) {
    LogFile log = create();
    log.append(entry(0));
    request_.follow = false;
    LogFollower follower(places(), request_);
    ASSERT_TRUE(loop_.run(follower.open()).ok());
    EXPECT_EQ(loop_.run(read(&follower, 9)), "0\nend");
}

TEST_F(LogFollowerTest, APodThatIsRemovedIsToldToItsEnd) {
    LogFile log = create();
    LogFollower follower(places(), request_);
    ASSERT_TRUE(loop_.run(follower.open()).ok());
    later([&] {
        log.append(entry(0));
        EXPECT_TRUE(files_.remove(directory_ + "/c").ok());
        told_.board.forget("u");
    });
    EXPECT_EQ(loop_.run(read(&follower, 9)), "0\nend");
}

TEST_F(LogFollowerTest, AThousandSleepUntilSomethingHappens) {
    LogFile log = create();
    std::vector<std::unique_ptr<LogFollower>> followers;
    std::size_t ended = 0;
    os::TaskScope tasks(loop_);
    for (int i = 0; i < 1000; ++i) {
        LogFollower& made = *followers.emplace_back(std::make_unique<LogFollower>(places(), request_));
        tasks.spawn([](LogFollower* follower, os::RealLoop* loop, std::size_t* count) -> os::Task<void> {
            (void)(co_await follower->open()).ok();
            const std::string text = co_await read(follower, 99);
            EXPECT_EQ(text, "0\nend");
            if (++*count == 1000) loop->stop();
        }(&made, &loop_, &ended));
    }
    later([&] {
        log.append(entry(0));
        told_.tell(RunState::kEnded);
    });
    loop_.run();
    EXPECT_EQ(ended, 1000u);
}

}  // namespace log_follower_test
}  // namespace muster::node
