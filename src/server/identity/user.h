// Who asks: the name, groups and further facts that authentication found, and what authorization asks about. The names
// that mean something to the server itself stand here too.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::server {

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kMastersGroup = "system:masters";  // may do everything
inline constexpr std::string_view kServiceAccountsGroup = "system:serviceaccounts";
// Among the extra facts: which of a user's certificates or tokens it was.
inline constexpr std::string_view kCredentialIdKey = "authentication.kubernetes.io/credential-id";

struct User {
    using Extra = std::map<std::string, std::vector<std::string>, std::less<>>;

    std::string name{};
    std::string uid{};
    std::vector<std::string> groups{};
    Extra extra{};

    bool in_group(std::string_view group) const;
    bool operator==(const User&) const = default;
};

// In system:unauthenticated and nothing else.
User anonymous_user();
// Adds system:authenticated, unless the user is anonymous or the groups say already whether they are authenticated.
void add_authenticated_group(User& user);

struct ServiceAccountName {
    std::string_view namespace_;
    std::string_view name;
    bool operator==(const ServiceAccountName&) const = default;
};
// "system:serviceaccount:default:builder"
std::string service_account_user_name(std::string_view namespace_, std::string_view name);
// The other way; nothing when it is not the name of a possible service account. Views into the argument.
std::optional<ServiceAccountName> parse_service_account_user_name(std::string_view user_name);
// Those of all service accounts and of all in the namespace.
std::vector<std::string> service_account_groups(std::string_view namespace_);

}  // namespace muster::server
