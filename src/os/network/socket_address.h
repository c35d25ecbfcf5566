// Addresses in the kernel's form.
#pragma once

#include <sys/socket.h>

#include "os/network/network.h"

namespace muster::os {

struct SocketAddress {
    sockaddr_storage bytes{};
    socklen_t size = sizeof(bytes);
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

// kBadRequest when the host is not numeric.
Result<SocketAddress> encode_address(const Address& address);
Address decode_address(const SocketAddress& encoded);

}  // namespace muster::os
