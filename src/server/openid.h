// OpenID Connect discovery: where others who are shown a service account's token find who made it and the keys to
// verify it with, without asking us about each.
#pragma once

#include <optional>
#include <string>

#include "server/identity/service_account_tokens.h"
#include "server/negotiation/target.h"
#include "server/rest/answer.h"

namespace muster::server {

// /.well-known/openid-configuration and /openid/v1/jwks; nothing for any other path, or when there is no verifier.
// `address`: under which the client reached us, "host:port".
std::optional<Answer> answer_openid(const TokenVerifier* verifier, const Target& target, const std::string& address);

}  // namespace muster::server
