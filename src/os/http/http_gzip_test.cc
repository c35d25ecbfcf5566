#include "os/http/http_gzip.h"

#include <gtest/gtest.h>

namespace muster::os {
namespace http_gzip_test {

constexpr std::size_t kPlenty = 1u << 20;

std::string sample() {
    std::string out;
    for (int i = 0; i < 5000; ++i) out += "{\"name\":\"pod-" + std::to_string(i * 7919) + "\"},";
    return out;
}

TEST(Gunzip, ReadsTheSameInWhateverPiecesItArrives) {
    const std::string text = sample();
    const std::string packed = gzip(text);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, packed.size()}) {
        Gunzip gunzip;
        EXPECT_TRUE(gunzip.complete());
        std::string out;
        for (std::size_t at = 0; at < packed.size(); at += piece) {
            ASSERT_TRUE(gunzip.decode(std::string_view(packed).substr(at, piece), out, kPlenty).ok());
            EXPECT_EQ(gunzip.complete(), at + piece >= packed.size());
        }
        EXPECT_EQ(out, text) << piece;
    }
}

TEST(Gunzip, ReadsStreamsThatFollowEachOther) {
    Gunzip gunzip;
    std::string out;
    ASSERT_TRUE(gunzip.decode(gzip("one ") + gzip("") + gzip("two"), out, kPlenty).ok());
    EXPECT_TRUE(gunzip.complete());
    EXPECT_EQ(out, "one two");
}

TEST(Gunzip, AStreamThatBreaksOffIsNotComplete) {
    const std::string packed = gzip(sample());
    for (const std::size_t size : {std::size_t{1}, std::size_t{9}, packed.size() / 2, packed.size() - 1}) {
        Gunzip gunzip;
        std::string out;
        EXPECT_TRUE(gunzip.decode(packed.substr(0, size), out, kPlenty).ok());
        EXPECT_FALSE(gunzip.complete()) << size;
    }
}

TEST(Gunzip, RefusesWhatIsBroken) {
    std::string flipped = gzip(sample());
    flipped[flipped.size() - 6] ^= 1;  // of the checksum
    for (const std::string& bad :
         {std::string("{\"kind\":\"List\"}"), flipped, gzip("whole") + "and more", std::string(100, '\0')}) {
        Gunzip gunzip;
        std::string out;
        const Result<> read = gunzip.decode(bad, out, kPlenty);
        ASSERT_FALSE(read.ok());
        EXPECT_EQ(read.error().code, Code::kBadRequest);
    }
}

TEST(Gunzip, StopsAtTheBoundOfWhatIsDecoded) {
    const std::string packed = gzip(std::string(8'000'000, 'x'));
    Gunzip gunzip;
    std::string out;
    const Result<> read = gunzip.decode(packed, out, 100'000);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, Code::kTooLarge);
    EXPECT_LE(out.size(), 100'000u);
    Gunzip exact;
    std::string fits;
    EXPECT_TRUE(exact.decode(gzip("12345"), fits, 5).ok());
    Gunzip over;
    std::string does_not;
    EXPECT_FALSE(over.decode(gzip("123456"), does_not, 5).ok());
}

}  // namespace http_gzip_test
}  // namespace muster::os
