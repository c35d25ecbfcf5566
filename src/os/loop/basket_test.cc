#include "os/loop/basket.h"

#include <gtest/gtest.h>

#include <string>

#include "os/testing/virtual_loop.h"

namespace muster::os {
namespace basket_test {

struct BasketTest : testing::Test {
    VirtualLoop loop;
    std::string seen;
    Basket<std::string> basket{loop, 3, [this](std::string made) { seen += made; }};
};

TEST_F(BasketTest, WhatHasNoCompanyComingGoesAtOnce) {
    basket.expect();
    basket.take_up();
    basket.add("a");
    loop.run_until_idle();
    EXPECT_EQ(seen, "a");
}

TEST_F(BasketTest, WhatHasWaitsUntilThereIsEnough) {
    for (int i = 0; i < 5; ++i) basket.expect();
    for (const char* each : {"a", "b"}) {
        basket.take_up();
        basket.add(each);
    }
    loop.run_until_idle();
    EXPECT_EQ(seen, "");
    basket.take_up();
    basket.add("c");
    loop.run_until_idle();
    EXPECT_EQ(seen, "abc");
    basket.take_up();
    basket.add("d");
    loop.run_until_idle();
    EXPECT_EQ(seen, "abc") << "one is waiting still";
    basket.empty();
    EXPECT_EQ(seen, "abcd") << "empty() takes it at once";
}

}  // namespace basket_test
}  // namespace muster::os
