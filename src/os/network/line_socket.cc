#include "os/network/line_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "os/errno_error.h"

namespace muster::os {
namespace {

// The name of a socket has room for 107 characters, which a data directory can exceed: it is reached through a
// descriptor of its directory.
struct SocketName {
    Descriptor directory;
    sockaddr_un address{};
};

Result<SocketName> socket_name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash);
    SocketName name{Descriptor(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))};
    if (!name.directory) return errno_error(errno, "open", directory);
    const std::string through = "/proc/self/fd/" + std::to_string(name.directory.number()) + '/' +
                                path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (through.size() >= sizeof name.address.sun_path) return errno_error(ENAMETOOLONG, "name", path);
    name.address.sun_family = AF_UNIX;
    std::memcpy(name.address.sun_path, through.c_str(), through.size() + 1);
    return name;
}

Descriptor new_socket() { return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

}  // namespace

Result<std::unique_ptr<LineSocket>> LineSocket::connect(RealLoop& loop, const std::string& path) {
    TRY_ASSIGN(const SocketName name, socket_name(path));
    Descriptor socket = new_socket();
    if (!socket) return errno_error(errno, "make a socket for", path);
    if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&name.address), sizeof name.address) != 0)
        return errno_error(errno, "connect to", path);
    return std::make_unique<LineSocket>(loop, std::move(socket));
}

LineSocket::LineSocket(RealLoop& loop, Descriptor socket) : loop_(loop), socket_(std::move(socket)) {}

LineSocket::~LineSocket() { close(); }

void LineSocket::listen(OnLines on_lines, OnClose on_close) {
    on_lines_ = std::move(on_lines);
    on_close_ = std::move(on_close);
    watch_ = loop_.watch(socket_.number(), [this](RealLoop::Readiness ready) { on_ready(ready); });
}

void LineSocket::send(std::string_view lines) {
    if (!socket_) return;
    waiting_.append(lines);
    write_some();
}

void LineSocket::on_ready(RealLoop::Readiness ready) {
    if (ready.writable) write_some();
    if (ready.readable) read_all();
}

void LineSocket::read_all() {
    bool ended = false;
    char buffer[65536];
    while (socket_) {
        const ssize_t count = ::recv(socket_.number(), buffer, sizeof buffer, 0);
        if (count > 0) {
            received_.append(buffer, static_cast<std::size_t>(count));
            continue;
        }
        if (count < 0 && errno == EINTR) continue;
        ended = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
        break;
    }
    std::vector<std::string> lines;
    std::size_t from = 0;
    for (std::size_t end = received_.find('\n'); end != std::string::npos; end = received_.find('\n', from)) {
        lines.push_back(received_.substr(from, end - from));
        from = end + 1;
    }
    received_.erase(0, from);
    if (!lines.empty()) on_lines_(std::move(lines));
    if (!ended || !socket_) return;
    close();
    on_close_();
}

void LineSocket::write_some() {
    std::size_t sent = 0;
    while (socket_ && sent < waiting_.size()) {
        const ssize_t count = ::send(socket_.number(), waiting_.data() + sent, waiting_.size() - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        // That the peer is gone is learnt by reading.
        if (count < 0) break;
        sent += static_cast<std::size_t>(count);
    }
    waiting_.erase(0, sent);
}

void LineSocket::close() {
    if (watch_ != 0) loop_.unwatch(std::exchange(watch_, 0), socket_.number());
    socket_.close();
}

Result<std::unique_ptr<LineListener>> LineListener::open(RealLoop& loop, const std::string& path, OnAccept on_accept) {
    TRY_ASSIGN(const SocketName name, socket_name(path));
    ::unlink(path.c_str());
    Descriptor socket = new_socket();
    if (!socket) return errno_error(errno, "make a socket for", path);
    if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&name.address), sizeof name.address) != 0 ||
        ::listen(socket.number(), SOMAXCONN) != 0)
        return errno_error(errno, "listen on", path);
    return std::make_unique<LineListener>(loop, std::move(socket), std::move(on_accept));
}

LineListener::LineListener(RealLoop& loop, Descriptor socket, OnAccept on_accept)
    : loop_(loop), socket_(std::move(socket)), on_accept_(std::move(on_accept)) {
    watch_ = loop_.watch(socket_.number(), [this](RealLoop::Readiness) { accept_all(); });
}

LineListener::~LineListener() { loop_.unwatch(watch_, socket_.number()); }

void LineListener::accept_all() {
    for (;;) {
        Descriptor peer(::accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!peer) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            return;
        }
        on_accept_(std::make_unique<LineSocket>(loop_, std::move(peer)));
    }
}

}  // namespace muster::os
