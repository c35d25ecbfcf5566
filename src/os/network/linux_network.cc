#include "os/network/linux_network.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "os/descriptor.h"
#include "os/errno_error.h"
#include "os/network/socket_address.h"

namespace muster::os {
namespace {

void set_option(const Descriptor& socket, int level, int option, int value = 1) {
    CHECK(::setsockopt(socket.number(), level, option, &value, sizeof(value)) == 0, std::strerror(errno));
}

// A peer that vanished without a word (a pulled cable, a load balancer that failed over) is noticed after a minute.
void notice_lost_peer(const Descriptor& socket) {
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE);
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 45'000);
}

// A socket and the coroutines that wait for it. A coroutine tries first, waits when the kernel says EAGAIN, and tries
// again when it is woken.
class Socket {
public:
    Socket(RealLoop& loop, Descriptor socket)
        : loop_(loop), socket_(std::move(socket)), readable(loop), writable(loop) {
        watch_ = loop_.watch(socket_.number(), [this](RealLoop::Readiness ready) {
            if (ready.readable) readable.notify();
            if (ready.writable) writable.notify();
        });
    }
    // A coroutine that still waits is never resumed.
    ~Socket() {
        if (!closed()) loop_.unwatch(watch_, socket_.number());
    }

    int number() const { return socket_.number(); }
    bool closed() const { return !socket_; }
    void close() {
        if (closed()) return;
        loop_.unwatch(watch_, socket_.number());
        socket_.close();
        readable.notify();
        writable.notify();
    }

private:
    RealLoop& loop_;
    Descriptor socket_;
    RealLoop::WatchId watch_ = 0;

public:
    Event readable;
    Event writable;
};

Error closed_error() { return {Code::kCancelled, "closed on our side"}; }

class LinuxStream final : public Stream {
public:
    LinuxStream(RealLoop& loop, Descriptor socket, Address peer)
        : socket_(loop, std::move(socket)), peer_(std::move(peer)) {}

    Task<Result<std::size_t>> read(std::span<char> buffer) override {
        CHECK(!buffer.empty());
        while (!socket_.closed()) {
            const ssize_t count = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
            if (count >= 0) co_return static_cast<std::size_t>(count);
            if (would_block(errno))
                co_await socket_.readable.wait();
            else if (errno != EINTR)
                co_return errno_error(errno, "read from", format_address(peer_));
        }
        co_return closed_error();
    }

    Task<Result<>> write(std::string_view bytes) override {
        while (!bytes.empty() && !socket_.closed()) {
            const ssize_t count = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count >= 0)
                bytes.remove_prefix(static_cast<std::size_t>(count));
            else if (would_block(errno))
                co_await socket_.writable.wait();
            else if (errno != EINTR)
                co_return errno_error(errno, "write to", format_address(peer_));
        }
        if (!bytes.empty()) co_return closed_error();
        co_return Result<>();
    }

    void end_writing() override {
        if (!socket_.closed()) ::shutdown(socket_.number(), SHUT_WR);
    }
    void close() override { socket_.close(); }
    Address peer() const override { return peer_; }

private:
    Socket socket_;
    const Address peer_;
};

class LinuxListener final : public Listener {
public:
    LinuxListener(RealLoop& loop, Descriptor socket, Address address)
        : loop_(loop), socket_(loop, std::move(socket)), address_(std::move(address)) {}

    Task<Result<std::unique_ptr<Stream>>> accept() override {
        while (!socket_.closed()) {
            SocketAddress peer;
            Descriptor accepted(::accept4(socket_.number(), peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (accepted) {
                set_option(accepted, IPPROTO_TCP, TCP_NODELAY);
                co_return std::make_unique<LinuxStream>(loop_, std::move(accepted), decode_address(peer));
            }
            if (would_block(errno))
                co_await socket_.readable.wait();
            else if (errno != EINTR && errno != ECONNABORTED)
                co_return errno_error(errno, "accept at", format_address(address_));
        }
        co_return closed_error();
    }

    void close() override { socket_.close(); }
    Address address() const override { return address_; }

private:
    RealLoop& loop_;
    Socket socket_;
    const Address address_;
};

Result<Descriptor> open_socket(const SocketAddress& address) {
    Descriptor socket(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return errno_error(errno, "open", "a socket");
    return socket;
}

// Waits for the end of a connect that the kernel has begun, and gives its errno.
Task<int> await_connected(RealLoop& loop, int socket) {
    Event writable(loop);
    struct Watch {
        RealLoop& loop;
        int socket;
        RealLoop::WatchId id;
        ~Watch() { loop.unwatch(id, socket); }
    };
    bool ready = false;
    const Watch watch{loop, socket, loop.watch(socket, [&](RealLoop::Readiness readiness) {
                          ready = ready || readiness.writable;
                          writable.notify();
                      })};
    while (!ready) co_await writable.wait();
    int error = 0;
    socklen_t size = sizeof(error);
    CHECK(::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0, std::strerror(errno));
    co_return error;
}

}  // namespace

Result<std::unique_ptr<Listener>> LinuxNetwork::listen(const Address& address) {
    TRY_ASSIGN(SocketAddress encoded, encode_address(address));
    TRY_ASSIGN(Descriptor socket, open_socket(encoded));
    set_option(socket, SOL_SOCKET, SO_REUSEADDR);
    if (::bind(socket.number(), encoded.get(), encoded.size) != 0 || ::listen(socket.number(), SOMAXCONN) != 0)
        return errno_error(errno, "listen at", format_address(address));
    SocketAddress bound;
    CHECK(::getsockname(socket.number(), bound.get(), &bound.size) == 0, std::strerror(errno));
    return std::unique_ptr<Listener>(std::make_unique<LinuxListener>(loop_, std::move(socket), decode_address(bound)));
}

Task<Result<std::unique_ptr<Stream>>> LinuxNetwork::connect(Address address) {
    CO_TRY_ASSIGN(SocketAddress encoded, encode_address(address));
    CO_TRY_ASSIGN(Descriptor socket, open_socket(encoded));
    set_option(socket, IPPROTO_TCP, TCP_NODELAY);
    notice_lost_peer(socket);
    int error = ::connect(socket.number(), encoded.get(), encoded.size) == 0 ? 0 : errno;
    if (error == EINPROGRESS) error = co_await await_connected(loop_, socket.number());
    if (error != 0) co_return errno_error(error, "connect to", format_address(address));
    co_return std::make_unique<LinuxStream>(loop_, std::move(socket), std::move(address));
}

}  // namespace muster::os
