#include "node/inside/probe_request.h"

#include "base/ascii.h"
#include "os/http/client/http_client.h"

namespace muster::node {

using api::core::ContainerPort;
using api::core::HTTPGetAction;

Result<std::uint16_t> find_port(const api::IntOrString& port, const List<ContainerPort>& ports) {
    constexpr int kPortMax = 65535;
    int number = port.number();
    if (port.is_string()) {
        for (const ContainerPort& each : ports)
            if (each.name == port.string()) number = each.container_port;
        if (number == 0) return Error{Code::kInvalid, "couldn't find port: \"" + port.text() + '"'};
    }
    if (number <= 0 || number > kPortMax)
        return Error{Code::kInvalid, "invalid port number: " + std::to_string(number)};
    return static_cast<std::uint16_t>(number);
}

std::string format_url(const ProbeUrl& url) {
    const bool six = url.host.find(':') != std::string::npos;
    return std::string(url.tls ? "https" : "http") + "://" + (six ? '[' + url.host + ']' : url.host) + ':' +
           std::to_string(url.port) + url.target;
}

Result<ProbeUrl> make_probe_url(const HTTPGetAction& get, const ActionTarget& target) {
    ProbeUrl url;
    url.tls = get.scheme == "HTTPS";
    url.host = get.host.empty() ? target.pod_ip.str() : get.host.str();
    TRY_ASSIGN(url.port, find_port(get.port, target.ports));
    url.target = get.path.str();
    if (!url.target.starts_with('/')) url.target.insert(0, 1, '/');
    return url;
}

std::vector<os::HttpHeader> make_probe_headers(const HTTPGetAction& get) {
    std::vector<os::HttpHeader> headers;
    bool accept = false;
    for (const auto& header : get.http_headers) {
        const bool is_accept = lower(header.name.str()) == "accept";
        accept = accept || is_accept;
        if (!is_accept || !header.value.empty()) headers.push_back({header.name.str(), header.value.str()});
    }
    if (!accept) headers.push_back({"Accept", "*/*"});
    return headers;
}

std::optional<ProbeUrl> follow_redirect(const ProbeUrl& from, int status, std::string_view location) {
    const bool redirect = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    if (!redirect || location.empty()) return {};
    ProbeUrl to = from;
    if (location.starts_with('/') && !location.starts_with("//")) {
        to.target = std::string(location);
        return to;
    }
    if (location.find("://") == std::string_view::npos) {
        const std::string_view path = std::string_view(from.target).substr(0, from.target.find('?'));
        to.target = std::string(path.substr(0, path.rfind('/') + 1)) + std::string(location);
        return to;
    }
    const std::size_t path = location.find('/', location.find("://") + 3);
    const auto origin = os::parse_origin(location.substr(0, path));
    if (!origin.ok()) return {};
    to.tls = origin->tls;
    to.host = origin->host;
    to.port = origin->port;
    to.target = path == std::string_view::npos ? "/" : std::string(location.substr(path));
    return to;
}

std::string dial_words(const Error& error) {
    if (error.message.find("Connection refused") != std::string::npos) return "connect: connection refused";
    return error.message;
}

}  // namespace muster::node
