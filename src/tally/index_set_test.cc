#include "tally/index_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/prng.h"

namespace muster::tally {
namespace index_set_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(IndexSet, PrintsWhatItWasMadeOf) {
    struct Case {
        const char* name;
        std::vector<std::int32_t> indexes;
        const char* text;
    } cases[] = {
        {"nothing is empty text", {}, ""},
        {"one index stands alone", {7}, "7"},
        {"two in a row are two", {3, 4}, "3,4"},
        {"three in a row are a range", {3, 4, 5}, "3-5"},
        {"order and repeats do not matter", {7, 3, 5, 4, 1, 4}, "1,3-5,7"},
        {"negative ones are dropped", {-1, 0}, "0"},
    };
    for (const Case& c : cases) {
        const IndexSet set = IndexSet::of(c.indexes);
        EXPECT_EQ(set.text(), c.text) << c.name;
        EXPECT_EQ(IndexSet::parse(c.text, 100), set) << c.name;
    }
}

TEST(IndexSet, ForgetsIndexesThatScalingDownTookAway) {
    EXPECT_EQ(IndexSet::parse("1,3-5,7", 5).text(), "1,3,4");
    EXPECT_EQ(IndexSet::parse("1,3-5,7", 0).text(), "");
}

TEST(IndexSet, AddingJoinsNeighbours) {
    struct Case {
        const char* name;
        const char* before;
        const char* added;
        const char* after;
    } cases[] = {
        {"to nothing", "", "1,3-5", "1,3-5"},
        {"nothing", "1,3-5", "", "1,3-5"},
        {"what fills a gap joins both sides", "0-2,4-6", "3", "0-6"},
        {"what is there already changes nothing", "0-9", "3-5", "0-9"},
        {"what contains it replaces it", "3-5", "0-9", "0-9"},
        {"what overlaps extends it", "0-4,8-9", "3-8", "0-9"},
        {"what lies apart stays apart", "0,1", "3,9", "0,1,3,9"},
    };
    for (const Case& c : cases) {
        IndexSet set = IndexSet::parse(c.before, 100);
        set.add(IndexSet::parse(c.added, 100));
        EXPECT_EQ(set, IndexSet::parse(c.after, 100)) << c.name << ": " << set.text();
    }
}

TEST(IndexSet, FirstMissingAreTheLowestBelowTheBound) {
    EXPECT_THAT(IndexSet::parse("0,1,3,6-8", 100).first_missing(100, 4), ElementsAre(2, 4, 5, 9));
    EXPECT_THAT(IndexSet::parse("0-9", 100).first_missing(10, 4), IsEmpty());
    EXPECT_THAT(IndexSet::parse("0-9", 100).first_missing(12, 4), ElementsAre(10, 11));
    EXPECT_THAT(IndexSet().first_missing(3, 0), IsEmpty());
    EXPECT_THAT(IndexSet::parse("5", 100).first_missing(4, 9), ElementsAre(0, 1, 2, 3));
}

TEST(IndexSet, TheIndexAfterSoManyThatAreMissing) {
    EXPECT_EQ(IndexSet::parse("0,1,3,6-8", 100).missing_after(0), 2);
    EXPECT_EQ(IndexSet::parse("0,1,3,6-8", 100).missing_after(3), 9);
    EXPECT_EQ(IndexSet::parse("5", 100).missing_after(4), 4);
    EXPECT_EQ(IndexSet::parse("5", 100).missing_after(5), 6);
    EXPECT_EQ(IndexSet().missing_after(2147483647), 2147483647);
    EXPECT_EQ(IndexSet::parse("0-2147483646", 2147483647).missing_after(2147483647), 4294967294);
}

TEST(IndexSet, AgreesWithASetOfNumbers) {
    Prng prng(1);
    for (int round = 0; round < 200; ++round) {
        std::set<std::int32_t> truth;
        IndexSet set;
        std::set<std::int32_t> other_truth;
        for (int batch = 0; batch < 5; ++batch) {
            std::vector<std::int32_t> added;
            for (std::uint64_t i = prng.below(20); i > 0; --i)
                added.push_back(static_cast<std::int32_t>(prng.below(40)));
            truth.insert(added.begin(), added.end());
            other_truth = {added.begin(), added.end()};
            const IndexSet other = IndexSet::of(added);
            std::int64_t common = 0;
            for (const std::int32_t index : other_truth) common += set.contains(index) ? 1 : 0;
            ASSERT_EQ(set.count_common(other), common);
            const IndexSet left = set.without(other);
            ASSERT_EQ(left.size(), set.size() - common);
            ASSERT_EQ(left.count_common(other), 0);
            ASSERT_EQ(left.count_common(set), left.size());
            set.add(added);
        }
        ASSERT_EQ(set.size(), static_cast<std::int64_t>(truth.size()));
        for (std::int32_t index = 0; index < 40; ++index) ASSERT_EQ(set.contains(index), truth.contains(index));
        std::vector<std::int32_t> missing;
        for (std::int32_t index = 0; index < 30; ++index)
            if (!truth.contains(index)) missing.push_back(index);
        missing.resize(std::min<std::size_t>(missing.size(), 6));
        ASSERT_EQ(set.first_missing(30, 6), missing);
        for (std::size_t i = 0; i < missing.size(); ++i)
            ASSERT_EQ(set.missing_after(static_cast<std::int32_t>(i)), missing[i]);
        ASSERT_EQ(IndexSet::parse(set.text(), 40), set);
    }
}

// KEP-2214: the largest list a Job can have is below 1 MB.
TEST(IndexSet, AHundredThousandIndexesInTheWorstOrderStayBelowAMegabyte) {
    std::vector<std::int32_t> every_other;
    for (std::int32_t index = 1; index < 100000; index += 2) every_other.push_back(index);
    const IndexSet set = IndexSet::of(every_other);
    EXPECT_LT(set.text().size(), 300000u);
    EXPECT_EQ(IndexSet::parse(set.text(), 100000).size(), 50000);
}

}  // namespace index_set_test
}  // namespace muster::tally
