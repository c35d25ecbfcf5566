#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace muster {
namespace result_test {

Result<int> parse_digit(char digit) {
    if (digit < '0' || digit > '9') return Error{Code::kBadRequest, std::string("not a digit: ") + digit};
    return digit - '0';
}
Result<int> add_digits(char left, char right) {
    TRY_ASSIGN(const int first, parse_digit(left));
    TRY_ASSIGN(const int second, parse_digit(right));
    return first + second;
}
Result<> check_digits(char left, char right) {
    TRY(parse_digit(left));
    TRY(parse_digit(right));
    return {};
}

TEST(Result, TryGoesOnWithTheValueOrLeavesWithTheError) {
    EXPECT_EQ(*add_digits('2', '3'), 5);
    EXPECT_EQ(add_digits('2', 'x').error(), (Error{Code::kBadRequest, "not a digit: x"}));
    EXPECT_EQ(add_digits('y', 'x').error().message, "not a digit: y");
    EXPECT_TRUE(check_digits('1', '2').ok());
    EXPECT_FALSE(check_digits('1', '-'));
}

TEST(Result, CarriesValuesThatOnlyMove) {
    Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
    ASSERT_TRUE(result);
    const std::unique_ptr<int> taken = *std::move(result);
    EXPECT_EQ(*taken, 3);
}

TEST(Result, AnErrorKeepsItsCauses) {
    const Result<> result =
        Error{Code::kInvalid, "bad job", {{"FieldValueRequired", "spec.template", "Required value"}}};
    ASSERT_EQ(result.error().causes.size(), 1u);
    EXPECT_EQ(result.error().causes[0].field, "spec.template");
}

TEST(Result, AnErrorReadsAsItsCodesNameAndItsMessage) {
    EXPECT_EQ(format_error({Code::kExpired, "revision 3 is too old"}), "expired: revision 3 is too old");
}

TEST(Result, EveryCodeHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (int code = 0; code <= static_cast<int>(Code::kCancelled); ++code) {
        const std::string_view name = name_of(static_cast<Code>(code));
        EXPECT_NE(name, "unknown");
        EXPECT_TRUE(names.insert(name).second) << name;
    }
}

TEST(ResultDeathTest, TakingTheValueOfAnErrorEndsTheProcessWithThatError) {
    const Result<int> result = Error{Code::kIo, "the disk is gone"};
    EXPECT_DEATH((void)result.value(), "the disk is gone");
    EXPECT_DEATH((void)*result, "the disk is gone");
}

TEST(CheckDeathTest, NamesItsPlaceConditionAndMessage) {
    const int two = 2;
    CHECK(two == 2);
    EXPECT_DEATH(CHECK(two == 3, "arithmetic"), "result_test.cc:[0-9]+: CHECK\\(two == 3\\) failed: arithmetic");
}

}  // namespace result_test
}  // namespace muster
