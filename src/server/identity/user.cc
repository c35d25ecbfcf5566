#include "server/identity/user.h"

#include <algorithm>

#include "api/selector/names.h"

namespace muster::server {

constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";

bool User::in_group(std::string_view group) const {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
}

User anonymous_user() { return {.name = std::string(kAnonymousUser), .groups = {std::string(kUnauthenticatedGroup)}}; }

void add_authenticated_group(User& user) {
    if (user.name == kAnonymousUser || user.in_group(kAuthenticatedGroup) || user.in_group(kUnauthenticatedGroup))
        return;
    user.groups.emplace_back(kAuthenticatedGroup);
}

std::string service_account_user_name(std::string_view namespace_, std::string_view name) {
    std::string user_name(kServiceAccountPrefix);
    return user_name.append(namespace_).append(":").append(name);
}

std::optional<ServiceAccountName> parse_service_account_user_name(std::string_view user_name) {
    if (!user_name.starts_with(kServiceAccountPrefix)) return {};
    user_name.remove_prefix(kServiceAccountPrefix.size());
    const std::size_t colon = user_name.find(':');
    if (colon == std::string_view::npos) return {};
    const ServiceAccountName parts{user_name.substr(0, colon), user_name.substr(colon + 1)};
    if (!api::is_dns1123_label(parts.namespace_).empty() || !api::is_dns1123_subdomain(parts.name).empty()) return {};
    return parts;
}

std::vector<std::string> service_account_groups(std::string_view namespace_) {
    std::string all(kServiceAccountsGroup);
    return {all, all + ":" + std::string(namespace_)};
}

}  // namespace muster::server
