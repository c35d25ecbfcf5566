// TCP over non-blocking sockets that the loop watches.
#pragma once

#include "os/loop/real_loop.h"
#include "os/network/network.h"

namespace muster::os {

class LinuxNetwork final : public Network {
public:
    explicit LinuxNetwork(RealLoop& loop) : loop_(loop) {}

    Result<std::unique_ptr<Listener>> listen(const Address& address) override;
    Task<Result<std::unique_ptr<Stream>>> connect(Address address) override;

private:
    RealLoop& loop_;
};

}  // namespace muster::os
