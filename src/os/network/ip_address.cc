#include "os/network/ip_address.h"

#include <arpa/inet.h>

#include <charconv>

namespace muster::os {
namespace {

constexpr std::string_view kMappedPrefix("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
constexpr std::string_view kLoopback6("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);

}  // namespace

std::optional<std::string> parse_ip(std::string_view text) {
    const std::string host(text);
    std::string bytes(4, '\0');
    if (::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 && host.find('\0') == std::string::npos) return bytes;
    bytes.resize(16);
    if (::inet_pton(AF_INET6, host.c_str(), bytes.data()) != 1 || host.find('\0') != std::string::npos)
        return std::nullopt;
    return bytes.starts_with(kMappedPrefix) ? bytes.substr(kMappedPrefix.size()) : bytes;
}

bool is_loopback(std::string_view ip) { return ip.size() == 4 ? ip.front() == 127 : ip == kLoopback6; }

bool IpRange::contains(std::string_view ip) const {
    if (ip.size() != network.size()) return false;
    for (std::size_t i = 0; i < ip.size(); ++i) {
        const int left = bits - static_cast<int>(i) * 8;
        if (left <= 0) return true;
        const int mask = left >= 8 ? 0xff : 0xff << (8 - left) & 0xff;
        if ((ip[i] & mask) != (network[i] & mask)) return false;
    }
    return true;
}

std::optional<IpRange> parse_ip_range(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    std::optional<std::string> network = parse_ip(text.substr(0, slash));
    const std::string_view number = text.substr(slash + 1);
    int bits = -1;
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), bits);
    const bool whole = failure == std::errc() && end == number.data() + number.size();
    if (!network || !whole || bits < 0 || bits > static_cast<int>(network->size()) * 8) return std::nullopt;
    return IpRange{std::move(*network), bits};
}

}  // namespace muster::os
