#include "os/files/publish_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace muster::os {
namespace publish_directory_test {

namespace fs = std::filesystem;

struct PublishDirectoryTest : testing::Test {
    PublishDirectoryTest() : base(testing::TempDir() + "muster-publish-" + std::to_string(::getpid())) {
        fs::create_directories(base + "/half/deep");
        std::ofstream(base + "/half/deep/file") << "content";
    }
    ~PublishDirectoryTest() override { fs::remove_all(base); }
    const std::string base;
};

TEST_F(PublishDirectoryTest, EverythingHasTheNewNameAndNothingTheOld) {
    ASSERT_TRUE(publish_directory(base + "/half", base + "/whole").ok());
    EXPECT_FALSE(fs::exists(base + "/half"));
    EXPECT_EQ(fs::file_size(base + "/whole/deep/file"), 7u);
}

TEST_F(PublishDirectoryTest, WhatHasTheNameIsNotReplaced) {
    fs::create_directories(base + "/whole/mine");
    const Result<> published = publish_directory(base + "/half", base + "/whole");
    ASSERT_FALSE(published.ok());
    EXPECT_EQ(published.error().code, Code::kAlreadyExists);
    EXPECT_TRUE(fs::exists(base + "/whole/mine"));
    EXPECT_TRUE(fs::exists(base + "/half/deep/file"));
}

}  // namespace publish_directory_test
}  // namespace muster::os
