#include "client/remote/access.h"

namespace muster::client {
namespace {

constexpr const char* kAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount/";

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
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
    access.ca_file = directory + "ca.crt";
    TRY_ASSIGN(access.ca_certificates, read_file(access.ca_file));
    if (const Result<std::string> space = read_file(directory + "namespace"); space.ok() && !space->empty())
        access.namespace_ = trimmed(*space);
    return access;
}

}  // namespace muster::client
