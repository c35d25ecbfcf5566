// What a connection to an API server needs: where the server is and who we are. Read from a kubeconfig
// (client/remote/kubeconfig.h), or found in a pod of the cluster itself.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::client {

using ReadFile = std::function<Result<std::string>(const std::string& path)>;
using ReadVariable = std::function<std::string(const char* name)>;  // empty when it is not set

// A program that prints credentials: client.authentication.k8s.io/v1.
struct ExecPlugin {
    std::string api_version{};
    std::string command{};
    std::vector<std::string> arguments{};
    std::vector<std::pair<std::string, std::string>> environment{};
    std::string install_hint{};  // what to do when the program is not there
    bool wants_cluster = false;  // it is told where the server is
    bool operator==(const ExecPlugin&) const = default;
};

// Certificates and keys are PEM text. Those that are in files are read again when the files change: they are here as
// they were when the access was read, and with the path that they came from.
struct ServerAccess {
    std::string server{};  // https://host:port
    std::string namespace_ = "default";
    std::string ca_certificates{};  // empty: the system's
    std::string ca_file{};
    bool insecure = false;
    std::string tls_server_name{};  // when it is not the server's host
    std::string proxy_url{};        // empty: the environment's (client/remote/proxy.h)
    std::string client_certificate{};
    std::string client_certificate_file{};
    std::string client_key{};
    std::string client_key_file{};
    std::string token{};
    std::string token_file{};  // in place of the token, which is not read yet
    std::optional<ExecPlugin> exec{};
};

// The access that a pod's service account has. kNotFound when this is no pod of a cluster.
Result<ServerAccess> in_cluster_access(const ReadVariable& variable, const ReadFile& read_file);

}  // namespace muster::client
