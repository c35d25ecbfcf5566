#include "api/value/index_ranges.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace index_ranges_test {

struct ParseCase {
    const char* name;
    const char* text;
    std::int32_t completions;
    const char* printed;  // null: refused
    const char* problem = "";
};

const ParseCase kParseCases[] = {
    {"nothing is the empty set", "", 5, ""},
    {"one index", "3", 5, "3"},
    {"a range and single indexes", "1,3-5,7", 8, "1,3-5,7"},
    {"two in a row print as two", "1-2", 8, "1,2"},
    {"pieces that touch become one range", "0,1,2-3,4", 8, "0-4"},
    {"an explicit plus is read", "+1,+3", 8, "1,3"},
    {"the last index is below completions", "4", 5, "4"},
    {"an index at completions is too large", "5", 5, nullptr, "too large index: \"5\""},
    {"a range's end at completions is too large", "1-5", 5, nullptr, "too large index: \"5\""},
    {"no completions leave no index", "0", 0, nullptr, "too large index: \"0\""},
    {"a word is no index", "a", 5, nullptr, "cannot convert string to integer for index: \"a\""},
    {"an empty piece is no index", "1,,2", 5, nullptr, "cannot convert string to integer for index: \"\""},
    {"a minus sign starts a range", "-1", 5, nullptr, "cannot convert string to integer for index: \"\""},
    {"blanks are not skipped", "1, 2", 5, nullptr, "cannot convert string to integer for index: \" 2\""},
    {"a number too long for a number", "99999999999999999999", 5, nullptr,
     "cannot convert string to integer for index: \"99999999999999999999\""},
    {"three parts are no range", "1-2-3", 5, nullptr,
     "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by "
     "'-'"},
    {"a range must rise", "3-3", 5, nullptr, "non-increasing order, previous: 3, current: 3"},
    {"pieces must rise", "3,2", 5, nullptr, "non-increasing order, previous: 3, current: 2"},
    {"pieces may not repeat", "1-3,3", 5, nullptr, "non-increasing order, previous: 3, current: 3"},
};

TEST(IndexRanges, ReadsTheStrictForm) {
    for (const ParseCase& test : kParseCases) {
        SCOPED_TRACE(test.name);
        const auto parsed = IndexRanges::parse(test.text, test.completions);
        ASSERT_EQ(parsed.ok(), test.printed != nullptr);
        if (parsed.ok()) {
            EXPECT_EQ(parsed->text(), test.printed);
        } else {
            EXPECT_EQ(parsed.error().message, test.problem);
        }
    }
}

TEST(IndexRanges, ReadsWhatWasStoredBeforeTheJobWasScaledDown) {
    const struct {
        const char* name;
        const char* text;
        std::int32_t completions;
        const char* printed;
    } cases[] = {
        {"all below", "1,3-5,7", 10, "1,3-5,7"},
        {"a range is cut", "1,3-5,7", 5, "1,3,4"},
        {"what lies above goes", "1,3-5,7", 3, "1"},
        {"nothing is left", "1,3-5,7", 0, ""},
        {"a broken piece is skipped", "1,x,3-y,4", 10, "1,4"},
        {"a piece that goes backwards is skipped", "4,2,6", 10, "4,6"},
        {"empty", "", 10, ""},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.name);
        EXPECT_EQ(IndexRanges::parse_stored(test.text, test.completions).text(), test.printed);
    }
}

TEST(IndexRanges, KnowsItsMembers) {
    const IndexRanges set = IndexRanges::parse("0,3-5,9", 10).value();
    EXPECT_EQ(set.count(), 5);
    std::string members;
    for (std::int32_t i = -1; i < 12; ++i)
        if (set.contains(i)) members += std::to_string(i) + " ";
    EXPECT_EQ(members, "0 3 4 5 9 ");
    EXPECT_FALSE(IndexRanges().contains(0));
}

TEST(IndexRanges, FindsTheFirstCommonIndex) {
    const auto common = [](const char* left, const char* right) {
        return IndexRanges::parse(left, 100).value().first_common(IndexRanges::parse(right, 100).value()).value_or(-1);
    };
    EXPECT_EQ(common("1,3-5,7", "2,6,8"), -1);
    EXPECT_EQ(common("1,3-5,7", "2,5-9"), 5);
    EXPECT_EQ(common("0-99", "42"), 42);
    EXPECT_EQ(common("", "42"), -1);
    EXPECT_EQ(common("10-20", "1-3,5,20"), 20);
}

TEST(IndexRanges, AppendsOnlyUpwards) {
    IndexRanges set;
    EXPECT_TRUE(set.append({2, 2}));
    EXPECT_TRUE(set.append({3, 4}));
    EXPECT_FALSE(set.append({4, 5}));
    EXPECT_FALSE(set.append({7, 6}));
    EXPECT_TRUE(set.append({6, 6}));
    EXPECT_EQ(set.text(), "2-4,6");
}

}  // namespace index_ranges_test
}  // namespace muster::api
