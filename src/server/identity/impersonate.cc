#include "server/identity/impersonate.h"

#include "api/value/quote.h"

namespace muster::server {
namespace {

constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";
constexpr std::string_view kExtraPrefix = "impersonate-extra-";

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// %-escapes resolved; the text as it is when one of them is none.
std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) return std::string(text);
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

void ask_for_user(std::string_view name, Impersonation& out) {
    out.user.name = name;
    if (const auto account = parse_service_account_user_name(name)) {
        out.demands.push_back({.version = "v1",
                               .resource = "serviceaccounts",
                               .namespace_ = std::string(account->namespace_),
                               .name = std::string(account->name)});
        return;
    }
    out.demands.push_back({.version = "v1", .resource = "users", .name = std::string(name)});
}

void ask_for_groups(const os::HttpRequest& request, Impersonation& out) {
    for (const os::HttpHeader& header : request.headers) {
        if (header.name != "impersonate-group") continue;
        out.demands.push_back({.version = "v1", .resource = "groups", .name = header.value});
        out.user.groups.push_back(header.value);
    }
}

void ask_for_extras(const os::HttpRequest& request, Impersonation& out) {
    for (const os::HttpHeader& header : request.headers) {
        if (!header.name.starts_with(kExtraPrefix)) continue;
        const std::string key = unescape(std::string_view(header.name).substr(kExtraPrefix.size()));
        out.demands.push_back({.group = std::string(kAuthenticationGroup),
                               .version = "v1",
                               .resource = "userextras",
                               .subresource = key,
                               .name = header.value});
        out.user.extra[key].push_back(header.value);
    }
}

// Groups that were not asked for but that go with the user.
void add_implied_groups(User& user) {
    if (user.groups.empty())
        if (const auto account = parse_service_account_user_name(user.name))
            user.groups = service_account_groups(account->namespace_);
    if (user.name != kAnonymousUser) {
        add_authenticated_group(user);
    } else if (!user.in_group(kUnauthenticatedGroup)) {
        user.groups.emplace_back(kUnauthenticatedGroup);
    }
}

std::string list_demands(const std::vector<ImpersonationDemand>& demands) {
    std::string out;
    for (const ImpersonationDemand& demand : demands)
        out.append(out.empty() ? "" : ", ").append(demand.resource).append(" ").append(api::in_quotes(demand.name));
    return out;
}

}  // namespace

Result<std::optional<Impersonation>> read_impersonation(const os::HttpRequest& request) {
    Impersonation out;
    const std::string_view user = request.header("impersonate-user");
    if (!user.empty()) ask_for_user(user, out);
    ask_for_groups(request, out);
    ask_for_extras(request, out);
    if (const std::string_view uid = request.header("impersonate-uid"); !uid.empty()) {
        out.demands.push_back({.group = std::string(kAuthenticationGroup),
                               .version = "v1",
                               .resource = "uids",
                               .name = std::string(uid)});
        out.user.uid = uid;
    }
    if (out.demands.empty()) return std::optional<Impersonation>();
    if (user.empty())
        return Error{Code::kBadRequest, "requested [" + list_demands(out.demands) + "] without impersonating a user"};
    add_implied_groups(out.user);
    return std::optional<Impersonation>(std::move(out));
}

}  // namespace muster::server
