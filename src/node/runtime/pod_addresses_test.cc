#include "node/runtime/pod_addresses.h"

#include <gtest/gtest.h>

namespace muster::node {
namespace pod_addresses_test {

TEST(LoopbackAddresses, NoTwoPodsHaveTheSame) {
    LoopbackAddresses addresses;
    addresses.keep("127.64.0.2");
    EXPECT_EQ(addresses.give(), "127.64.0.1");
    EXPECT_EQ(addresses.give(), "127.64.0.3") << "a pod has the second already";
    addresses.take_back("127.64.0.1");
    EXPECT_EQ(addresses.give(), "127.64.0.4") << "a returned address rests as long as there are others";
}

TEST(LoopbackAddresses, ReturnedOnesAreGivenAgainAndThenThereAreNone) {
    LoopbackAddresses addresses(2);
    EXPECT_EQ(addresses.give(), "127.64.0.1");
    EXPECT_EQ(addresses.give(), "127.64.0.2");
    EXPECT_EQ(addresses.give(), "");
    addresses.take_back("127.64.0.1");
    EXPECT_EQ(addresses.give(), "127.64.0.1");
}

TEST(LoopbackAddresses, TheSecondByteCountsOn) {
    LoopbackAddresses addresses;
    for (int i = 0; i < 65536; ++i) (void)addresses.give();
    EXPECT_EQ(addresses.give(), "127.65.0.1");
}

}  // namespace pod_addresses_test
}  // namespace muster::node
