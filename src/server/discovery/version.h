// Which Kubernetes this server answers as. Clients choose features by it, and `kubectl version` prints it.
#pragma once

#include <string>

namespace muster::server {

// "v1.35.0+muster.0.1.0": the Kubernetes version whose API is served, and our own.
std::string kubernetes_version();
// The document of /version.
std::string version_document();

}  // namespace muster::server
