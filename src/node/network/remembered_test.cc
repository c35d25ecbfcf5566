#include "node/network/remembered.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::node {
namespace remembered_test {

TEST(Remembered, IsMadeOnceForEachKey) {
    Remembered<int, std::string> remembered(4);
    int made = 0;
    const auto make = [&] {
        ++made;
        return std::string("v");
    };
    for (int i = 0; i < 10; ++i) EXPECT_EQ(remembered.get(i % 4, make), "v");
    EXPECT_EQ(made, 4);
    remembered.clear();
    remembered.get(0, make);
    EXPECT_EQ(made, 5);
}

TEST(Remembered, DoesNotGrowWithTheKeysThatWereAskedFor) {
    Remembered<int, int> remembered(4);
    for (int i = 0; i < 10'000; ++i) {
        EXPECT_EQ(remembered.get(i, [&] { return i; }), i);
        ASSERT_LE(remembered.size(), 4u);
    }
}

}  // namespace remembered_test
}  // namespace muster::node
