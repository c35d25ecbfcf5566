#include "os/http/server/http_acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "os/errno_error.h"
#include "os/network/socket_address.h"

namespace muster::os {
namespace {

Descriptor open_spare() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool lacks_descriptors(int error) { return error == EMFILE || error == ENFILE; }

}  // namespace

Result<Descriptor> listen_at(const Address& address) {
    TRY_ASSIGN(SocketAddress encoded, encode_address(address));
    Descriptor socket(::socket(encoded.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return errno_error(errno, "open", "a socket");
    const int on = 1;
    ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (::bind(socket.number(), encoded.get(), encoded.size) != 0 || ::listen(socket.number(), SOMAXCONN) != 0)
        return errno_error(errno, "listen at", format_address(address));
    return socket;
}

HttpAcceptor::HttpAcceptor(RealLoop& loop, Descriptor socket, Calls calls)
    : loop_(loop), socket_(std::move(socket)), spare_(open_spare()), calls_(std::move(calls)) {
    loop_.post([this] { watch_ = loop_.watch(socket_.number(), [this](RealLoop::Readiness) { accept_all(); }); });
}

void HttpAcceptor::close() {
    if (!socket_) return;
    loop_.cancel(retry_);
    loop_.unwatch(watch_, socket_.number());
    socket_.close();
    spare_.close();
}

// Until there is none, or until those who are connected should have a turn.
void HttpAcceptor::accept_all() {
    constexpr int kPerTurn = 64;
    for (int i = 0; i < kPerTurn; ++i)
        if (!accept_one()) return;
    pause();
}

// False when there is no more to take now.
bool HttpAcceptor::accept_one() {
    if (!socket_) return false;
    SocketAddress peer;
    Descriptor accepted(::accept4(socket_.number(), peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!accepted) {
        if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
        if (errno == EINTR || errno == ECONNABORTED) return true;
        if (lacks_descriptors(errno) && refuse_one()) return true;
        pause();  // no memory, or no spare descriptor: what waits keeps waiting
        return false;
    }
    if (accepted.number() >= calls_.first_reserved) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        report("connections are refused: the file descriptors that are left are for the store and the node");
        return true;
    }
    if (!calls_.has_room()) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        report("connections are refused: there are too many");
        return true;
    }
    accepted_.fetch_add(1, std::memory_order_relaxed);
    calls_.take(std::move(accepted), decode_address(peer));
    return true;
}

bool HttpAcceptor::refuse_one() {
    report("connections are refused: the process has no file descriptor left");
    if (!spare_) return false;
    spare_.close();
    Descriptor accepted(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    const bool refused = static_cast<bool>(accepted);
    accepted.close();
    spare_ = open_spare();
    if (refused) refused_.fetch_add(1, std::memory_order_relaxed);
    return refused;
}

void HttpAcceptor::pause() {
    loop_.cancel(retry_);
    retry_ = loop_.after(1ms, [this] { accept_all(); });
}

void HttpAcceptor::report(std::string_view problem) {
    const Duration now = loop_.uptime();
    if (!calls_.on_problem || (reported_at_ != Duration::min() && now - reported_at_ < 1s)) return;
    reported_at_ = now;
    calls_.on_problem(problem);
}

}  // namespace muster::os
