#include "os/files/append_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "os/files/files.h"

namespace muster::os {
namespace append_file_test {

TEST(AppendFile, KeepsWhatWasThereAndTheOrderOfLines) {
    const std::string path = testing::TempDir() + "/append";
    LinuxFiles files;
    ASSERT_TRUE(files.replace(path, "old\n", Access::kOnlyUs).ok());
    {
        auto file = AppendFile::open(path);
        ASSERT_TRUE(file.ok());
        for (int i = 0; i < 100; ++i) (*file)->write(std::to_string(i) + "\n");
    }  // closing waits for the last line
    std::string expected = "old\n";
    for (int i = 0; i < 100; ++i) expected += std::to_string(i) + "\n";
    EXPECT_EQ(files.read(path, 1u << 20).value(), expected);
}

TEST(AppendFile, SaysWhichFileCannotBeOpened) {
    const auto file = AppendFile::open("/nonexistent/log");
    ASSERT_FALSE(file.ok());
    EXPECT_NE(file.error().message.find("/nonexistent/log"), std::string::npos);
}

TEST(AppendFile, IsForItsOwnerAlone) {
    const std::string path = testing::TempDir() + "/append-private";
    std::filesystem::remove(path);
    ASSERT_TRUE(AppendFile::open(path).ok());
    EXPECT_EQ(std::filesystem::status(path).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace append_file_test
}  // namespace muster::os
