// Where a server or a proxy is, from its URL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::os {

// "https://host:6443/prefix".
struct HttpOrigin {
    bool tls = true;
    std::string host;  // a name or a numeric address
    std::uint16_t port = 443;
    std::string prefix;  // put before every target; empty or "/…" without a slash at its end

    bool operator==(const HttpOrigin&) const = default;
};
// kBadRequest when it is not such a text.
Result<HttpOrigin> parse_origin(std::string_view url);
// "host:6443", "[::1]:6443".
std::string host_and_port(const HttpOrigin& origin);

struct HttpProxy {
    HttpOrigin origin;
    std::string authorization{};  // the value of Proxy-Authorization; empty: none is sent

    bool operator==(const HttpProxy&) const = default;
};
// "http://user:password@host:3128", or with https:// when the proxy itself is reached over TLS. kBadRequest when it is
// not such a text or has another scheme; the message does not show the URL, which may hold a password.
Result<HttpProxy> parse_proxy(std::string_view url);

}  // namespace muster::os
