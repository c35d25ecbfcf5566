// HTTP/1.1 from the asking side, on the loop: for our own command line, and for the controllers when the API server is
// a cluster's. Connections are kept and used again; a response is read whole, or line by line as a watch sends it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/http/client/http_origin.h"
#include "os/http/http.h"
#include "os/http/tls_context.h"
#include "os/network/network.h"

namespace muster::os {

struct HttpClientSettings {
    HttpOrigin origin;
    TlsClientSettings tls{};
    std::optional<HttpProxy> proxy{};  // with CONNECT to a server with TLS; else it gets the requests themselves
    TlsClientSettings proxy_tls{};     // when the proxy itself is reached over TLS
    std::string server_name{};         // that the certificate must be for, when not the origin's host
    std::string bearer_token{};        // sent with every request unless empty
    std::string user_agent = "muster";
    bool accepts_gzip = false;       // asks for whole answers to GET in a smaller form, and decodes them
    Duration connect_timeout = 10s;  // to look the name up and connect; then once more for the handshake
    Duration answer_timeout = 60s;   // to the first byte of the answer, and between any two of a whole answer
    Duration keep_timeout = 60s;     // an unused connection is kept so long
    std::size_t kept_max = 8;        // and so many of them
    std::size_t body_bytes_max = 1u << 30;
    std::size_t line_bytes_max = 64u << 20;
};

struct HttpClientRequest {
    HttpClientRequest(std::string verb, std::string path) : method(std::move(verb)), target(std::move(path)) {}

    std::string method;
    std::string target;
    std::vector<HttpHeader> headers;  // Host, Content-Length, Authorization and User-Agent are set unless given
    std::string body;
    std::optional<Duration> answer_timeout;  // in place of the client's own
    std::optional<Duration> silence_max;     // between two reads of an answer that was opened; without it, no limit
    // Asked when a connection is there and nothing is sent yet. An error is the result, and nothing is sent.
    std::function<Result<>()> check;
};

struct HttpAnswerHead {
    int status = 0;
    std::vector<HttpHeader> headers;  // names in lower case

    std::string_view header(std::string_view name) const;
};

struct HttpWholeAnswer {
    HttpAnswerHead head;
    std::string body;
};

// An answer whose head has arrived and whose body is still arriving. Destroying it before its end closes its
// connection. One read at a time.
class HttpIncoming {
public:
    virtual ~HttpIncoming() = default;
    virtual const HttpAnswerHead& head() const = 0;
    // The next bytes, at least one; nothing at the end. kUnavailable when the connection broke before it.
    virtual Task<Result<std::optional<std::string>>> next() = 0;
    // The next line without its end; the last need not have one. kTooLarge beyond the client's limit.
    virtual Task<Result<std::optional<std::string>>> next_line() = 0;
};

// Errors say what could not be reached and why. kUnavailable: not there, or gone in the middle; kTimeout;
// kUnauthorized: the certificate of the server or of the proxy is not trusted; kTooLarge: the answer is beyond the
// limits; kBadRequest: it is no HTTP, or the request cannot be sent as it is. A status such as 404 is an answer, not an
// error.
class HttpClient {
public:
    virtual ~HttpClient() = default;

    virtual Task<Result<HttpWholeAnswer>> send(HttpClientRequest request) = 0;
    // Ends when the head has arrived; the body has all the time it wants, but for the request's `silence_max`.
    virtual Task<Result<std::unique_ptr<HttpIncoming>>> open(HttpClientRequest request) = 0;
};

// Names are looked up on `worker`. All three must outlive the client; it must outlive the Tasks it gave, but not the
// HttpIncomings. kBadRequest when a certificate or key cannot be read.
Result<std::unique_ptr<HttpClient>> make_http_client(Loop& loop, Network& network, Worker& worker,
                                                     HttpClientSettings settings);

}  // namespace muster::os
