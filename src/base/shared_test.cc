#include "base/shared.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/box.h"
#include "base/list.h"

namespace muster {
namespace shared_test {

static_assert(sizeof(Shared<std::string>) == 8);
static_assert(sizeof(Box<std::string>) == 8);
static_assert(sizeof(List<std::string>) == 8);

TEST(Shared, CopiesAreTheSameValueUntilOneIsEdited) {
    Shared<std::string> first;
    EXPECT_EQ(first.get(), nullptr);
    first.edit() = "one";
    Shared<std::string> second = first;
    EXPECT_EQ(first.identity(), second.identity());
    second.edit() += " and two";
    EXPECT_NE(first.identity(), second.identity());
    EXPECT_EQ(*first.get(), "one");
    EXPECT_EQ(*second.get(), "one and two");
}

TEST(Shared, TheOnlyHolderEditsInPlace) {
    Shared<std::string> only;
    only.edit() = "one";
    const void* before = only.identity();
    { const Shared<std::string> gone = only; }
    only.edit() = "two";
    EXPECT_EQ(only.identity(), before);
}

TEST(Shared, TheLastHolderDestroysTheValue) {
    auto counted = std::make_shared<int>(0);
    Shared<std::shared_ptr<int>> first;
    first.edit() = counted;
    Shared<std::shared_ptr<int>> second = first;
    Shared<std::shared_ptr<int>> third;
    third = second;
    third = std::move(second);
    EXPECT_EQ(counted.use_count(), 2);
    first.reset();
    EXPECT_EQ(counted.use_count(), 2);
    third.reset();
    second.reset();  // NOLINT(bugprone-use-after-move): a swap may have left it a value
    EXPECT_EQ(counted.use_count(), 1);
}

TEST(SharedBlock, KeepsAValueAliveWithoutItsType) {
    auto counted = std::make_shared<int>(0);
    SharedBlock block;
    EXPECT_FALSE(block.held_elsewhere());
    {
        Shared<std::shared_ptr<int>> shared;
        shared.edit() = counted;
        block = SharedBlock(shared);
        EXPECT_EQ(block.identity(), shared.identity());
        EXPECT_TRUE(block.held_elsewhere());
    }
    EXPECT_FALSE(block.held_elsewhere());
    EXPECT_EQ(counted.use_count(), 2);
    {
        const SharedBlock copy = block;
        EXPECT_TRUE(block.held_elsewhere());
        EXPECT_EQ(block.as<std::shared_ptr<int>>().get()->get(), counted.get());
    }
    block = SharedBlock();
    EXPECT_EQ(counted.use_count(), 1);
}

TEST(SharedBlock, OfAnEmptyHolderIsEmpty) {
    const SharedBlock block{Shared<std::string>()};
    EXPECT_EQ(block.identity(), nullptr);
    EXPECT_EQ(block.as<std::string>().get(), nullptr);
}

TEST(Shared, MayBeCopiedAndEditedByManyThreadsEachItsOwn) {
    Shared<std::string> shared;
    shared.edit() = "from one thread";
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([copy = shared]() mutable {
            for (int i = 0; i < 2'000; ++i) {
                Shared<std::string> another = copy;
                another.edit() += '!';
                ASSERT_EQ(another.get()->size(), 16u);
            }
            copy.edit() += '?';
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(*shared.get(), "from one thread");
}

TEST(Box, IsNullOrAValue) {
    Box<std::string> box;
    EXPECT_FALSE(box);
    EXPECT_EQ(box.get(), nullptr);
    box.edit();
    EXPECT_TRUE(box);
    EXPECT_EQ(*box, "");
    box.edit() = "full";
    EXPECT_EQ(box->size(), 4u);
    box.reset();
    EXPECT_FALSE(box);
}

TEST(Box, ComparesValuesAndTellsNullFromEmpty) {
    EXPECT_EQ(Box<std::string>(), Box<std::string>());
    EXPECT_EQ(Box<std::string>("a"), Box<std::string>("a"));
    EXPECT_NE(Box<std::string>("a"), Box<std::string>("b"));
    EXPECT_NE(Box<std::string>(), Box<std::string>(""));
    EXPECT_NE(Box<std::string>(""), Box<std::string>());
}

TEST(Box, AnEditDoesNotReachTheCopies) {
    Box<std::string> box("one");
    const Box<std::string> copy = box;
    EXPECT_EQ(copy.get(), box.get());
    box.edit() = "two";
    EXPECT_EQ(*copy, "one");
}

TEST(BoxDeathTest, ReadingNullIsABug) {
    const Box<std::string> box;
    EXPECT_DEATH((void)box->size(), "CHECK");
}

TEST(List, TellsNullFromEmptyButHoldsThemEqual) {
    const List<int> null;
    List<int> empty;
    empty.edit();
    EXPECT_TRUE(null.is_null());
    EXPECT_FALSE(empty.is_null());
    EXPECT_TRUE(null.empty() && empty.empty());
    EXPECT_EQ(null, empty);
    EXPECT_EQ(empty, null);
    for (const int item : null) FAIL() << item;
}

TEST(List, ReadsLikeAVector) {
    const List<int> list{3, 1, 2};
    EXPECT_EQ(list.size(), 3u);
    EXPECT_EQ(list.front(), 3);
    EXPECT_EQ(list.back(), 2);
    EXPECT_EQ(list[1], 1);
    EXPECT_EQ(std::vector<int>(list.begin(), list.end()), (std::vector<int>{3, 1, 2}));
}

TEST(List, AnEditDoesNotReachTheCopies) {
    List<int> list{1, 2};
    const List<int> copy = list;
    EXPECT_EQ(copy.data(), list.data());
    list.edit().push_back(3);
    EXPECT_EQ(copy, (List<int>{1, 2}));
    EXPECT_EQ(list, (List<int>{1, 2, 3}));
    EXPECT_NE(list, copy);
    EXPECT_NE(copy, (List<int>{1, 3}));
}

}  // namespace shared_test
}  // namespace muster
