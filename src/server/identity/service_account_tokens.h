// Tokens of service accounts in Kubernetes' format: signed claims that name the account, the audiences, the expiry, and
// the object that the token is bound to.
// Verification has two steps. `TokenVerifier::verify` checks the token alone; it is immutable and used by several
// carrying threads at once. `check_bound_objects` then checks on the loop that the objects in the token still exist.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "server/identity/json_web_token.h"
#include "server/identity/user.h"

namespace muster::server {

struct ObjectClaim {
    std::string name{};
    std::string uid{};
    bool operator==(const ObjectClaim&) const = default;
};

struct TokenClaims {
    std::string issuer{};
    std::string id{};  // jti
    std::vector<std::string> audiences{};
    std::int64_t issued_at = 0;  // seconds since 1970, as all of these; 0 when the token does not say
    std::int64_t not_before = 0;
    std::int64_t expires_at = 0;
    std::int64_t warn_after = 0;  // the holder asked for a token until then, and was given a longer one
    std::string namespace_{};
    ObjectClaim service_account{};
    std::optional<ObjectClaim> pod{};
    std::optional<ObjectClaim> secret{};
    std::optional<ObjectClaim> node{};  // of a pod's token: where the pod runs; else what the token is bound to
    bool operator==(const TokenClaims&) const = default;
};

// The claims as a token's payload, and back. kUnauthorized when they are not those of a service account.
std::string format_claims(const TokenClaims& claims);
Result<TokenClaims> parse_claims(std::string_view json);

// Who the holder is, with system:authenticated among the groups.
User user_of(const TokenClaims& claims);

// A clock may differ by so much from the one that made the token.
inline constexpr Duration kTokenLeeway = 60s;

class TokenVerifier {
public:
    // `audiences` are the server's own. A token must have one of them unless the caller of verify asks for others.
    TokenVerifier(TokenKeys keys, std::vector<std::string> issuers, std::vector<std::string> audiences);

    // Whether the token says that one of our issuers made it. Others may know it when not.
    bool is_ours(std::string_view token) const;
    // The signature, the issuer, the times, and that it is meant for one of `audiences` (when empty, the server's).
    // kUnauthorized with the reason. What was verified lately is remembered by each thread, but for its times.
    Result<TokenClaims> verify(std::string_view token, std::span<const std::string> audiences, Instant now) const;
    const std::vector<std::string>& audiences() const { return audiences_; }
    // Who makes new tokens, and what they can be verified with.
    const std::string& issuer() const { return issuers_.front(); }
    const TokenKeys& keys() const { return keys_; }

private:
    Result<TokenClaims> verify_signature(std::string_view token) const;

    TokenKeys keys_;
    std::vector<std::string> issuers_;
    std::vector<std::string> audiences_;
    std::uint64_t serial_;  // tells verifiers apart in the threads' memory
};

// Those of `asked` that are among `has`.
std::vector<std::string> intersect_audiences(std::span<const std::string> asked, std::span<const std::string> has);

enum class BoundKind { kServiceAccount, kPod, kSecret, kNode };
// What a token needs to know of an object. Views into the object, good until the next change.
struct BoundObject {
    std::string_view uid{};
    std::optional<Instant> deleted_at{};
    std::string_view service_account{};  // of a pod
    std::string_view node_name{};        // of a pod
};
// The objects that tokens are bound to.
class BoundObjects {
public:
    virtual ~BoundObjects() = default;
    // Nothing when there is none. A node has no namespace.
    virtual std::optional<BoundObject> find(BoundKind kind, std::string_view namespace_,
                                            std::string_view name) const = 0;
};

// The service account and what the token is bound to must be there, with the uid the token says, and not past the end
// of their deletion. kUnauthorized with the reason.
Result<> check_bound_objects(const TokenClaims& claims, const BoundObjects& objects, Instant now);

}  // namespace muster::server
