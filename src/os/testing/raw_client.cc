#include "os/testing/raw_client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>

#include "os/network/socket_address.h"

namespace muster::os {

std::string RawResponse::header(std::string_view name) const {
    const std::string line = "\r\n" + std::string(name) + ": ";
    const std::size_t at = head.find(line);
    if (at == std::string::npos) return {};
    const std::size_t start = at + line.size();
    return head.substr(start, head.find("\r\n", start) - start);
}

RawClient::RawClient(const Address& address, TlsContext context) {
    SocketAddress encoded = encode_address(address).value();
    socket_ = Descriptor(::socket(encoded.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    const int on = 1;
    ::setsockopt(socket_.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (::connect(socket_.number(), encoded.get(), encoded.size) != 0) {
        error_ = std::strerror(errno);
        return;
    }
    connected_ = true;
    if (!context) return;
    tls_ = TlsSession::of_client(context, address.host);
    std::string out;
    char none[1];
    tls_->read(none, out);
    connected_ = send_raw(out);
    while (connected_ && !tls_->established()) connected_ = fill();
}

bool RawClient::send_raw(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool RawClient::send(std::string_view bytes) {
    if (!tls_) return send_raw(bytes);
    std::string out;
    tls_->write(bytes, out);
    return send_raw(out);
}

// Reads once from the socket. False at the end.
bool RawClient::fill() {
    if (ended_) return false;
    char ciphertext[32u << 10];
    const ssize_t count = ::recv(socket_.number(), ciphertext, sizeof(ciphertext), 0);
    if (count <= 0) {
        ended_ = true;
        error_ = count == 0 ? "closed" : std::strerror(errno);
        return false;
    }
    const std::string_view bytes(ciphertext, static_cast<std::size_t>(count));
    if (!tls_) {
        received_ += bytes;
        return true;
    }
    tls_->give(bytes);
    for (;;) {
        char plaintext[16u << 10];
        std::string out;
        const TlsSession::Read read = tls_->read(plaintext, out);
        send_raw(out);
        if (read.outcome == TlsSession::Outcome::kPlaintext) {
            received_.append(plaintext, read.size);
            continue;
        }
        if (read.outcome == TlsSession::Outcome::kMore) return true;
        ended_ = true;
        error_ = tls_->error();
        return !received_.empty();
    }
}

std::string RawClient::receive() {
    while (received_.empty() && fill()) {
    }
    return std::exchange(received_, {});
}

std::string RawClient::receive_all() {
    while (fill()) {
    }
    return std::exchange(received_, {});
}

std::string RawClient::receive_until(std::string_view text) {
    std::size_t at;
    while ((at = received_.find(text)) == std::string::npos)
        if (!fill()) return std::exchange(received_, {});
    std::string taken = received_.substr(0, at + text.size());
    received_.erase(0, taken.size());
    return taken;
}

std::string RawClient::read_chunked() {
    std::string body;
    for (;;) {
        const std::size_t size = std::strtoul(receive_until("\r\n").c_str(), nullptr, 16);
        while (received_.size() < size + 2)
            if (!fill()) return body;
        body.append(received_, 0, size);
        received_.erase(0, size + 2);
        if (size == 0) return body;
    }
}

std::optional<RawResponse> RawClient::read_response(bool to_head) {
    RawResponse response;
    response.head = receive_until("\r\n\r\n");
    if (!response.head.starts_with("HTTP/1.") || !response.head.ends_with("\r\n\r\n")) return std::nullopt;
    response.status = std::atoi(response.head.c_str() + 9);
    const std::string length = response.header("Content-Length");
    if (to_head || response.status / 100 == 1 || response.status == 204) return response;
    if (response.header("Transfer-Encoding") == "chunked") {
        response.body = read_chunked();
    } else if (length.empty()) {
        response.body = receive_all();
    } else {
        const std::size_t size = std::strtoul(length.c_str(), nullptr, 10);
        while (received_.size() < size)
            if (!fill()) return std::nullopt;
        response.body = received_.substr(0, size);
        received_.erase(0, size);
    }
    return response;
}

std::optional<RawResponse> RawClient::get(std::string_view target, std::string_view headers) {
    send("GET " + std::string(target) + " HTTP/1.1\r\nHost: test\r\n" + std::string(headers) + "\r\n");
    return read_response();
}

bool RawClient::closed_by_peer() {
    while (!ended_) {
        received_.clear();
        if (!fill() && !ended_) return false;
    }
    return error_ != std::strerror(EAGAIN);
}

void RawClient::end_writing() { ::shutdown(socket_.number(), SHUT_WR); }

}  // namespace muster::os
