#include "client/remote/proxy.h"

#include <algorithm>
#include <utility>

#include "os/network/ip_address.h"

namespace muster::client {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string_view without_spaces(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

struct HostAndPort {
    std::string_view host;
    std::string_view port;  // empty: any
};

// "host", "host:80", "fd00::1", "[fd00::1]:80"
HostAndPort split_port(std::string_view entry) {
    HostAndPort out{entry, {}};
    const std::size_t colon = entry.rfind(':');
    const bool has_port = colon != std::string_view::npos && entry.find(':') == colon;
    const bool has_port_behind_brackets = colon != std::string_view::npos && colon > 0 && entry[colon - 1] == ']';
    if (has_port || has_port_behind_brackets) out = {entry.substr(0, colon), entry.substr(colon + 1)};
    if (out.host.starts_with('[') && out.host.ends_with(']')) out.host = out.host.substr(1, out.host.size() - 2);
    return out;
}

bool matches_domain(std::string_view host, std::string_view domain) {
    if (domain.starts_with("*.")) domain.remove_prefix(1);
    if (domain.empty()) return false;
    if (domain.starts_with('.')) return host.ends_with(domain);
    return host == domain || (host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.');
}

bool matches(std::string_view entry, std::string_view host, const std::string& port) {
    if (entry == "*") return true;
    const std::optional<std::string> ip = os::parse_ip(host);
    if (const auto range = os::parse_ip_range(entry)) return ip && range->contains(*ip);
    const HostAndPort named = split_port(entry);
    if (!named.port.empty() && named.port != port) return false;
    if (const auto named_ip = os::parse_ip(named.host)) return ip == named_ip;
    return matches_domain(host, named.host);
}

struct Found {
    std::string name{};
    std::string value{};
};

Found first_set(const ReadVariable& variable, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (std::string value = variable(name); !value.empty()) return {name, std::move(value)};
    return {};
}

bool is_on_this_machine(const os::HttpOrigin& server) {
    const std::optional<std::string> ip = os::parse_ip(server.host);
    return lower(server.host) == "localhost" || (ip && os::is_loopback(*ip));
}

Found proxy_of_environment(const os::HttpOrigin& server, const ReadVariable& variable) {
    Found found = server.tls ? first_set(variable, {"HTTPS_PROXY", "https_proxy"})
                             : first_set(variable, {"HTTP_PROXY", "http_proxy"});
    if (found.value.empty() || is_on_this_machine(server)) return {};
    if (is_excepted(server, first_set(variable, {"NO_PROXY", "no_proxy"}).value)) return {};
    // There, and only there, a place without a scheme will do.
    if (found.value.find("://") == std::string::npos) found.value = "http://" + found.value;
    return found;
}

}  // namespace

bool is_excepted(const os::HttpOrigin& server, std::string_view no_proxy) {
    const std::string host = lower(server.host);
    const std::string port = std::to_string(server.port);
    while (!no_proxy.empty()) {
        const std::size_t comma = std::min(no_proxy.find(','), no_proxy.size());
        const std::string entry = lower(without_spaces(no_proxy.substr(0, comma)));
        no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
        if (!entry.empty() && matches(entry, host, port)) return true;
    }
    return false;
}

Result<std::optional<os::HttpProxy>> find_proxy(const ServerAccess& access, const ReadVariable& variable) {
    TRY_ASSIGN(const os::HttpOrigin server, os::parse_origin(access.server));
    const Found found = access.proxy_url.empty() ? proxy_of_environment(server, variable)
                                                 : Found{"proxy-url of the cluster", access.proxy_url};
    if (found.value.empty()) return std::optional<os::HttpProxy>();
    Result<os::HttpProxy> proxy = os::parse_proxy(found.value);
    if (!proxy.ok()) return Error{Code::kBadRequest, found.name + ": " + proxy.error().message};
    return std::optional<os::HttpProxy>(*std::move(proxy));
}

}  // namespace muster::client
