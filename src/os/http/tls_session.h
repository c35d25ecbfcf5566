// One side of one TLS connection, without the connection: ciphertext in, plaintext out and the other way round. Who
// uses it carries the bytes, so that the same session serves a thread that holds thousands of sockets and a coroutine
// that holds one. It keeps no buffers while nothing is half received.
#pragma once

#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "os/http/http.h"
#include "os/http/tls_context.h"

extern "C" {
struct ssl_st;
}

namespace muster::os {

// The peer's identity after the handshake. A client certificate that our authorities did not sign, that is not for
// clients or that is not valid now gives an error and no name.
struct TlsPeer {
    std::optional<PeerCertificate> certificate;
    std::string error;
    std::time_t not_before = 0;
    std::time_t not_after = 0;

    bool is_timely(std::time_t now) const { return not_before <= now && now <= not_after; }
};

class TlsSession {
public:
    static std::unique_ptr<TlsSession> of_server(const TlsContext& context);
    // `host` is the name or numeric address that the server's certificate must be for.
    static std::unique_ptr<TlsSession> of_client(const TlsContext& context, const std::string& host);
    TlsSession(const TlsSession&) = delete;
    TlsSession& operator=(const TlsSession&) = delete;
    ~TlsSession();

    // Ciphertext that arrived. It must stay where it is until `read` has asked for more.
    void give(std::string_view ciphertext);

    enum class Outcome {
        kPlaintext,  // `size` bytes of it
        kMore,       // all that was given is used up
        kEnded,      // the peer has said that no more will come
        kFailed,     // `error` says why; `out` may hold an alert that is worth sending
    };
    struct Read {
        Outcome outcome;
        std::size_t size = 0;
    };
    // The next plaintext; shakes hands first. Whatever there is to tell the peer is appended to `out`.
    Read read(std::span<char> plaintext, std::string& out);
    // Appends the records of `plaintext` to `out`: one per 16 KB. To be called once established.
    void write(std::string_view plaintext, std::string& out);
    // Appends the notice that nothing more will be sent.
    void end(std::string& out);

    bool established() const { return established_; }
    const std::string& error() const { return error_; }
    // To be called once established.
    TlsPeer peer() const;

private:
    friend struct TlsSessionBio;
    explicit TlsSession(const TlsContext& context);
    Outcome shake_hands();
    Outcome outcome_of(int result);

    ssl_st* ssl_;
    std::string_view input_;
    std::string* out_ = nullptr;  // only within a call
    bool established_ = false;
    bool failed_ = false;
    std::string error_;
};

}  // namespace muster::os
