#include "node/keeper/start/start_board.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace muster::node {
namespace start_board_test {

class TheStartBoard : public testing::Test {
protected:
    std::span<std::byte> memory() { return {reinterpret_cast<std::byte*>(places_.get()), StartBoard::kBytes}; }

private:
    std::unique_ptr<StartBoard::Place[]> places_ = std::make_unique<StartBoard::Place[]>(StartBoard::kPlaces);
};

TEST_F(TheStartBoard, TellsTheNextOneWhoCameToHisProgramAndWhoDidNot) {
    StartBoard first(memory());
    ASSERT_NE(first.take("u/c/0"), nullptr);
    StartBoard::Place* const begun = first.take("u/c/1");
    ASSERT_NE(begun, nullptr);
    begun->pid = 77;
    const StartBoard second(memory());
    EXPECT_EQ(second.find("u/c/0"), 0);
    EXPECT_EQ(second.find("u/c/1"), 77);
    EXPECT_EQ(second.find("u/c/2"), std::nullopt);
    EXPECT_TRUE(second.has(77));
    EXPECT_FALSE(second.has(78));
}

TEST_F(TheStartBoard, UsesAFreedPlaceAgainWithoutItsNumber) {
    StartBoard board(memory());
    StartBoard::Place* const place = board.take("one");
    place->pid = 5;
    board.free(place);
    EXPECT_EQ(board.find("one"), std::nullopt);
    EXPECT_FALSE(board.has(5));
    EXPECT_EQ(board.take("two"), place);
    EXPECT_EQ(board.find("two"), 0);
}

TEST_F(TheStartBoard, GivesNoPlaceWhenItIsFullOrTheNameIsTooLong) {
    StartBoard board(memory());
    EXPECT_EQ(board.take(std::string(121, 'x')), nullptr);
    for (std::size_t i = 0; i < StartBoard::kPlaces; ++i) ASSERT_NE(board.take("n" + std::to_string(i)), nullptr);
    EXPECT_EQ(board.take("one more"), nullptr);
    StartBoard next(memory());
    EXPECT_EQ(next.take("one more"), nullptr) << "what is noted stays until it is cleared";
    next.clear();
    EXPECT_NE(next.take("one more"), nullptr);
    EXPECT_EQ(next.find("n7"), std::nullopt);
}

}  // namespace start_board_test
}  // namespace muster::node
