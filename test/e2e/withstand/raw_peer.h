// A client that does as badly as it likes: TCP and TLS by hand, so that it can send half a handshake or half a request,
// say nothing, not read, or vanish at any moment. Blocking, with a time limit on every call.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace muster::e2e {

// Certificate and key as PEM; empty texts show none.
struct PeerIdentity {
    std::string certificate{};
    std::string key{};
};

// Settings that many peers share, and the session that the next of them resumes.
class PeerContext {
public:
    // `newest_tls`: the newest version that is offered, 0 for all.
    explicit PeerContext(const PeerIdentity& identity = {}, int newest_tls = 0);
    ~PeerContext();
    PeerContext(const PeerContext&) = delete;
    PeerContext& operator=(const PeerContext&) = delete;

    SSL_CTX* context() const { return context_; }
    SSL_SESSION* session() const { return session_; }

private:
    static int keep_session(SSL* ssl, SSL_SESSION* session);

    SSL_CTX* context_;
    SSL_SESSION* session_ = nullptr;
};

class RawPeer {
public:
    // Connects; `receive_bytes` is how much the kernel may take for it, 0 for the usual.
    explicit RawPeer(int port, int receive_bytes = 0);
    ~RawPeer();
    RawPeer(RawPeer&& other) noexcept;
    RawPeer& operator=(RawPeer&&) = delete;

    bool connected() const { return socket_ >= 0; }
    // False when the server did not take it.
    bool handshake(const PeerContext& context);
    // In clear, past TLS.
    bool send_plain(std::string_view bytes);
    // False when the server has closed.
    bool send(std::string_view bytes);
    // What has come when `until` is in it, when the server closes, or when the time is over.
    std::string read_until(std::string_view until, std::chrono::milliseconds time = std::chrono::seconds(30));
    // One answer with its body; empty when none came.
    std::string read_answer();
    // Whether the server closes within that time; what comes before is thrown away.
    bool closes_within(std::chrono::milliseconds time);
    // Vanishes without a word.
    void reset();
    void shut_down_sending();

private:
    // False when nothing came in that time; `closed_` when nothing can come any more.
    bool receive(std::chrono::milliseconds time);

    int socket_ = -1;
    SSL* ssl_ = nullptr;
    bool closed_ = false;
    std::string received_;
};

// 404 of "HTTP/1.1 404 Not Found…"; 0 when it is no answer.
int status_of(std::string_view answer);

}  // namespace muster::e2e
