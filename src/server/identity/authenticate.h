// Finds the user of a request: by its client certificate, by its bearer token, or else the anonymous user.
// The Authenticator is immutable and used by several carrying threads at once. New tokens or keys make a new
// Authenticator that replaces the old one. Checks that need the store run on the loop: `check_authentication`.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "os/http/http.h"
#include "server/identity/service_account_tokens.h"
#include "server/identity/static_tokens.h"
#include "server/identity/user.h"

namespace muster::server {

struct Authentication {
    User user{};
    std::optional<TokenClaims> claims{};   // when it was a service account's token: the loop must check these
    std::vector<std::string> audiences{};  // those asked for that the token is meant for
    std::string warning{};                 // for a Warning header
};

class Authenticator {
public:
    // Both may be null: then such tokens are not accepted.
    Authenticator(std::shared_ptr<const StaticTokens> static_tokens, std::shared_ptr<const TokenVerifier> verifier,
                  bool allow_anonymous = true)
        : static_tokens_(std::move(static_tokens)), verifier_(std::move(verifier)), allow_anonymous_(allow_anonymous) {}

    // kUnauthorized with the one word that is said to the outside. A certificate goes before a token; a wrong token is
    // never taken for no token.
    Result<Authentication> authenticate(const os::HttpRequest& request, Instant now) const;
    // A token alone; meant for one of `audiences`, or for the server when there are none. kUnauthorized with the
    // reason, which is for a TokenReview and for logs.
    Result<Authentication> authenticate_token(std::string_view token, std::span<const std::string> audiences,
                                              Instant now) const;
    // Null when service accounts have no tokens.
    const TokenVerifier* verifier() const { return verifier_.get(); }

private:
    std::shared_ptr<const StaticTokens> static_tokens_;
    std::shared_ptr<const TokenVerifier> verifier_;
    bool allow_anonymous_;
};

// The half that looks at objects, on the loop. kUnauthorized with the reason; the outside is told "Unauthorized".
Result<> check_authentication(const Authentication& authentication, const BoundObjects& objects, Instant now);

// What is said to everybody who could not be authenticated.
Error unauthorized_error();

struct BearerToken {
    std::string_view token{};  // empty: there is none
    bool extra_space = false;  // there would be one but for a space too many
};
BearerToken parse_bearer(std::string_view authorization);

}  // namespace muster::server
