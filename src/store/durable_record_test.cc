#include "store/durable_record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace muster::store {
namespace durable_record_test {

namespace fs = std::filesystem;

struct DurableRecordTest : testing::Test {
    DurableRecordTest() : directory(testing::TempDir() + "muster-durable-" + std::to_string(::getpid())) {
        fs::remove_all(directory);
        fs::create_directories(directory);
    }
    ~DurableRecordTest() override { fs::remove_all(directory); }
    std::optional<DurableMark> read() const { return read_durable(directory).value(); }
    const std::string directory;
};

TEST_F(DurableRecordTest, GivesBackTheMarkThatWasWrittenLast) {
    EXPECT_EQ(read(), std::nullopt);
    ASSERT_TRUE(replace_durable(directory, {7, 70}).ok());
    EXPECT_EQ(read(), (DurableMark{7, 70}));
    const auto record = DurableRecord::open(directory).value();
    for (std::uint64_t group = 8; group < 20; ++group) {
        ASSERT_TRUE(record->write({group, group * 10}).ok());
        EXPECT_EQ(read(), (DurableMark{group, group * 10}));
    }
    EXPECT_TRUE(record->sync().ok());
    EXPECT_EQ(fs::file_size(directory + "/durable"), 8192u) << "it never grows";
}

TEST_F(DurableRecordTest, AMarkThatWasBeingWrittenLeavesTheOneBefore) {
    ASSERT_TRUE(replace_durable(directory, {7, 70}).ok());
    const auto record = DurableRecord::open(directory).value();
    ASSERT_TRUE(record->write({8, 80}).ok());
    std::fstream file(directory + "/durable", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(10);  // in the slot of even groups
    file.put('x');
    file.close();
    EXPECT_EQ(read(), (DurableMark{7, 70}));
}

TEST_F(DurableRecordTest, ARecordWithoutAReadableMarkIsDamaged) {
    for (const char* content : {"", "scribble"}) {
        std::ofstream(directory + "/durable") << content;
        EXPECT_EQ(read_durable(directory).error().code, Code::kCorrupt);
    }
}

}  // namespace durable_record_test
}  // namespace muster::store
