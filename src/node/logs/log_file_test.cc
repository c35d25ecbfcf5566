#include "node/logs/log_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "node/logs/log_cursor.h"

namespace muster::node {
namespace log_file_test {

std::string entry(int number) {
    std::string digits = std::to_string(number);
    return "2026-01-01T00:00:00.000000000Z stdout F line " + digits.insert(0, 4 - digits.size(), '0') + '\n';
}
std::string line(int number) { return entry(number).substr(entry(number).find("line")); }

class LogFileTest : public ::testing::Test {
protected:
    LogFileTest() {
        std::string pattern = ::testing::TempDir() + "/logfileXXXXXX";
        directory_ = ::mkdtemp(pattern.data());
        path_ = directory_ + "/0.log";
    }
    ~LogFileTest() override { (void)files_.remove(directory_).ok(); }

    LogFile create() { return LogFile::create(files_, path_, limits_).value(); }
    std::unique_ptr<LogCursor> open(LogSelection selection = {}) { return LogCursor::open(path_, selection).value(); }
    // All that is there now.
    static std::string read(LogCursor& cursor) {
        std::string text;
        for (;;) {
            const auto piece = cursor.next();
            EXPECT_TRUE(piece.ok());
            text += piece->text;
            if (piece->at_end || piece->full) return text;
        }
    }
    static std::string lines(int from, int to) {
        std::string text;
        for (int i = from; i < to; ++i) text += line(i);
        return text;
    }

    os::LinuxFiles files_;
    std::string directory_;
    std::string path_;
    // Four entries fit.
    LogLimits limits_{static_cast<std::int64_t>(entry(0).size()) * 4, 3};
};

TEST_F(LogFileTest, BeginsThePieceAfterAFullOneAndKeepsTheNewest) {
    LogFile log = create();
    for (int i = 0; i < 4; ++i) log.append(entry(i));
    EXPECT_EQ(list_log_pieces(files_, path_), std::vector<int>({0}));
    for (int i = 4; i < 18; ++i) log.append(entry(i));
    EXPECT_EQ(list_log_pieces(files_, path_), std::vector<int>({2, 3, 4}));
    EXPECT_EQ(read(*open()), lines(8, 18));
    (void)files_.replace(directory_ + "/0.log.x", "", os::Access::kOnlyUs).ok();
    remove_log(files_, path_);
    EXPECT_EQ(list_log_pieces(files_, path_), std::vector<int>());
    EXPECT_TRUE(files_.size(directory_ + "/0.log.x").ok());
}

TEST_F(LogFileTest, CutsWhatIsWrittenAtOnceBetweenEntries) {
    LogFile log = create();
    std::string all;
    for (int i = 0; i < 10; ++i) all += entry(i);
    log.append(all);
    for (const int number : {0, 1, 2})
        EXPECT_LE(files_.size(log_piece(path_, number)).value(), static_cast<std::uint64_t>(limits_.size_max));
    EXPECT_EQ(read(*open()), lines(0, 10));
}

TEST_F(LogFileTest, WritesAnEntryThatIsLargerThanAPiece) {
    LogFile log = create();
    const std::string large = "2026-01-01T00:00:00.000000000Z stdout F " + std::string(1000, 'x') + '\n';
    log.append(entry(0) + large + entry(1));
    EXPECT_EQ(read(*open()), line(0) + std::string(1000, 'x') + '\n' + line(1));
}

TEST_F(LogFileTest, GoesOnWhereAnotherStopped) {
    {
        LogFile log = create();
        for (int i = 0; i < 6; ++i) log.append(entry(i));
    }
    LogFile log = LogFile::reopen(files_, path_, limits_).value();
    for (int i = 6; i < 10; ++i) log.append(entry(i));
    EXPECT_EQ(list_log_pieces(files_, path_), std::vector<int>({0, 1, 2}));
    EXPECT_EQ(read(*open()), lines(0, 10));
}

TEST_F(LogFileTest, AFollowerNeitherLosesNorRepeatsALine) {
    LogFile log = create();
    const auto cursor = open();
    std::string seen;
    for (int i = 0; i < 100; ++i) {
        log.append(entry(i));
        if (i % 7 == 0) seen += read(*cursor);  // now in the middle of a piece, now at its end, now behind
    }
    seen += read(*cursor);
    EXPECT_EQ(seen, lines(0, 100));
}

TEST_F(LogFileTest, AFollowerThatIsTooSlowGoesOnWithTheOldestThatIsLeft) {
    LogFile log = create();
    for (int i = 0; i < 2; ++i) log.append(entry(i));
    const auto cursor = open();
    EXPECT_EQ(read(*cursor), lines(0, 2));
    for (int i = 2; i < 40; ++i) log.append(entry(i));
    // The piece it stood in is still read to its end.
    EXPECT_EQ(read(*cursor), lines(2, 4) + lines(28, 40));
}

TEST_F(LogFileTest, TheLastLinesAreFoundOverPieces) {
    LogFile log = create();
    for (int i = 0; i < 10; ++i) log.append(entry(i));
    for (const std::size_t count : {0u, 1u, 2u, 3u, 5u, 9u, 10u, 11u}) {
        LogSelection selection;
        selection.tail_lines = count;
        EXPECT_EQ(read(*open(selection)), lines(10 - std::min<int>(10, static_cast<int>(count)), 10)) << count;
    }
    EXPECT_EQ(read_log_tail(path_, 3, 1000), lines(7, 10));
    EXPECT_EQ(read_log_tail(path_, 3, 4), "009\n");
}

TEST_F(LogFileTest, TheLastLinesOfALargeFileAreFoundFromItsEnd) {
    limits_.size_max = 10 << 20;
    LogFile log = create();
    std::string all;
    for (int i = 0; i < 30000; ++i) all += entry(i % 10000);
    log.append(all);
    LogSelection selection;
    selection.tail_lines = 9999;
    EXPECT_EQ(read(*open(selection)), lines(1, 10000));
}

TEST_F(LogFileTest, AClientGetsNoMoreBytesThanItAskedFor) {
    LogFile log = create();
    for (int i = 0; i < 10; ++i) log.append(entry(i));
    LogSelection selection;
    selection.limit_bytes = 55;
    EXPECT_EQ(read(*open(selection)), lines(0, 10).substr(0, 55));
}

TEST_F(LogFileTest, ThereIsNoCursorWithoutALog) { EXPECT_EQ(LogCursor::open(path_, {}).error().code, Code::kNotFound); }

}  // namespace log_file_test
}  // namespace muster::node
