// A client's connection to a server, over TLS or not: bytes of HTTP go in and out.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "os/http/tls_session.h"
#include "os/network/network.h"

namespace muster::os {

class ClientConnection {
public:
    // `tls` is null for plain HTTP.
    ClientConnection(std::unique_ptr<Stream> stream, std::unique_ptr<TlsSession> tls)
        : stream_(std::move(stream)), tls_(std::move(tls)) {}

    // Errors as HttpClient's.
    Task<Result<>> shake_hands();
    // The bytes must stay where they are until it ends.
    Task<Result<>> write(std::string_view bytes);
    // At least one byte; 0 when the server has ended.
    Task<Result<std::size_t>> read(std::span<char> buffer);
    // Pending reads and writes end with kCancelled.
    void close() { stream_->close(); }
    Address peer() const { return stream_->peer(); }

private:
    Task<Result<>> send_out();
    Task<Result<std::size_t>> fill();

    std::unique_ptr<Stream> stream_;
    std::unique_ptr<TlsSession> tls_;
    std::string out_;
    std::array<char, 16u << 10> received_;
};

// Closes the connection when its time is over, unless it is destroyed before.
class ConnectionDeadline {
public:
    // Without a limit, never.
    ConnectionDeadline(Loop& loop, ClientConnection& connection, std::optional<Duration> limit) : loop_(loop) {
        if (!limit) return;
        timer_ = loop.after(*limit, [this, &connection] {
            expired_ = true;
            connection.close();
        });
    }
    ConnectionDeadline(const ConnectionDeadline&) = delete;
    ConnectionDeadline& operator=(const ConnectionDeadline&) = delete;
    ~ConnectionDeadline() {
        if (timer_ != 0) loop_.cancel(timer_);
    }
    bool expired() const { return expired_; }

private:
    Loop& loop_;
    TimerId timer_ = 0;
    bool expired_ = false;
};

}  // namespace muster::os
