// Which Kubernetes this server answers as. Clients choose features by it, and `kubectl version` prints it.
#pragma once

#include <string>

namespace muster::server {

// "v1.36.0+muster.0.1.0": the newest Kubernetes release whose clients conformance/ proves, and our own version.
std::string kubernetes_version();
// The document of /version.
std::string version_document();

}  // namespace muster::server
