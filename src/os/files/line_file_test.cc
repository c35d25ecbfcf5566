#include "os/files/line_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace muster::os {
namespace line_file_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr Instant kLineStart = Instant::from_unix_seconds(1000);

class LineFileTest : public testing::Test {
protected:
    LineFileTest()
        : directory(std::filesystem::temp_directory_path() / ("muster-line-file-" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(directory);
        std::filesystem::create_directories(directory);
        path = directory / "hosts";
    }
    ~LineFileTest() override { std::filesystem::remove_all(directory); }

    LineFile open() { return LineFile::open(path, "127.0.0.1 localhost", kLineStart).value(); }
    // What a reader makes of it: words of lines, without comments.
    std::vector<std::string> read() const {
        std::vector<std::string> lines;
        std::ifstream in(path);
        for (std::string line; std::getline(in, line);) {
            line = line.substr(0, line.find('#'));
            while (!line.empty() && line.back() == ' ') line.pop_back();
            if (!line.empty()) lines.push_back(line);
        }
        return lines;
    }

    std::filesystem::path directory;
    std::string path;
};

TEST_F(LineFileTest, LinesComeAndGoBelowTheHeader) {
    LineFile file = open();
    EXPECT_THAT(read(), ElementsAre("127.0.0.1 localhost"));
    ASSERT_TRUE(file.change({"1.1.1.1 a", "1.1.1.2 b"}, {}, kLineStart).ok());
    EXPECT_THAT(read(), ElementsAre("127.0.0.1 localhost", "1.1.1.1 a", "1.1.1.2 b"));
    ASSERT_TRUE(file.change({"1.1.1.3 c"}, {"1.1.1.1 a", "1.1.1.9 unknown"}, kLineStart).ok());
    EXPECT_THAT(read(), ElementsAre("127.0.0.1 localhost", "1.1.1.2 b", "1.1.1.3 c"));
    EXPECT_THAT(file.lines(), UnorderedElementsAre("1.1.1.2 b", "1.1.1.3 c"));
}

TEST_F(LineFileTest, LinesThatGoTogetherMayStandApartOrOneBehindTheOther) {
    LineFile file = open();
    std::vector<std::string> all;
    for (int i = 0; i < 9; ++i) all.push_back("1.1.1." + std::to_string(i) + ' ' + std::string(1u + 12u * i, 'n'));
    ASSERT_TRUE(file.change(all, {}, kLineStart).ok());
    ASSERT_TRUE(file.change({}, {all[7], all[1], all[2], all[5], all[3]}, kLineStart).ok());
    EXPECT_THAT(read(), ElementsAre("127.0.0.1 localhost", all[0], all[4], all[6], all[8]));
    // Another that opens it finds the same.
    EXPECT_THAT(open().lines(), UnorderedElementsAre(all[0], all[4], all[6], all[8]));
}

TEST_F(LineFileTest, ALineThatIsThereIsNotAddedAgain) {
    LineFile file = open();
    ASSERT_TRUE(file.change({"1.1.1.1 a"}, {}, kLineStart).ok());
    ASSERT_TRUE(file.change({"1.1.1.1 a"}, {}, kLineStart).ok());
    EXPECT_THAT(read(), ElementsAre("127.0.0.1 localhost", "1.1.1.1 a"));
}

TEST_F(LineFileTest, APlaceIsUsedAgainAfterAMinuteOnly) {
    LineFile file = open();
    ASSERT_TRUE(file.change({"1.1.1.1 a"}, {}, kLineStart).ok());
    ASSERT_TRUE(file.change({}, {"1.1.1.1 a"}, kLineStart).ok());
    const std::uint64_t size = file.size();
    ASSERT_TRUE(file.change({"1.1.1.2 b"}, {}, kLineStart + 59s).ok());
    EXPECT_GT(file.size(), size);
    const std::uint64_t grown = file.size();
    ASSERT_TRUE(file.change({"1.1.1.3 c"}, {}, kLineStart + 60s).ok());
    EXPECT_EQ(file.size(), grown);
    EXPECT_THAT(read(), ElementsAre("127.0.0.1 localhost", "1.1.1.3 c", "1.1.1.2 b"));
}

TEST_F(LineFileTest, NoLineCrossesABlock) {
    LineFile file = open();
    std::vector<std::string> lines;
    for (int i = 0; i < 2000; ++i) lines.push_back("10.0.0.1 " + std::string(1 + i * 7 % 300, 'x') + std::to_string(i));
    ASSERT_TRUE(file.change(lines, {}, kLineStart).ok());
    std::stringstream content;
    content << std::ifstream(path).rdbuf();
    const std::string text = content.str();
    for (std::size_t at = 4096; at < text.size(); at += 4096) EXPECT_EQ(text[at - 1], '\n') << at;
    EXPECT_EQ(read().size(), 2001u);
}

TEST_F(LineFileTest, AnotherTakesItOverWithItsLines) {
    { ASSERT_TRUE(open().change({"1.1.1.1 a", "1.1.1.2 b"}, {}, kLineStart).ok()); }
    { ASSERT_TRUE(open().change({}, {"1.1.1.1 a"}, kLineStart).ok()); }
    LineFile file = open();
    EXPECT_THAT(file.lines(), ElementsAre("1.1.1.2 b"));
    ASSERT_TRUE(file.change({"1.1.1.3 c"}, {"1.1.1.2 b"}, kLineStart + 61s).ok());
    EXPECT_THAT(read(), ElementsAre("127.0.0.1 localhost", "1.1.1.3 c"));
}

TEST_F(LineFileTest, ALineThatWasHalfWrittenWhenItsWriterDiedCountsForNothing) {
    { ASSERT_TRUE(open().change({"1.1.1.1 a"}, {}, kLineStart).ok()); }
    { std::ofstream(path, std::ios::app) << "1.1.1.2 bro"; }
    LineFile file = open();
    ASSERT_TRUE(file.change({"1.1.1.3 c"}, {}, kLineStart).ok());
    EXPECT_THAT(read(), ElementsAre("127.0.0.1 localhost", "1.1.1.1 a", "1.1.1.3 c"));
}

TEST_F(LineFileTest, ReadersSeeOnlyLinesThatWereWritten) {
    LineFile file = open();
    const auto line = [](int i) { return "10.0.0." + std::to_string(i) + " name-" + std::to_string(i * 1111 % 997); };
    std::set<std::string> known = {"127.0.0.1 localhost"};
    for (int i = 0; i < 250; ++i) known.insert(line(i));
    std::atomic<bool> stop = false;
    std::thread reader([&] {
        while (!stop)
            for (const std::string& each : read())
                if (!known.contains(each)) ADD_FAILURE() << each;
    });
    for (int i = 0; i < 20000; ++i)
        ASSERT_TRUE(file.change({line(i % 250)}, {line((i + 100) % 250)}, kLineStart + i * 100ms).ok());
    stop = true;
    reader.join();
    EXPECT_LT(file.size(), 100000u) << "places are used again";
}

TEST_F(LineFileTest, AFileThatCannotBeMadeIsAnError) {
    EXPECT_FALSE(LineFile::open(directory / "none" / "hosts", "", kLineStart).ok());
}

}  // namespace line_file_test
}  // namespace muster::os
