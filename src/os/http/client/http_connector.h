// Makes the connections of an HTTP client: looks the name up, connects, asks the proxy for a tunnel, shakes hands.
// Errors are those of HttpClient.
#pragma once

#include <memory>
#include <vector>

#include "os/http/client/http_client.h"
#include "os/http/client/http_client_connection.h"

namespace muster::os {

// Null where there is no TLS.
struct TlsContexts {
    TlsContext server{};
    TlsContext proxy{};
};

class Connector {
public:
    // All but the contexts must outlive it, and it must outlive its Tasks.
    Connector(Loop& loop, Network& network, Worker& worker, const HttpClientSettings& settings, TlsContexts tls)
        : loop_(loop), network_(network), worker_(worker), settings_(settings), tls_(std::move(tls)) {}

    using Connection = std::unique_ptr<ClientConnection>;
    Task<Result<Connection>> connect();

private:
    // The place that connections are made to.
    const HttpOrigin& peer() const { return settings_.proxy ? settings_.proxy->origin : settings_.origin; }
    Task<Result<std::vector<Address>>> look_up();
    Task<Result<std::unique_ptr<Stream>>> connect_within(Address address);
    // From a connection to the peer to one that carries requests to the server.
    Task<Result<Connection>> reach_server(std::unique_ptr<Stream> stream);
    // A stream to the proxy, which carries what is given to it onward from then on.
    Task<Result<std::unique_ptr<Stream>>> pass_proxy(std::unique_ptr<Stream> stream);
    Task<Result<>> ask_for_tunnel(Stream& stream);
    Task<Result<Connection>> shake_hands(std::unique_ptr<Stream> stream, TlsContext tls, std::string certified_name,
                                         std::string place);

    Loop& loop_;
    Network& network_;
    Worker& worker_;
    const HttpClientSettings& settings_;
    const TlsContexts tls_;
};

}  // namespace muster::os
