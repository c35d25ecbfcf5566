#include "test/e2e/withstand/raw_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"

namespace muster::e2e {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

milliseconds left_until(Clock::time_point end) {
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(end - Clock::now()));
}

struct FreeBio {
    void operator()(BIO* bio) const { BIO_free(bio); }
};
std::unique_ptr<BIO, FreeBio> bio_of(const std::string& text) {
    return std::unique_ptr<BIO, FreeBio>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

void use_identity(SSL_CTX* context, const PeerIdentity& identity) {
    if (identity.certificate.empty()) return;
    X509* certificate = PEM_read_bio_X509(bio_of(identity.certificate).get(), nullptr, nullptr, nullptr);
    EVP_PKEY* key = PEM_read_bio_PrivateKey(bio_of(identity.key).get(), nullptr, nullptr, nullptr);
    CHECK(certificate && key);
    CHECK(SSL_CTX_use_certificate(context, certificate) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

}  // namespace

PeerContext::PeerContext(const PeerIdentity& identity, int newest_tls) : context_(SSL_CTX_new(TLS_client_method())) {
    use_identity(context_, identity);
    SSL_CTX_set_max_proto_version(context_, newest_tls);
    SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_set_app_data(context_, this);
    SSL_CTX_sess_set_new_cb(context_, &PeerContext::keep_session);
}

PeerContext::~PeerContext() {
    SSL_SESSION_free(session_);
    SSL_CTX_free(context_);
}

int PeerContext::keep_session(SSL* ssl, SSL_SESSION* session) {
    auto* self = static_cast<PeerContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
    if (self->session_) return 0;
    self->session_ = session;
    return 1;
}

RawPeer::RawPeer(int port, int receive_bytes) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (socket_ < 0) return;
    if (receive_bytes) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const timeval limit{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return;
    ::close(socket_);
    socket_ = -1;
}

RawPeer::~RawPeer() {
    // OpenSSL would not resume the session of a connection that was cut, and here that is nothing to hold against it.
    if (ssl_) SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(ssl_);
    if (socket_ >= 0) ::close(socket_);
}

RawPeer::RawPeer(RawPeer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      ssl_(std::exchange(other.ssl_, nullptr)),
      closed_(other.closed_),
      received_(std::move(other.received_)) {}

bool RawPeer::handshake(const PeerContext& context) {
    ssl_ = SSL_new(context.context());
    SSL_set_fd(ssl_, socket_);
    if (context.session()) SSL_set_session(ssl_, context.session());
    const bool done = SSL_connect(ssl_) == 1;
    ERR_clear_error();
    return done;
}

bool RawPeer::send_plain(std::string_view bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool RawPeer::send(std::string_view bytes) {
    if (bytes.empty()) return true;
    const bool sent = SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
    ERR_clear_error();
    return sent;
}

bool RawPeer::receive(milliseconds time) {
    if (closed_) return false;
    if (SSL_pending(ssl_) == 0) {
        pollfd ready{socket_, POLLIN, 0};
        if (::poll(&ready, 1, static_cast<int>(time.count())) <= 0) return false;
    }
    char chunk[16 << 10];
    const int count = SSL_read(ssl_, chunk, sizeof(chunk));
    ERR_clear_error();
    if (count > 0) received_.append(chunk, static_cast<std::size_t>(count));
    closed_ = count <= 0;
    return count > 0;
}

std::string RawPeer::read_until(std::string_view until, milliseconds time) {
    const auto end = Clock::now() + time;
    while (received_.find(until) == std::string::npos && left_until(end).count() > 0 && !closed_)
        receive(left_until(end));
    return received_;
}

std::string RawPeer::read_answer() {
    const std::string head = read_until("\r\n\r\n");
    const std::size_t body = head.find("\r\n\r\n");
    if (body == std::string::npos) return std::exchange(received_, {});
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t at = head.substr(0, body).find(kLength);
    std::size_t length = 0;
    if (at != std::string::npos) std::from_chars(head.data() + at + kLength.size(), head.data() + head.size(), length);
    const auto end = Clock::now() + std::chrono::seconds(30);
    while (received_.size() < body + 4 + length && !closed_ && left_until(end).count() > 0) receive(left_until(end));
    std::string answer = received_.substr(0, body + 4 + length);
    received_.erase(0, answer.size());
    return answer;
}

bool RawPeer::closes_within(milliseconds time) {
    const auto end = Clock::now() + time;
    while (!closed_ && left_until(end).count() > 0) {
        receive(left_until(end));
        received_.clear();
    }
    return closed_;
}

void RawPeer::reset() {
    const linger at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    ::close(socket_);
    socket_ = -1;
}

void RawPeer::shut_down_sending() { ::shutdown(socket_, SHUT_WR); }

int status_of(std::string_view answer) {
    int status = 0;
    if (answer.starts_with("HTTP/1.1 ")) std::from_chars(answer.data() + 9, answer.data() + answer.size(), status);
    return status;
}

}  // namespace muster::e2e
