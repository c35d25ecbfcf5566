// HTTP/1.1 over TLS: a listening socket and the threads that carry its connections. What arrives whole and well formed
// is given to the service; the rest is answered or cut here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "os/http/http.h"
#include "os/http/http_limits.h"
#include "os/http/tls_context.h"
#include "os/machine/byte_budget.h"

namespace muster::os {

struct HttpServerOptions {
    Address listen{"127.0.0.1", 0};          // port 0 picks a free one
    int carrying_threads = 2;                //
    HttpLimits limits{};                     //
    std::optional<TlsServerSettings> tls{};  // without it, plain HTTP
    std::shared_ptr<ByteBudget> budget{};    // of what is kept for clients; without it, one with the usual limits
    // Told, on a carrying thread, what an operator should know (connections refused); at most once a second.
    std::function<void(std::string_view)> on_problem{};
};

struct HttpServerCounts {
    std::size_t connections = 0;  // now
    std::uint64_t accepted = 0;   // since the start
    std::uint64_t refused = 0;    // because there were too many, or no descriptor was left
    std::uint64_t requests = 0;   // given to the service
};

class HttpServer {
public:
    virtual ~HttpServer() = default;  // cuts what is still connected; the service is not called any more

    // Where it listens, with the port that was chosen.
    virtual const Address& address() const = 0;
    // Takes connections at another address, too, until it is stopped; port 0 is not for this.
    virtual Result<> listen_also(const Address& address) = 0;
    // For connections made from now on. Nothing changes when it fails.
    virtual Result<> replace_tls(const TlsServerSettings& settings) = 0;
    // Takes no more connections and closes idle ones. Ends streams where they are; their writers are told that the peer
    // has gone. Requests that are being answered have until `grace`. Calls `stopped` on a carrying thread when no
    // connection is left. To be called once.
    virtual void stop(Duration grace, Work stopped) = 0;
    virtual HttpServerCounts counts() const = 0;
};

// Serves from now on. The service must outlive the server; answers may come after both.
Result<std::unique_ptr<HttpServer>> start_http_server(const HttpServerOptions& options, HttpService& service);

}  // namespace muster::os
