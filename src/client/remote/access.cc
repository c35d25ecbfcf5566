#include "client/remote/access.h"

#include <string_view>

namespace muster::client {
namespace {

constexpr const char* kAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount/";

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

// NO_PROXY: names, domains with or without a dot in front, addresses, "*"; commas between them.
bool is_excepted(std::string_view host, std::string_view exceptions) {
    while (!exceptions.empty()) {
        const std::size_t comma = std::min(exceptions.find(','), exceptions.size());
        std::string_view one = exceptions.substr(0, comma);
        exceptions.remove_prefix(std::min(comma + 1, exceptions.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        if (one == "*" || one == host) return true;
        while (one.starts_with('.')) one.remove_prefix(1);
        if (one.empty() || !host.ends_with(one)) continue;
        if (host.size() == one.size() || host[host.size() - one.size() - 1] == '.') return true;
    }
    return false;
}

std::string first_set(const ReadVariable& variable, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (std::string value = variable(name); !value.empty()) return value;
    return "";
}

}  // namespace

Result<ServerAccess> in_cluster_access(const ReadVariable& variable, const ReadFile& read_file) {
    const std::string host = variable("KUBERNETES_SERVICE_HOST");
    const std::string port = variable("KUBERNETES_SERVICE_PORT");
    if (host.empty() || port.empty())
        return Error{Code::kNotFound, "this is no pod of a cluster: KUBERNETES_SERVICE_HOST is not set"};
    const std::string directory = kAccountDirectory;
    ServerAccess access;
    access.server = "https://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
    access.token_file = directory + "token";
    TRY_ASSIGN(access.ca_certificates, read_file(directory + "ca.crt"));
    if (const Result<std::string> space = read_file(directory + "namespace"); space.ok() && !space->empty())
        access.namespace_ = trimmed(*space);
    return access;
}

Result<std::optional<os::HttpOrigin>> find_proxy(const ServerAccess& access, const ReadVariable& variable) {
    TRY_ASSIGN(const os::HttpOrigin server, os::parse_origin(access.server));
    std::string url = access.proxy_url;
    if (url.empty() && server.tls && !is_excepted(server.host, first_set(variable, {"NO_PROXY", "no_proxy"})))
        url = first_set(variable, {"HTTPS_PROXY", "https_proxy"});
    if (url.empty()) return std::optional<os::HttpOrigin>();
    if (!url.starts_with("http://"))
        return Error{Code::kBadRequest, "the proxy " + url + " cannot be used: only http:// proxies are supported"};
    TRY_ASSIGN(os::HttpOrigin proxy, os::parse_origin(url));
    return std::optional<os::HttpOrigin>(std::move(proxy));
}

}  // namespace muster::client
