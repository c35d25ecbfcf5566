#include "os/machine/byte_budget.h"

#include <gtest/gtest.h>

namespace muster::os {
namespace byte_budget_test {

constexpr BudgetLimits kLimits{.total = 100, .strangers = 10, .user = 40};

TEST(ByteBudget, TheDefaultIsAQuarterOfTheMachineWithinReason) {
    EXPECT_EQ(default_budget(0), 256u << 20);
    EXPECT_EQ(default_budget(512u << 20), 256u << 20);
    EXPECT_EQ(default_budget(std::uint64_t{4} << 30), std::uint64_t{1} << 30);
    EXPECT_EQ(default_budget(std::uint64_t{256} << 30), std::uint64_t{4} << 30);
}

TEST(ByteBudget, StrangersShareOneAccountAndEachUserHasOne) {
    const auto budget = std::make_shared<ByteBudget>(kLimits);
    HeldBytes one(budget->account_of(0)), another(budget->account_of(0)), user(budget->account_of(7));
    EXPECT_TRUE(one.resize(6));
    EXPECT_FALSE(another.resize(5));
    EXPECT_EQ(another.bytes(), 0u) << "what is refused changes nothing";
    EXPECT_TRUE(another.resize(4));
    EXPECT_TRUE(user.resize(40));
    HeldBytes same_user(budget->account_of(7)), other_user(budget->account_of(8));
    EXPECT_FALSE(same_user.resize(1)) << "however many connections";
    EXPECT_TRUE(other_user.resize(40));
    EXPECT_EQ(budget->used(), 90u);
    EXPECT_TRUE(one.resize(0)) << "less is always possible";
    EXPECT_TRUE(another.resize(10));
}

TEST(ByteBudget, AllTogetherHaveATotalInWhichTheHistoryCounts) {
    const auto budget = std::make_shared<ByteBudget>(kLimits);
    budget->report_history(50);
    HeldBytes one(budget->account_of(1)), two(budget->account_of(2));
    EXPECT_TRUE(one.resize(40));
    EXPECT_FALSE(two.resize(11));
    EXPECT_TRUE(two.resize(10));
    EXPECT_FALSE(budget->is_over());
    budget->report_history(51);
    EXPECT_TRUE(budget->is_over());
    budget->report_history(0);
    EXPECT_TRUE(two.resize(40));
}

TEST(ByteBudget, WhatIsHeldIsGivenBackAtTheEnd) {
    const auto budget = std::make_shared<ByteBudget>(kLimits);
    {
        HeldBytes held(budget->account_of(1));
        EXPECT_TRUE(held.resize(30));
    }
    EXPECT_EQ(budget->used(), 0u);
    HeldBytes again(budget->account_of(1));
    EXPECT_TRUE(again.resize(40));
}

TEST(ByteBudget, WhatBelongsToAStrangerIsTheUsersOnceTheyAreKnown) {
    const auto budget = std::make_shared<ByteBudget>(kLimits);
    HeldBytes held(budget->account_of(0));
    EXPECT_TRUE(held.resize(10));
    held.move_to(budget->account_of(5));
    EXPECT_EQ(budget->account_of(0)->used(), 0u);
    EXPECT_EQ(budget->account_of(5)->used(), 10u);
    EXPECT_EQ(budget->used(), 10u);
    EXPECT_TRUE(held.resize(40));
}

TEST(ByteBudget, OneAnswerMayBeLargerThanWhatAUserMayHave) {
    using Rule = HeldBytes::Rule;
    const auto budget = std::make_shared<ByteBudget>(kLimits);
    HeldBytes one(budget->account_of(1)), two(budget->account_of(1)), three(budget->account_of(2));
    EXPECT_TRUE(one.resize(3));
    EXPECT_TRUE(one.resize(70, Rule::kOneBeyondTheUsers)) << "its own bytes do not count against it";
    EXPECT_FALSE(two.resize(1, Rule::kOneBeyondTheUsers));
    EXPECT_FALSE(three.resize(50, Rule::kOneBeyondTheUsers)) << "never beyond the total";
}

TEST(ByteBudget, BytesThatManyShareCountOnce) {
    const auto budget = std::make_shared<ByteBudget>(kLimits);
    auto bytes = budget->share(std::string(200, 'x'));
    const auto copy = bytes;
    EXPECT_EQ(budget->used(), 200u);
    EXPECT_TRUE(budget->is_over());
    bytes.reset();
    EXPECT_EQ(copy->size(), 200u);
    EXPECT_EQ(budget->used(), 200u);
    const_cast<std::shared_ptr<const std::string>&>(copy).reset();
    EXPECT_EQ(budget->used(), 0u);
}

}  // namespace byte_budget_test
}  // namespace muster::os
