#include "os/files/disk_usage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace muster::os {
namespace disk_usage_test {

class DiskUsage : public testing::Test {
protected:
    DiskUsage() {
        std::string pattern = testing::TempDir() + "muster-usage-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
    }
    ~DiskUsage() override { std::filesystem::remove_all(directory_); }
    void write(const std::string& name, std::size_t size) {
        std::ofstream file(directory_ + '/' + name);
        file << std::string(size, 'x');
    }
    std::uint64_t usage() const { return disk_usage(directory_, stop_); }

    std::string directory_;
    std::atomic<bool> stop_{false};
};

TEST_F(DiskUsage, CountsWhatIsBelowInAllDepths) {
    const std::uint64_t empty = usage();
    std::filesystem::create_directories(directory_ + "/a/b");
    write("a/b/file", 1u << 20);
    write("other", 1u << 20);
    EXPECT_GE(usage(), empty + (2u << 20));
    EXPECT_LT(usage(), empty + (3u << 20));
}

TEST_F(DiskUsage, CountsAFileOfTwoNamesOnceAndFollowsNoLink) {
    write("file", 1u << 20);
    const std::uint64_t before = usage();
    std::filesystem::create_hard_link(directory_ + "/file", directory_ + "/again");
    std::filesystem::create_symlink("/", directory_ + "/link");
    EXPECT_LT(usage(), before + (1u << 19));
}

TEST_F(DiskUsage, AFileThatOnlyLooksLargeTakesNoRoom) {
    write("file", 1);
    std::filesystem::resize_file(directory_ + "/file", 1u << 30);
    EXPECT_LT(usage(), 1u << 20);
}

TEST_F(DiskUsage, IsNothingWhereNothingIsAndStopsWhenItIsTold) {
    EXPECT_EQ(disk_usage(directory_ + "/no", stop_), 0u);
    stop_ = true;
    EXPECT_EQ(usage(), 0u);
}

}  // namespace disk_usage_test
}  // namespace muster::os
