// HTTP as the server sees it: a request whose head has arrived, and the one answer to it. The body is read only when
// the service asks for it, so that a client which may not ask costs no more than its head. The seam between what
// answers and what carries: sockets, TLS and HTTP/1.1 on threads of their own in the product
// (os/http/server/http_server.h), a simulated network in the simulator.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "os/loop/work.h"
#include "os/network/network.h"

namespace muster::os {

struct HttpHeader {
    std::string name;
    std::string value;
};

// What a certificate that our authority signed says of its holder.
struct PeerCertificate {
    std::string common_name;
    std::vector<std::string> organizations;
    std::string fingerprint{};  // SHA-256 of the certificate, in lower-case hex
};

struct HttpRequest {
    std::string method;
    std::string target;               // path and query as sent
    std::vector<HttpHeader> headers;  // names in lower case
    std::string body;                 // empty until the service has put it here (HttpExchange::take_body)
    Address peer;
    std::optional<PeerCertificate> certificate;  // only one that was verified and has not expired since
    std::string certificate_error;               // why one that was shown does not count; empty when none was shown

    // The first of that name (in lower case), empty when absent.
    std::string_view header(std::string_view name) const {
        for (const HttpHeader& header : headers)
            if (header.name == name) return header.value;
        return {};
    }
};

// Bytes that many connections may send at once.
using SharedBytes = std::shared_ptr<const std::string>;

struct HttpResponse {
    int status = 200;
    // Content-Length, Transfer-Encoding, Date are the carrier's to set; a Connection: close is obeyed.
    std::vector<HttpHeader> headers;
    // The bytes, bytes shared with others, or the making of them: that happens on the carrying thread, so it may look
    // only at what never changes.
    std::variant<std::string, SharedBytes, std::function<std::string()>> body;
    // The body takes long to make: a low-priority thread makes and compresses such bodies, one at a time. The function
    // in `body` is destroyed when it has returned, or when the answer is not needed any more.
    bool is_long = false;
};

// The rest of an answer that has begun, chunk by chunk. Destroyed without `finish` it cuts the connection, so that the
// peer does not take a part for the whole. All calls may come from any one thread at a time; after the peer has gone,
// and after `finish`, they do nothing.
class HttpStream {
public:
    virtual ~HttpStream() = default;
    // Never waits: what the peer has not taken yet is kept.
    virtual void write(SharedBytes chunk) = 0;
    virtual void finish() = 0;
    // Bytes written here that the socket has not taken yet. The writer decides how many are too many.
    virtual std::size_t unsent() const = 0;
};

// Bytes both ways, once a request has been answered by going over to another protocol.
class HttpTunnel : public HttpStream {
public:
    // So many of the bytes that were received are done with. Those that are not are at most some tens of kilobytes:
    // then no more are read, and the peer waits.
    virtual void took(std::size_t bytes) = 0;
};

// One request and its answer, which comes from any thread, once: `respond`, `stream` or `upgrade`. Destroyed without an
// answer it closes the connection.
class HttpExchange {
public:
    virtual ~HttpExchange() = default;
    HttpRequest request;

    // Reads the body, once; then calls, on a carrying thread, and `take_body` gives it. It is not called when the peer
    // goes before, or when the carrier refuses the body. A body that is never asked for is not kept: what is left of it
    // when the answer has been given is skipped when it is short, and else the connection ends.
    virtual void read_body(Work arrived) = 0;
    virtual std::string take_body() = 0;

    virtual void respond(HttpResponse response) = 0;
    // Sends the head at once; the response's own body is the first chunk.
    virtual std::unique_ptr<HttpStream> stream(HttpResponse head) = 0;
    // Assigns the request to a flow and a user. Flows take turns, however many requests each sends. The bytes kept for
    // the connection count for the user (os/machine/byte_budget.h); 0 is an unknown user. Only from within
    // HttpService::serve, before the answer is given.
    virtual void belongs_to(std::uint64_t flow, std::uint64_t user) = 0;
    // Answers with this head, a 101; what the peer sends from then on goes to `received`, on a carrying thread.
    using OnReceived = std::function<void(std::string_view bytes)>;
    virtual std::unique_ptr<HttpTunnel> upgrade(HttpResponse head, OnReceived received) = 0;
    // Calls, on a carrying thread, when the peer has gone before the answer was complete (at once when it has already).
    // To be set before the answer is given; never called after the answer is complete.
    virtual void when_gone(Work work) = 0;
};

class HttpService {
public:
    virtual ~HttpService() = default;
    // Called on a carrying thread, and on several of them at once.
    virtual void serve(std::unique_ptr<HttpExchange> exchange) = 0;
};

}  // namespace muster::os
