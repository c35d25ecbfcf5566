// Takes connections off a listening socket. When there are too many, or no descriptor is left, they are still taken and
// closed at once: a peer that is refused knows it, and the listening socket does not stay ready for ever.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "os/descriptor.h"
#include "os/loop/real_loop.h"
#include "os/network/network.h"

namespace muster::os {

class HttpAcceptor {
public:
    struct Calls {
        std::function<bool()> has_room;
        int first_reserved;  // descriptor: this and higher ones are not taken
        std::function<void(Descriptor, Address)> take;
        std::function<void(std::string_view)> on_problem;  // may be empty
    };
    // Begins on `loop`, on which it must be closed; it may be destroyed elsewhere when the loop has stopped.
    HttpAcceptor(RealLoop& loop, Descriptor socket, Calls calls);

    void close();
    std::uint64_t accepted() const { return accepted_.load(std::memory_order_relaxed); }
    std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

private:
    void accept_all();
    bool accept_one();
    bool refuse_one();
    void pause();
    void report(std::string_view problem);

    RealLoop& loop_;
    Descriptor socket_;
    Descriptor spare_;  // given up to take, and close, a connection when no descriptor is left
    const Calls calls_;
    RealLoop::WatchId watch_ = 0;
    TimerId retry_ = 0;
    Duration reported_at_ = Duration::min();
    std::atomic<std::uint64_t> accepted_{0};
    std::atomic<std::uint64_t> refused_{0};
};

// Opens a socket that listens.
Result<Descriptor> listen_at(const Address& address);

}  // namespace muster::os
