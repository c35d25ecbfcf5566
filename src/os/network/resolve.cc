#include "os/network/resolve.h"

#include <netdb.h>

#include <cstring>

#include "os/network/socket_address.h"

namespace muster::os {

Result<std::vector<Address>> resolve(const std::string& host, std::uint16_t port) {
    if (encode_address(Address(host, port))) return std::vector<Address>{Address(host, port)};
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;
    addrinfo* found = nullptr;
    const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (failure != 0)
        return Error{Code::kUnavailable, "cannot look up " + host + ": " + std::string(::gai_strerror(failure))};
    std::vector<Address> addresses;
    for (const addrinfo* each = found; each; each = each->ai_next) {
        SocketAddress encoded;
        std::memcpy(&encoded.bytes, each->ai_addr, each->ai_addrlen);
        encoded.size = each->ai_addrlen;
        addresses.push_back(decode_address(encoded));
    }
    ::freeaddrinfo(found);
    return addresses;
}

}  // namespace muster::os
