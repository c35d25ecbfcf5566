#include "store/record.h"

#include <gtest/gtest.h>

#include <set>

#include "store/checksum.h"

namespace muster::store {
namespace record_test {

// Published check values; a record written by one build must be read by every other.
TEST(Checksum, IsTheOneOnDisk) {
    EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
    EXPECT_EQ(crc32c(""), 0u);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
    EXPECT_EQ(crc32c("456789", crc32c("123")), crc32c("123456789"));
    EXPECT_EQ(hash64("//pods/default/pi"), 9941037626628821796u);
}

TEST(Checksum, HashTellsNearlyEqualKeysApart) {
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 100'000; ++i) seen.insert(hash64("//pods/n/job-" + std::to_string(i)));
    for (int i = 0; i < 40; ++i) seen.insert(hash64(std::string(static_cast<std::size_t>(i), 'a')));
    EXPECT_EQ(seen.size(), 100'040u);
}

TEST(Record, MarksComeBackAsTheyWereAndNoDamagedOneDoes) {
    const GroupMark mark{7, 1234, 99, 0xdeadbeefcafef00du, true};
    const std::string bytes = format_mark(mark);
    EXPECT_EQ(bytes.size(), kMarkSize);
    EXPECT_EQ(parse_mark(bytes).value(), mark);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        std::string damaged = bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        EXPECT_FALSE(parse_mark(damaged).ok()) << bit;
    }
    EXPECT_FALSE(parse_mark(bytes.substr(1)).ok());
    EXPECT_FALSE(parse_mark("").ok());
}

TEST(Record, ObjectsAreTiedToTheirKeyAndRevision) {
    char header[kObjectHeaderSize];
    format_object_header("//pods/n/a", {42, 4, "own bytes"}, header);
    const std::string record = std::string(header, kObjectHeaderSize) + "own bytes";
    EXPECT_EQ(parse_object("//pods/n/a", record)->revision, 42u);
    EXPECT_EQ(parse_object("//pods/n/a", record)->bytes, "own bytes");
    EXPECT_EQ(parse_object("//pods/n/a", record)->own(), "own ");
    EXPECT_EQ(parse_object("//pods/n/b", record).error().code, Code::kCorrupt);
    EXPECT_NE(parse_object("//pods/n/b", record).error().message.find("//pods/n/b"), std::string::npos);
    for (std::size_t at = 0; at < record.size(); ++at) {
        std::string damaged = record;
        damaged[at] ^= 1;
        EXPECT_FALSE(parse_object("//pods/n/a", damaged).ok()) << at;
    }
    EXPECT_FALSE(parse_object("//pods/n/a", record.substr(0, 5)).ok());
    format_object_header("//pods/n/a", {42, 10, "own bytes"}, header);
    EXPECT_FALSE(parse_object("//pods/n/a", std::string(header, kObjectHeaderSize) + "own bytes").ok());
}

TEST(Record, StatusesAreTiedToTheirKeyRevisionAndBase) {
    char header[kStatusHeaderSize];
    format_status_header("//pods/n/a", {42, 40, "status"}, header);
    const std::string record = std::string(header, kStatusHeaderSize) + "status";
    EXPECT_EQ(parse_status("//pods/n/a", record)->revision, 42u);
    EXPECT_EQ(parse_status("//pods/n/a", record)->base, 40u);
    EXPECT_EQ(parse_status("//pods/n/a", record)->bytes, "status");
    EXPECT_EQ(parse_status("//pods/n/b", record).error().code, Code::kCorrupt);
    EXPECT_NE(parse_status("//pods/n/b", record).error().message.find("//pods/n/b"), std::string::npos);
    for (std::size_t at = 0; at < record.size(); ++at) {
        std::string damaged = record;
        damaged[at] ^= 1;
        EXPECT_FALSE(parse_status("//pods/n/a", damaged).ok()) << at;
    }
    EXPECT_FALSE(parse_status("//pods/n/a", record.substr(0, 5)).ok());
    EXPECT_FALSE(parse_object("//pods/n/a", record).ok());
}

TEST(Record, PartsAreTiedToTheirNumberAndSortByIt) {
    const std::string record = format_part(300, "bytes");
    EXPECT_EQ(parse_part(part_key(300), record)->number, 300u);
    EXPECT_EQ(parse_part(part_key(300), record)->bytes, "bytes");
    EXPECT_FALSE(parse_part(part_key(301), record).ok());
    EXPECT_FALSE(parse_part("p", record).ok());
    EXPECT_LT(part_key(255), part_key(256));
}

}  // namespace record_test
}  // namespace muster::store
