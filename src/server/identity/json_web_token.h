// JSON Web Tokens in their compact form: header.payload.signature, signed with ES256 or RS256 as the key is. What the
// payload says is service_account_tokens.h's business.
// Keys are immutable once read, and several threads may sign and verify with them at once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::server {

struct TokenKey;  // a key of OpenSSL's, its algorithm and its name

inline constexpr std::size_t kTokenBytesMax = 16u << 10;

class TokenSigner {
public:
    // Signs with the first private key in the PEM. kBadRequest when there is none, or none of P-256 or RSA.
    static Result<TokenSigner> from_pem(std::string_view pem);

    Result<std::string> sign(std::string_view payload_json) const;
    // Derived from the public key; in the header of each token as `kid`.
    const std::string& key_id() const;

private:
    std::shared_ptr<const TokenKey> key_;
};

class TokenKeys {
public:
    // All keys in the PEM, private or public. kBadRequest when there is none, or one of another kind.
    static Result<TokenKeys> from_pem(std::string_view pem);

    // The payload, when one of the keys signed it. kUnauthorized otherwise.
    Result<std::string> verify(std::string_view token) const;
    // The public halves as a JSON Web Key Set, for those who verify tokens themselves.
    std::string public_key_set() const;
    // What they sign with: "ES256", "RS256"; each once, sorted.
    std::vector<std::string> algorithms() const;

private:
    std::vector<std::shared_ptr<const TokenKey>> keys_;
};

// The payload of what looks like a token, not verified: for deciding whose it is, never for believing it. kBadRequest.
Result<std::string> read_unverified_payload(std::string_view token);

}  // namespace muster::server
