// POST to a service account's token subresource: a token, for an audience, for a time, bound to an object if so asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/authentication.h"
#include "server/identity/service_account_tokens.h"

namespace muster::server {

struct TokenIssuerOptions {
    std::string issuer = "https://kubernetes.default.svc.cluster.local";
    std::vector<std::string> audiences{"https://kubernetes.default.svc.cluster.local"};  // when the request has none
    std::int64_t expiration_seconds_max = 0;                                             // 0: what the API allows
    // A pod's token that was asked for in the way every pod asks (3607 seconds) lives a year, for programs that read it
    // once; `warn_after` then says when it should have ended.
    bool extend_expiration = true;
};

struct TokenAnswer {
    api::authentication::TokenRequest request;  // with its status filled; sent with 201
    std::vector<std::string> warnings{};
};

// `request` as decoded, for the service account named by the path. Fails with
// kInvalid: the request breaks a rule; kNotFound: the account or the bound object is not there; kBadRequest: an object
// that tokens cannot be bound to; kConflict: another uid than the one asked for.
Result<TokenAnswer> answer_token_request(api::authentication::TokenRequest request, std::string_view namespace_,
                                         std::string_view name, const BoundObjects& objects, const TokenSigner& signer,
                                         const TokenIssuerOptions& options, Instant now);

}  // namespace muster::server
