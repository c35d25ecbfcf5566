#include "node/sandbox/image_roots.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "os/testing/virtual_loop.h"

namespace muster::node {
namespace image_roots_test {

// Does at once what it is given.
class PromptWorker final : public os::Worker {
public:
    void run(os::Work work) override { work(); }
};

class ImageSweep : public testing::Test {
protected:
    ImageSweep() {
        std::string pattern = testing::TempDir() + "muster-images-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
    }
    ~ImageSweep() override { std::filesystem::remove_all(directory_); }
    void make(const std::string& path) { std::filesystem::create_directories(directory_ + '/' + path); }
    void remove(const std::string& path) { std::filesystem::remove_all(directory_ + '/' + path); }
    bool has(const std::string& path) const { return std::filesystem::exists(directory_ + '/' + path); }

    os::VirtualLoop loop_;
    PromptWorker worker_;
    std::string directory_;
};

TEST_F(ImageSweep, ARootThatNoPodUsesGoesAfterAnHour) {
    make("images/a/etc");
    const ImageRoots roots(loop_, nullptr, &worker_, directory_);
    loop_.run_for(std::chrono::minutes(65));
    EXPECT_TRUE(has("images/a")) << "it was seen unused for the first time ten minutes after the start";
    loop_.run_for(std::chrono::minutes(10));
    EXPECT_FALSE(has("images/a"));
    EXPECT_FALSE(has("images/a.gone"));
}

TEST_F(ImageSweep, ARootThatAPodUsesStaysAsLongAsThePodAndAnHourMore) {
    make("images/a/etc");
    make("pods/u/images/a");
    const ImageRoots roots(loop_, nullptr, &worker_, directory_);
    loop_.run_for(std::chrono::hours(30));
    EXPECT_TRUE(has("images/a"));
    remove("pods/u");
    loop_.run_for(std::chrono::minutes(55));
    EXPECT_TRUE(has("images/a"));
    loop_.run_for(std::chrono::minutes(30));
    EXPECT_FALSE(has("images/a"));
}

TEST_F(ImageSweep, WhatACrashLeftHalfDoneGoesAtOnce) {
    make("images/a.partial/etc");
    make("images/b.gone/etc");
    make("images/c/etc");
    const ImageRoots roots(loop_, nullptr, &worker_, directory_);
    loop_.run_for(std::chrono::minutes(11));
    EXPECT_FALSE(has("images/a.partial"));
    EXPECT_FALSE(has("images/b.gone"));
    EXPECT_TRUE(has("images/c"));
}

}  // namespace image_roots_test
}  // namespace muster::node
