#include "node/keeper/pod_removals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <optional>

#include "node/runtime/node_paths.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_pool.h"
#include "os/testing/virtual_loop.h"

namespace muster::node {
namespace pod_removals_test {

class PodRemovalsTest : public testing::Test {
protected:
    PodRemovalsTest() {
        std::string pattern = testing::TempDir() + "muster-removals-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
    }
    ~PodRemovalsTest() override { std::filesystem::remove_all(directory_); }
    void make_pod(const Text& uid) const {
        std::filesystem::create_directories(pod_directory(directory_, uid) + "/volumes/v");
        std::ofstream(pod_directory(directory_, uid) + "/volumes/v/file") << "text";
    }
    bool has_pod(const Text& uid) const { return std::filesystem::exists(pod_directory(directory_, uid)); }

    std::string directory_;
    int told_ = 0;
};

TEST_F(PodRemovalsTest, TheEndIsToldWhenTheWorkerHasRemovedTheLast) {
    os::VirtualLoop loop;
    os::VirtualWorker worker(loop);
    PodRemovals removals(loop, worker, directory_, [this] { ++told_; });
    make_pod("a");
    make_pod("b");
    make_pod("stays");
    removals.remove("a");
    removals.remove("b");
    removals.remove("never-had-files");
    EXPECT_TRUE(has_pod("a")) << "the caller does not wait for the files";
    EXPECT_TRUE(removals.removing());
    loop.run_until_idle();
    EXPECT_FALSE(has_pod("a"));
    EXPECT_FALSE(has_pod("b"));
    EXPECT_TRUE(has_pod("stays"));
    EXPECT_FALSE(removals.removing());
    EXPECT_EQ(told_, 1);
}

TEST_F(PodRemovalsTest, WhatIsUnderWayWhenItIsDestroyedIsRemovedAndNotTold) {
    os::VirtualLoop loop;
    os::VirtualWorker worker(loop);
    std::optional<PodRemovals> removals(std::in_place, loop, worker, directory_, [this] { ++told_; });
    make_pod("a");
    removals->remove("a");
    removals.reset();
    loop.run_until_idle();
    EXPECT_FALSE(has_pod("a"));
    EXPECT_EQ(told_, 0);
}

// With a thread: the end is posted to the loop, which comes to it after this is destroyed.
TEST_F(PodRemovalsTest, AnEndThatTheLoopHasNotComeToIsNotTold) {
    os::RealLoop loop;
    {
        std::promise<void> release;
        os::ThreadPool worker("remover", 1);
        worker.run([released = release.get_future().share()] { released.wait(); });
        PodRemovals removals(loop, worker, directory_, [this] { ++told_; });
        make_pod("a");
        removals.remove("a");
        release.set_value();
    }
    EXPECT_FALSE(has_pod("a")) << "the worker ends when it has done its work";
    loop.run([](os::Loop& on) -> os::Task<void> { co_await os::yield(on); }(loop));
    EXPECT_EQ(told_, 0);
}

}  // namespace pod_removals_test
}  // namespace muster::node
