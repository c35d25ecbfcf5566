#include "os/files/record_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace muster::os {
namespace record_file_test {

std::string content_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Files of this process cannot grow beyond so many bytes, as on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int);
    rlimit before_{};
};

TEST(RecordFileTest, ARecordThatDoesNotFitLeavesNoPart) {
    const std::string path = testing::TempDir() + "/muster-records-" + std::to_string(::getpid());
    std::filesystem::remove(path);
    RecordFile file = RecordFile::open(path).value();
    ASSERT_TRUE(file.append_whole("first\n").ok());
    {
        const FileSizeLimit limit(10);
        EXPECT_FALSE(file.append_whole("second\n").ok());
        EXPECT_EQ(content_of(path), "first\n");
        EXPECT_FALSE(file.append("second\n").ok());
        EXPECT_EQ(content_of(path), "first\nseco") << "a plain append may leave a part";
    }
    ASSERT_TRUE(file.cut(6).ok());
    ASSERT_TRUE(file.append_whole("third\n").ok());
    EXPECT_EQ(content_of(path), "first\nthird\n");
    std::filesystem::remove(path);
}

}  // namespace record_file_test
}  // namespace muster::os
