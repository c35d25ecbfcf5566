#include "server/api_host.h"

namespace muster::server {
namespace {

// Apart from pods' addresses (127.64.0.0/10) and from those that machines use by habit.
constexpr std::string_view kApiHosts = "127.0.96.";
constexpr int kApiHostsMax = 64;

}  // namespace

std::string choose_api_host(const std::string& stored, const std::function<bool(const std::string& host)>& is_free) {
    if (stored.starts_with(kApiHosts) && is_free(stored)) return stored;
    std::string host;
    for (int number = 1; number <= kApiHostsMax; ++number) {
        host = std::string(kApiHosts) + std::to_string(number);
        if (is_free(host)) break;
    }
    return host;
}

}  // namespace muster::server
