#include "os/files/payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "os/process/mount_points.h"

namespace muster::os {
namespace payload_test {

using testing::ElementsAre;
namespace fs = std::filesystem;

PayloadFile payload(std::string path, std::string content, std::uint32_t mode = 0644) {
    PayloadFile file;
    file.path = std::move(path);
    file.content = std::move(content);
    file.mode = mode;
    return file;
}

struct PayloadTest : testing::Test {
    PayloadTest() {
        std::string pattern = testing::TempDir() + "muster-payload-XXXXXX";
        directory = ::mkdtemp(pattern.data());
    }
    ~PayloadTest() override { fs::remove_all(directory); }

    std::string read(const std::string& name) const {
        std::ifstream file(directory + '/' + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::vector<std::string> names(bool hidden) const {
        std::vector<std::string> out;
        for (const auto& entry : fs::directory_iterator(directory)) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with("..") == hidden) out.push_back(name);
        }
        std::sort(out.begin(), out.end());
        return out;
    }
    std::string directory;
};

TEST_F(PayloadTest, FilesChangeTogether) {
    ASSERT_TRUE(write_payload(directory, {payload("a", "1"), payload("deep/b", "1"), payload("old", "x")}, 1).ok());
    EXPECT_EQ(read("a") + read("deep/b"), "11");
    // The target of ..data is one complete state.
    const std::string before = fs::read_symlink(directory + "/..data").string();
    ASSERT_TRUE(write_payload(directory, {payload("a", "2", 0600), payload("deep/b", "2")}, 2).ok());
    EXPECT_EQ(read("a") + read("deep/b"), "22");
    EXPECT_NE(fs::read_symlink(directory + "/..data").string(), before);
    EXPECT_THAT(names(false), ElementsAre("a", "deep"));
    EXPECT_THAT(names(true), ElementsAre("..data", "..v2")) << "what was before is gone";
    EXPECT_EQ(fs::status(directory + "/a").permissions(), fs::perms(0600));
}

TEST_F(PayloadTest, AFailureLeavesTheOldContent) {
    ASSERT_TRUE(write_payload(directory, {payload("a", "1")}, 1).ok());
    EXPECT_FALSE(write_payload(directory, {payload("a", "2"), payload("a/b", "2")}, 2).ok());
    EXPECT_EQ(read("a"), "1");
    EXPECT_THAT(names(true), ElementsAre("..data", "..v1"));
}

TEST_F(PayloadTest, AVolumesDirectoryHasItsModeWhateverTheUmask) {
    const mode_t before = ::umask(077);
    EXPECT_TRUE(make_volume_directory(directory + "/pod/volumes/v", 0777, {}).ok());
    ::umask(before);
    EXPECT_EQ(fs::status(directory + "/pod/volumes/v").permissions(), fs::perms(0777));
    EXPECT_EQ(fs::status(directory + "/pod").permissions(), fs::perms(0700));
    EXPECT_TRUE(make_volume_directory(directory + "/pod/volumes/v", 0777, {}).ok()) << "again";
}

TEST_F(PayloadTest, RemovingFollowsNoLink) {
    ASSERT_TRUE(make_volume_directory(directory + "/pod/volumes/v", 0777, {}).ok());
    ASSERT_TRUE(make_volume_directory(directory + "/precious", 0755, {}).ok());
    std::ofstream(directory + "/precious/file") << "x";
    fs::create_directory_symlink(directory + "/precious", directory + "/pod/volumes/v/link");
    fs::create_directory_symlink(directory + "/precious", directory + "/pod/volumes/w");
    EXPECT_TRUE(remove_volumes(directory + "/pod").ok());
    EXPECT_FALSE(fs::exists(directory + "/pod"));
    EXPECT_EQ(read("precious/file"), "x");
    EXPECT_TRUE(remove_volumes(directory + "/pod").ok()) << "what is not there is fine";
}

TEST_F(PayloadTest, MemoryHasItsLimitAndGoesWithThePod) {
    if (probe_namespaces() != NamespaceAccess::kFree) GTEST_SKIP() << "only root may mount, and not on every machine";
    const std::string volume = directory + "/pod/volumes/v";
    ASSERT_TRUE(make_volume_directory(volume, 0777, 5).ok());
    ASSERT_TRUE(mount_memory(volume, 64 << 10, 0777, 5).ok());
    ASSERT_TRUE(mount_memory(volume, 64 << 10, 0777, 5).ok()) << "once";
    std::ofstream file(volume + "/file");
    file << std::string(1 << 20, 'x') << std::flush;
    EXPECT_FALSE(file.good()) << "the limit holds";
    struct stat figures;
    ASSERT_EQ(::stat(volume.c_str(), &figures), 0);
    EXPECT_EQ(figures.st_mode & 07777, 02777u);
    EXPECT_EQ(figures.st_gid, 5u);
    EXPECT_TRUE(remove_volumes(directory + "/pod").ok());
    EXPECT_FALSE(fs::exists(directory + "/pod"));
}

TEST_F(PayloadTest, KindsOfFilesAreTold) {
    EXPECT_EQ(kind_of_file("/").value(), "directory");
    EXPECT_EQ(kind_of_file("/dev/null").value(), "character device");
    EXPECT_EQ(kind_of_file("/etc/passwd").value(), "file");
    EXPECT_EQ(kind_of_file("/no/such").error().code, Code::kNotFound);
}

}  // namespace payload_test
}  // namespace muster::os
