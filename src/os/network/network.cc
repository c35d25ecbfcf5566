#include "os/network/network.h"

#include <arpa/inet.h>

#include <charconv>

namespace muster::os {
namespace {

bool is_host(const std::string& host, bool bracketed) {
    in6_addr ignored;
    return ::inet_pton(bracketed ? AF_INET6 : AF_INET, host.c_str(), &ignored) == 1;
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
    const Error refusal{Code::kBadRequest, "not an address and port such as 127.0.0.1:8080: " + std::string(text)};
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return refusal;
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);

    Address address(std::string(host), 0);
    const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (failure != std::errc() || end != port.data() + port.size()) return refusal;
    if (!is_host(address.host, bracketed)) return refusal;
    return address;
}

std::string format_address(const Address& address) {
    const bool is_v6 = address.host.find(':') != std::string::npos;
    return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace muster::os
