#include "server/identity/authenticate.h"

namespace muster::server {
namespace {

constexpr std::string_view kExtraSpaceWarning =
    "the provided Authorization header contains extra space before the bearer token, and is ignored";

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_bearer_word(std::string_view word) {
    constexpr std::string_view kWord = "bearer";
    if (word.size() != kWord.size()) return false;
    for (std::size_t i = 0; i < kWord.size(); ++i)
        if ((word[i] | 0x20) != kWord[i]) return false;
    return true;
}

User user_of(const os::PeerCertificate& certificate) {
    User user{.name = certificate.common_name, .groups = certificate.organizations};
    if (!certificate.fingerprint.empty())
        user.extra[std::string(kCredentialIdKey)] = {"X509SHA256=" + certificate.fingerprint};
    add_authenticated_group(user);
    return user;
}

}  // namespace

BearerToken parse_bearer(std::string_view authorization) {
    while (!authorization.empty() && is_space(authorization.front())) authorization.remove_prefix(1);
    while (!authorization.empty() && is_space(authorization.back())) authorization.remove_suffix(1);
    const std::size_t space = authorization.find(' ');
    if (space == std::string_view::npos || !is_bearer_word(authorization.substr(0, space))) return {};
    authorization.remove_prefix(space + 1);
    const std::size_t end = authorization.find(' ');
    const std::string_view token = authorization.substr(0, end);
    return {token, token.empty() && end != std::string_view::npos};
}

Error unauthorized_error() { return Error{Code::kUnauthorized, "Unauthorized"}; }

Result<Authentication> Authenticator::authenticate(const os::HttpRequest& request, Instant now) const {
    if (request.certificate && !request.certificate->common_name.empty())
        return Authentication{.user = user_of(*request.certificate)};
    const BearerToken bearer = parse_bearer(request.header("authorization"));
    if (!bearer.token.empty()) {
        Result<Authentication> authentication = authenticate_token(bearer.token, {}, now);
        if (!authentication.ok()) return unauthorized_error();
        return authentication;
    }
    // Who shows a certificate that does not count wants to be known: as anonymous it would be told of missing rights.
    if (!allow_anonymous_ || !request.certificate_error.empty()) return unauthorized_error();
    return Authentication{.user = anonymous_user(),
                          .warning = std::string(bearer.extra_space ? kExtraSpaceWarning : "")};
}

Result<Authentication> Authenticator::authenticate_token(std::string_view token, std::span<const std::string> audiences,
                                                         Instant now) const {
    const Error unknown{Code::kUnauthorized, "invalid bearer token"};
    if (const User* user = static_tokens_ ? static_tokens_->find(token) : nullptr) {
        Authentication authentication{.user = *user};
        // A token from the file is meant for the server.
        if (verifier_) {
            const std::span<const std::string> asked =
                audiences.empty() ? std::span(verifier_->audiences()) : audiences;
            authentication.audiences = intersect_audiences(asked, verifier_->audiences());
            if (authentication.audiences.empty()) return unknown;
        }
        add_authenticated_group(authentication.user);
        return authentication;
    }
    if (!verifier_) return unknown;
    Result<TokenClaims> claims = verifier_->verify(token, audiences, now);
    if (!claims.ok()) return verifier_->is_ours(token) ? claims.error() : unknown;
    Authentication authentication{.user = server::user_of(*claims)};
    authentication.audiences =
        intersect_audiences(audiences.empty() ? std::span(verifier_->audiences()) : audiences, claims->audiences);
    authentication.claims = std::move(claims).value();
    return authentication;
}

Result<> check_authentication(const Authentication& authentication, const BoundObjects& objects, Instant now) {
    if (!authentication.claims) return {};
    return check_bound_objects(*authentication.claims, objects, now);
}

}  // namespace muster::server
