// Which proxy the connections to an API server go through: as client-go decides it.
#pragma once

#include <optional>
#include <string_view>

#include "client/remote/access.h"
#include "os/http/client/http_origin.h"

namespace muster::client {

// The kubeconfig's proxy-url; without one that of the environment: HTTPS_PROXY for a server with TLS, HTTP_PROXY for
// one without, unless NO_PROXY excepts the server or it is on this machine. kBadRequest, with the name of the field or
// variable, when the proxy cannot be used.
Result<std::optional<os::HttpProxy>> find_proxy(const ServerAccess& access, const ReadVariable& variable);

// Whether NO_PROXY names the server. Commas separate its entries:
//     *                     all servers
//     example.org           that host, and the hosts of that domain
//     .example.org          the hosts of that domain; so does *.example.org
//     10.0.0.1, 10.0.0.0/8  an address, a range of addresses
// An entry with a port, such as example.org:6443, is for that port only.
bool is_excepted(const os::HttpOrigin& server, std::string_view no_proxy);

}  // namespace muster::client
