// A client for tests that sends exactly the bytes it is told to, over TLS or not, and waits for what comes back. It
// blocks, and gives up after ten seconds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "os/descriptor.h"
#include "os/http/tls_session.h"
#include "os/network/network.h"

namespace muster::os {

struct RawResponse {
    int status = 0;
    std::string head;
    std::string body;  // chunks put together; decoding is the caller's

    // The value of that header, empty when absent; the name as sent.
    std::string header(std::string_view name) const;
};

class RawClient {
public:
    // Without a context it speaks plain TCP. Connects and shakes hands; `connected` tells whether that went well.
    explicit RawClient(const Address& address, TlsContext context = nullptr);

    bool connected() const { return connected_; }
    const std::string& error() const { return error_; }
    // False when the peer has closed.
    bool send(std::string_view bytes);
    // Sends to the socket past TLS.
    bool send_raw(std::string_view bytes);
    // Whatever comes next, empty at the end.
    std::string receive();
    // Everything until the peer closes.
    std::string receive_all();
    // Until `text` has been received; gives all up to and including it, and keeps the rest.
    std::string receive_until(std::string_view text);
    // One whole response; nothing when the peer closed before its end.
    std::optional<RawResponse> read_response(bool to_head = false);
    // "GET / HTTP/1.1" and so on, and the response.
    std::optional<RawResponse> get(std::string_view target, std::string_view headers = {});
    // Whether the peer has closed, or does within ten seconds.
    bool closed_by_peer();
    void end_writing();
    void close() { socket_.close(); }
    int descriptor() const { return socket_.number(); }
    TlsSession* tls() { return tls_.get(); }

private:
    bool fill();
    std::string read_chunked();

    Descriptor socket_;
    std::unique_ptr<TlsSession> tls_;
    std::string received_;  // plaintext that is not taken yet
    bool connected_ = false;
    bool ended_ = false;
    std::string error_;
};

}  // namespace muster::os
