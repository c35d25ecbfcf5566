// Which address of the machine's loopback the Service `kubernetes` has, and with it kubernetes.default.svc in pods.
#pragma once

#include <functional>
#include <string>

namespace muster::server {

// The address of the service `kubernetes`. `stored` is the address in the Service; it is kept if it is one of ours and
// free. `is_free` tells whether the address can be listened on: several servers may share a machine, so the addresses
// are tried in order. The last one is returned when none is free. Pure.
std::string choose_api_host(const std::string& stored, const std::function<bool(const std::string& host)>& is_free);

}  // namespace muster::server
