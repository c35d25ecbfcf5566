// Which address of the machine's loopback the Service `kubernetes` has, and with it kubernetes.default.svc in pods.
#pragma once

#include <functional>
#include <string>

namespace muster::server {

// `stored` is what the Service has: an address that was the server's before is kept. `is_free` says whether nobody else
// listens there. Several servers share a machine, so that others are tried; when none is free it is the last. Pure.
std::string choose_api_host(const std::string& stored, const std::function<bool(const std::string& host)>& is_free);

}  // namespace muster::server
