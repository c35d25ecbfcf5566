// Numeric IP addresses as values, and the ranges that they are in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::os {

// The bytes of "10.0.0.1" (4 of them) or "fd00::1" (16). An IPv4 address in IPv6 form is an IPv4 address. Nothing when
// it is no numeric address.
std::optional<std::string> parse_ip(std::string_view text);

// Of the bytes that parse_ip gives: 127.0.0.0/8 and ::1.
bool is_loopback(std::string_view ip);

// "10.0.0.0/8", "fd00::/8".
struct IpRange {
    std::string network;  // bytes
    int bits = 0;

    bool contains(std::string_view ip) const;
};
std::optional<IpRange> parse_ip_range(std::string_view text);

}  // namespace muster::os
