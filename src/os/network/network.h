// Streams of bytes to other machines, as the loop sees them. The seam between what speaks a protocol and what carries
// it: sockets in the product, a simulated network in the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/loop/task.h"

namespace muster::os {

// A numeric address; names are not looked up here. It has constructors because Tasks take it (os/loop/task.h).
struct Address {
    Address() = default;
    Address(std::string numeric_host, std::uint16_t number) : host(std::move(numeric_host)), port(number) {}

    std::string host;  // 127.0.0.1, ::1
    std::uint16_t port = 0;
    bool operator==(const Address&) const = default;
};
// "127.0.0.1:8080", "[::1]:8080". kBadRequest when it is neither.
Result<Address> parse_address(std::string_view text);
std::string format_address(const Address& address);

// One reader and one writer at a time. Destroying a stream closes it, and who still reads or writes is never resumed;
// to let them end, close it and destroy it when they have.
class Stream {
public:
    virtual ~Stream() = default;

    // Gives how many bytes were read, at least one; 0 when the peer has ended writing. The buffer must not be empty.
    virtual Task<Result<std::size_t>> read(std::span<char> buffer) = 0;
    // Ends when all bytes are handed over. They must stay where they are until then.
    virtual Task<Result<>> write(std::string_view bytes) = 0;
    // The peer's reads give 0 once it has read the rest.
    virtual void end_writing() = 0;
    // Pending reads and writes end with kCancelled.
    virtual void close() = 0;
    virtual Address peer() const = 0;
};

class Listener {
public:
    virtual ~Listener() = default;

    // The next peer, or kCancelled after close. Other errors pass (too many open files): accept may be called again.
    virtual Task<Result<std::unique_ptr<Stream>>> accept() = 0;
    virtual void close() = 0;
    // With the port that was chosen if port 0 was asked for.
    virtual Address address() const = 0;
};

class Network {
public:
    virtual ~Network() = default;

    virtual Result<std::unique_ptr<Listener>> listen(const Address& address) = 0;
    virtual Task<Result<std::unique_ptr<Stream>>> connect(Address address) = 0;
};

}  // namespace muster::os
