// LinuxFiles and MemoryFiles keep the same contract, so most tests run on both.
#include "os/files/files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "os/testing/memory_files.h"

namespace muster::os {
namespace files_test {

using Names = std::vector<std::string>;

struct RealDirectory {
    RealDirectory() {
        char pattern[] = "/tmp/muster-files-XXXXXX";
        CHECK(::mkdtemp(pattern));
        path = pattern;
    }
    ~RealDirectory() { std::filesystem::remove_all(path); }
    std::string path;
};

class FilesTest : public testing::TestWithParam<bool> {
protected:
    FilesTest() {
        if (!GetParam()) static_cast<Files&>(memory_).create_directories(directory_.path).value();
    }
    Files& files() { return GetParam() ? static_cast<Files&>(linux_) : memory_; }
    std::string at(const std::string& name) const { return directory_.path + "/" + name; }

    RealDirectory directory_;
    LinuxFiles linux_;
    MemoryFiles memory_;
};
INSTANTIATE_TEST_SUITE_P(Files, FilesTest, testing::Bool(),
                         [](const auto& on) { return on.param ? "Linux" : "Memory"; });

TEST_P(FilesTest, ReadGivesWhatReplaceLastPut) {
    ASSERT_TRUE(files().replace(at("format"), "1\n"));
    EXPECT_EQ(*files().read(at("format"), 100), "1\n");
    ASSERT_TRUE(files().replace(at("format"), "22\n"));
    EXPECT_EQ(*files().read(at("format"), 100), "22\n");
    EXPECT_EQ(*files().list(directory_.path), Names{"format"}) << "nothing temporary stays";
}

TEST_P(FilesTest, ReadKeepsItsLimitExactly) {
    const std::string content(200'000, 'x');
    ASSERT_TRUE(files().replace(at("big"), content));
    EXPECT_EQ(*files().read(at("big"), 200'000), content);
    EXPECT_EQ(*files().size(at("big")), 200'000u);
    EXPECT_EQ(files().size(at("absent")).error().code, Code::kNotFound);
    EXPECT_EQ(files().read(at("big"), 199'999).error().code, Code::kTooLarge);
    EXPECT_EQ(files().read(at("absent"), 100).error().code, Code::kNotFound);
}

TEST_P(FilesTest, ReplaceInAnAbsentDirectoryFails) {
    EXPECT_EQ(files().replace(at("no/file"), "x").error().code, Code::kNotFound);
}

TEST_P(FilesTest, ALockIsHeldOnceUntilItIsDropped) {
    {
        auto lock = files().lock(at("lock"));
        ASSERT_TRUE(lock.ok());
        EXPECT_EQ(files().lock(at("lock")).error().code, Code::kUnavailable);
        EXPECT_TRUE(files().lock(at("other")).ok());
    }
    EXPECT_TRUE(files().lock(at("lock")).ok());
}

TEST_P(FilesTest, DirectoriesAreMadeListedAndRemovedWithAllInThem) {
    ASSERT_TRUE(files().create_directories(at("a/b/c")));
    ASSERT_TRUE(files().create_directories(at("a/b/c")));
    ASSERT_TRUE(files().replace(at("a/file"), "x"));
    ASSERT_TRUE(files().create_directories(at("ab")));
    EXPECT_EQ(*files().list(at("a")), (Names{"b", "file"}));
    ASSERT_TRUE(files().remove(at("a")));
    EXPECT_EQ(*files().list(directory_.path), Names{"ab"});
    EXPECT_EQ(files().list(at("a")).error().code, Code::kNotFound);
    EXPECT_EQ(files().read(at("a/file"), 10).error().code, Code::kNotFound);
    EXPECT_TRUE(files().remove(at("a"))) << "an absent one is no error";
}

TEST(LinuxFiles, FilesOfDirectoriesBelowAreFoundAndLinksNotFollowed) {
    const RealDirectory root;
    LinuxFiles files;
    for (const char* folder : {"/a", "/a/deep", "/b"})
        ASSERT_TRUE(files.create_directories(root.path + folder, Access::kEveryoneReads));
    for (const char* file : {"/a/deep/z", "/a/y", "/a.x", "/b/w"})
        ASSERT_TRUE(files.replace(root.path + file, "", Access::kEveryoneReads));
    std::filesystem::create_directory_symlink(root.path, root.path + "/b/round");
    std::filesystem::create_symlink("nowhere", root.path + "/b/v");
    Names expected{"/a/deep/z", "/a/y", "/a.x", "/b/v", "/b/w"};
    for (std::string& name : expected) name = root.path + name;
    EXPECT_EQ(files_below(root.path).value(), expected);
    EXPECT_EQ(files_below(root.path + "/none").error().code, Code::kNotFound);
}

TEST_P(FilesTest, AFileIsNoDirectory) {
    ASSERT_TRUE(files().replace(at("file"), "x"));
    EXPECT_EQ(files().create_directories(at("file")).error().code, Code::kIo);
    EXPECT_FALSE(files().create_directories(at("file/below")).ok());
    EXPECT_EQ(*files().read(at("file"), 10), "x");
}

TEST_P(FilesTest, FreeSpaceIsKnown) { EXPECT_GT(*files().free_bytes(directory_.path), 0u); }

TEST(LinuxFiles, AHeldLockNamesItsProcess) {
    RealDirectory directory;
    LinuxFiles files;
    const std::string path = directory.path + "/lock";
    const auto lock = files.lock(path);
    ASSERT_TRUE(lock.ok());
    EXPECT_EQ(files.lock(path).error().message, path + " is held by process " + std::to_string(::getpid()));
}

TEST(LinuxFiles, ALockEndsWithItsProcess) {
    RealDirectory directory;
    LinuxFiles files;
    const std::string path = directory.path + "/lock";
    const pid_t child = ::fork();
    if (child == 0) {
        auto lock = files.lock(path);
        ::_exit(lock.ok() ? 0 : 1);  // no destructor runs
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_EQ(*files.read(path, 100), std::to_string(child) + "\n");
    EXPECT_TRUE(files.lock(path).ok());
}

TEST(LinuxFiles, SecretsAreForUsAlone) {
    RealDirectory directory;
    LinuxFiles files;
    const std::string path = directory.path + "/kubeconfig";
    ASSERT_TRUE(files.replace(path, "old", Access::kEveryoneReads));
    ASSERT_TRUE(files.replace(path, "secret", Access::kOnlyUs));
    struct stat figures;
    ASSERT_EQ(::stat(path.c_str(), &figures), 0);
    EXPECT_EQ(figures.st_mode & 0777, 0600u);
}

TEST(LinuxFiles, OtherUsersCannotOpenALockFile) {
    RealDirectory directory;
    LinuxFiles files;
    const std::string path = directory.path + "/lock";
    ASSERT_TRUE(files.replace(path, "", Access::kEveryoneReads));
    const auto lock = files.lock(path);
    ASSERT_TRUE(lock.ok());
    struct stat figures;
    ASSERT_EQ(::stat(path.c_str(), &figures), 0);
    EXPECT_EQ(figures.st_mode & 0777, 0600u);
}

TEST(LinuxFiles, ADirectoryThatWasOpenIsClosedToOthers) {
    RealDirectory directory;
    LinuxFiles files;
    const std::string path = directory.path + "/db";
    ASSERT_TRUE(files.create_directories(path, Access::kEveryoneReads));
    ASSERT_TRUE(close_to_others(path).ok());
    struct stat figures;
    ASSERT_EQ(::stat(path.c_str(), &figures), 0);
    EXPECT_EQ(figures.st_mode & 0777, 0700u);
    EXPECT_EQ(close_to_others(directory.path + "/nowhere").error().code, Code::kNotFound);
}

TEST(LinuxFiles, OnlyTheLastDirectoryMadeIsForUsAlone) {
    RealDirectory directory;
    LinuxFiles files;
    ASSERT_TRUE(files.create_directories(directory.path + "/open/data/", Access::kOnlyUs));
    struct stat figures;
    ASSERT_EQ(::stat((directory.path + "/open").c_str(), &figures), 0);
    EXPECT_EQ(figures.st_mode & 0777, 0755u);
    ASSERT_EQ(::stat((directory.path + "/open/data").c_str(), &figures), 0);
    EXPECT_EQ(figures.st_mode & 0777, 0700u);
}

TEST(LinuxFiles, AWriteThatFailsLeavesTheOldContentAndNothingElse) {
    RealDirectory directory;
    LinuxFiles files;
    const std::string path = directory.path + "/format";
    ASSERT_TRUE(files.replace(path, "old", Access::kEveryoneReads));
    // A limit on file sizes stands in for a full disk.
    rlimit before;
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{1'000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const Result<> replaced = files.replace(path, std::string(5'000, 'x'), Access::kEveryoneReads);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ::signal(SIGXFSZ, handler);

    EXPECT_EQ(replaced.error().code, Code::kIo);
    EXPECT_EQ(*files.read(path, 100), "old");
    EXPECT_EQ(*files.list(directory.path), Names{"format"});
}

TEST(LinuxFiles, RemovingADirectoryDoesNotFollowLinksOutOfIt) {
    RealDirectory directory;
    LinuxFiles files;
    ASSERT_TRUE(files.create_directories(directory.path + "/kept", Access::kEveryoneReads));
    ASSERT_TRUE(files.replace(directory.path + "/kept/file", "x", Access::kEveryoneReads));
    ASSERT_TRUE(files.create_directories(directory.path + "/gone", Access::kEveryoneReads));
    std::filesystem::create_directory_symlink(directory.path + "/kept", directory.path + "/gone/link");
    ASSERT_TRUE(files.remove(directory.path + "/gone"));
    EXPECT_EQ(*files.read(directory.path + "/kept/file", 10), "x");
}

TEST(MemoryFiles, FailsTheStepItWasToldToAsOftenAsTold) {
    MemoryFiles files;
    ASSERT_TRUE(files.replace("format", "old", Access::kEveryoneReads));
    files.fail(FileStep::kWrite, ENOSPC, 2);
    files.fail(FileStep::kSync, EIO);
    for (const char* reason : {"No space left", "No space left", "Input/output error"}) {
        const Result<> result = files.replace("format", "new", Access::kEveryoneReads);
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().code, Code::kIo);
        EXPECT_NE(result.error().message.find(reason), std::string::npos) << result.error().message;
        EXPECT_EQ(*files.read("format", 10), "old");
    }
    EXPECT_TRUE(files.replace("format", "new", Access::kEveryoneReads));
}

TEST(MemoryFiles, ACrashForgetsWhatWasNotSyncedAndFreesLocks) {
    MemoryFiles files;
    ASSERT_TRUE(files.replace("format", "old", Access::kEveryoneReads));
    auto before = files.lock("lock");
    files.fail(FileStep::kSyncDirectory, EIO);
    EXPECT_FALSE(files.replace("format", "new", Access::kEveryoneReads).ok());
    EXPECT_EQ(*files.read("format", 10), "new");
    files.crash();
    EXPECT_EQ(*files.read("format", 10), "old");
    auto after = files.lock("lock");
    ASSERT_TRUE(after.ok());
    before->reset();
    EXPECT_FALSE(files.lock("lock").ok()) << "the old holder's end must not free the new one's lock";
}

}  // namespace files_test
}  // namespace muster::os
