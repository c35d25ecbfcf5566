#include "os/network/socket_address.h"

#include <arpa/inet.h>

namespace muster::os {

Result<SocketAddress> encode_address(const Address& address) {
    SocketAddress encoded;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&encoded.bytes);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&encoded.bytes);
    if (::inet_pton(AF_INET, address.host.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(address.port);
        encoded.size = sizeof(*v4);
    } else if (::inet_pton(AF_INET6, address.host.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(address.port);
        encoded.size = sizeof(*v6);
    } else {
        return Error{Code::kBadRequest, "not a numeric address: " + address.host};
    }
    return encoded;
}

Address decode_address(const SocketAddress& encoded) {
    char host[INET6_ADDRSTRLEN] = "";
    if (encoded.bytes.ss_family == AF_INET6) {
        const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&encoded.bytes);
        ::inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
        return {host, ntohs(v6->sin6_port)};
    }
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&encoded.bytes);
    ::inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
    return {host, ntohs(v4->sin_port)};
}

}  // namespace muster::os
