#include "os/http/client/http_client_connection.h"

namespace muster::os {

Task<Result<>> ClientConnection::send_out() {
    if (out_.empty()) co_return Result<>();
    const std::string sending = std::exchange(out_, {});
    co_return co_await stream_->write(sending);
}

// More ciphertext for the session; 0 at the end.
Task<Result<std::size_t>> ClientConnection::fill() {
    CO_TRY_ASSIGN(const std::size_t count, co_await stream_->read(received_));
    if (count > 0) tls_->give({received_.data(), count});
    co_return count;
}

Task<Result<>> ClientConnection::shake_hands() {
    if (!tls_) co_return Result<>();
    for (;;) {
        char none;
        // An application byte cannot come before the first request.
        const TlsSession::Read read = tls_->read({&none, 1}, out_);
        const Result<> sent = co_await send_out();
        if (read.outcome == TlsSession::Outcome::kFailed) co_return Error{Code::kUnauthorized, tls_->error()};
        if (!sent) co_return Error(sent.error());
        if (tls_->established()) co_return Result<>();
        CO_TRY_ASSIGN(const std::size_t count, co_await fill());
        if (count == 0) co_return Error{Code::kUnavailable, "the server closed during the TLS handshake"};
    }
}

Task<Result<>> ClientConnection::write(std::string_view bytes) {
    if (!tls_) co_return co_await stream_->write(bytes);
    tls_->write(bytes, out_);
    co_return co_await send_out();
}

Task<Result<std::size_t>> ClientConnection::read(std::span<char> buffer) {
    if (!tls_) co_return co_await stream_->read(buffer);
    for (;;) {
        const TlsSession::Read read = tls_->read(buffer, out_);
        CO_TRY(co_await send_out());
        switch (read.outcome) {
            case TlsSession::Outcome::kPlaintext: co_return read.size;
            case TlsSession::Outcome::kEnded: co_return std::size_t{0};
            case TlsSession::Outcome::kFailed: co_return Error{Code::kUnavailable, tls_->error()};
            case TlsSession::Outcome::kMore: break;
        }
        CO_TRY_ASSIGN(const std::size_t count, co_await fill());
        if (count == 0) co_return std::size_t{0};
    }
}

}  // namespace muster::os
