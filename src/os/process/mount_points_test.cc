#include "os/process/mount_points.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace muster::os {
namespace mount_points_test {

TEST(MountPoints, WhatIsThereAndWhatIsMissing) {
    std::string pattern = std::filesystem::canonical(testing::TempDir()).string() + "/muster-points-XXXXXX";
    const std::string directory = ::mkdtemp(pattern.data());
    std::filesystem::create_directories(directory + "/real/inner");
    std::filesystem::create_symlink("real", directory + "/way");
    std::ofstream(directory + "/file") << "x";

    EXPECT_EQ(look_at_mount_point(directory + "/way/inner").value().existing, directory + "/real/inner");
    EXPECT_EQ(look_at_mount_point(directory + "/way/inner").value().rest, "");
    const MountPoint missing = look_at_mount_point(directory + "/way/a/b/").value();
    EXPECT_EQ(missing.existing, directory + "/real");
    EXPECT_EQ(missing.rest, "a/b");
    ASSERT_EQ(missing.entries.size(), 1u);
    EXPECT_EQ(missing.entries[0].name, "inner");
    EXPECT_EQ(missing.entries[0].kind, DirectoryEntry::Kind::kDirectory);
    const MountPoint beside = look_at_mount_point(directory + "/new").value();
    ASSERT_EQ(beside.entries.size(), 3u);
    EXPECT_EQ(beside.entries[2].target, "real");
    EXPECT_EQ(look_at_mount_point(directory + "/file/x").error().code, Code::kIo);
    EXPECT_EQ(look_at_mount_point("/no-such-directory").value().existing, "/");
    EXPECT_FALSE(look_at_mount_point("/").value().entries.empty());
    for (const char* relative : {"", "no-such", "no/such", ".."})
        EXPECT_EQ(look_at_mount_point(relative).error().code, Code::kBadRequest) << relative;
    std::filesystem::remove_all(directory);
}

TEST(MountPoints, AUserOfTheMachineHasItsGroup) {
    EXPECT_EQ(primary_group(0), 0);
    EXPECT_EQ(primary_group(123456789), 0) << "as in a container whose image does not know the user";
}

}  // namespace mount_points_test
}  // namespace muster::os
