#include "os/network/ip_address.h"

#include <gtest/gtest.h>

namespace muster::os {
namespace ip_address_test {

TEST(IpAddress, IsReadFromItsNumericForm) {
    EXPECT_EQ(parse_ip("10.0.0.1"), std::string("\x0a\0\0\1", 4));
    EXPECT_EQ(parse_ip("::ffff:10.0.0.1"), parse_ip("10.0.0.1")) << "it is the same address";
    EXPECT_EQ(parse_ip("fd00::1")->size(), 16u);
    for (const char* bad : {"", "10.0.0", "10.0.0.256", "api.example.org", "[::1]", "10.0.0.1:80"})
        EXPECT_FALSE(parse_ip(bad)) << bad;
    EXPECT_FALSE(parse_ip(std::string_view("10.0.0.1\0x", 10)));
}

TEST(IpAddress, OfThisMachineIsLoopback) {
    for (const char* own : {"127.0.0.1", "127.8.8.8", "::1"}) EXPECT_TRUE(is_loopback(*parse_ip(own))) << own;
    for (const char* other : {"10.0.0.1", "::2", "fd00::1"}) EXPECT_FALSE(is_loopback(*parse_ip(other))) << other;
}

TEST(IpRange, ContainsTheAddressesWithItsFirstBits) {
    const struct {
        const char* range;
        const char* address;
        bool contained;
    } cases[] = {
        {"10.0.0.0/8", "10.255.0.1", true},    {"10.0.0.0/8", "11.0.0.1", false}, {"10.96.0.0/12", "10.111.0.1", true},
        {"10.96.0.0/12", "10.112.0.1", false}, {"10.0.0.1/32", "10.0.0.1", true}, {"10.0.0.1/32", "10.0.0.2", false},
        {"0.0.0.0/0", "192.168.0.1", true},    {"0.0.0.0/0", "fd00::1", false},   {"fd00::/8", "fd12::1", true},
        {"fd00::/8", "fe80::1", false},
    };
    for (const auto& each : cases)
        EXPECT_EQ(parse_ip_range(each.range).value().contains(*parse_ip(each.address)), each.contained)
            << each.range << " " << each.address;
    for (const char* bad : {"10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "a/8", "fd00::/129"})
        EXPECT_FALSE(parse_ip_range(bad)) << bad;
}

}  // namespace ip_address_test
}  // namespace muster::os
