#include "os/http/client/http_origin.h"

#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::os {
namespace {

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// "p%40ss" → "p@ss"
std::optional<std::string> unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::string base64(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // it ends with a zero
    const int size =
        ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                          reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    out.resize(static_cast<std::size_t>(size));
    return out;
}

// Of "user:password", each escaped as URLs have them.
std::optional<std::string> basic_authorization(std::string_view user) {
    const std::size_t colon = std::min(user.find(':'), user.size());
    const auto name = unescape(user.substr(0, colon));
    const auto password = unescape(user.substr(std::min(colon + 1, user.size())));
    if (!name || !password) return std::nullopt;
    return "Basic " + base64(*name + ":" + *password);
}

}  // namespace

Result<HttpOrigin> parse_origin(std::string_view url) {
    const Error refusal{Code::kBadRequest, "not a server's URL such as https://127.0.0.1:6443: " + std::string(url)};
    HttpOrigin origin;
    std::string_view rest = url;
    origin.tls = rest.starts_with("https://");
    if (!origin.tls && !rest.starts_with("http://")) return refusal;
    rest.remove_prefix(origin.tls ? 8 : 7);
    origin.port = origin.tls ? 443 : 80;
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    origin.prefix = rest.substr(slash);
    while (origin.prefix.ends_with('/')) origin.prefix.pop_back();
    std::string_view place = rest.substr(0, slash);
    const std::size_t colon = place.rfind(':');
    if (colon != std::string_view::npos && place.find(']', colon) == std::string_view::npos) {
        const std::string_view port = place.substr(colon + 1);
        const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), origin.port);
        if (failure != std::errc() || end != port.data() + port.size()) return refusal;
        place = place.substr(0, colon);
    }
    if (place.size() > 2 && place.front() == '[' && place.back() == ']') place = place.substr(1, place.size() - 2);
    origin.host = place;
    if (origin.host.empty() || origin.host.find_first_of(" @?#\r\n") != std::string::npos) return refusal;
    return origin;
}

std::string host_and_port(const HttpOrigin& origin) {
    const bool is_v6 = origin.host.find(':') != std::string::npos;
    return (is_v6 ? "[" + origin.host + "]" : origin.host) + ":" + std::to_string(origin.port);
}

Result<HttpProxy> parse_proxy(std::string_view url) {
    const Error refusal{Code::kBadRequest, "it is not a proxy's URL such as http://proxy.example:3128"};
    const std::size_t colon = url.find("://");
    if (colon == std::string_view::npos) return refusal;
    const std::string scheme(url.substr(0, colon));
    if (scheme != "http" && scheme != "https")
        return Error{Code::kBadRequest,
                     "proxies with the scheme " + scheme + ":// are not supported, only http:// and https://"};
    std::string_view rest = url.substr(colon + 3);
    rest = rest.substr(0, rest.find_first_of("/?#"));
    HttpProxy proxy;
    if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
        const auto authorization = basic_authorization(rest.substr(0, at));
        if (!authorization) return refusal;
        proxy.authorization = *authorization;
        rest.remove_prefix(at + 1);
    }
    Result<HttpOrigin> origin = parse_origin(scheme + "://" + std::string(rest));
    if (!origin.ok()) return refusal;
    proxy.origin = *std::move(origin);
    return proxy;
}

}  // namespace muster::os
