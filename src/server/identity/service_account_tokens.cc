#include "server/identity/service_account_tokens.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include "server/identity/openssl.h"

namespace muster::server {
namespace {

Error unauthorized(std::string message) { return Error{Code::kUnauthorized, std::move(message)}; }

// `["a" "b"]`
std::string list_text(std::span<const std::string> texts) {
    std::string out = "[";
    for (const std::string& text : texts) out.append(out.size() > 1 ? " " : "").append("\"").append(text).append("\"");
    return out + "]";
}

// What this thread has verified lately. A digest stands for the token, so that nothing is learned from how long a
// comparison takes.
struct Remembered {
    std::uint64_t verifier = 0;
    Sha256 token{};
    TokenClaims claims{};
};
constexpr std::size_t kRememberedMax = 256;
Remembered& remembered_at(const Sha256& digest) {
    thread_local const std::unique_ptr<std::array<Remembered, kRememberedMax>> all =
        std::make_unique<std::array<Remembered, kRememberedMax>>();
    return (*all)[digest[0] % kRememberedMax];
}

std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

Result<> check_times(const TokenClaims& claims, Instant now) {
    const std::int64_t seconds = now.unix_seconds();
    const std::int64_t leeway = std::chrono::duration_cast<std::chrono::seconds>(kTokenLeeway).count();
    if (claims.not_before != 0 && seconds + leeway < claims.not_before)
        return unauthorized("service account token is not valid yet");
    if (claims.expires_at != 0 && seconds - leeway > claims.expires_at)
        return unauthorized("service account token has expired");
    if (claims.issued_at != 0 && seconds + leeway < claims.issued_at)
        return unauthorized("service account token is issued in the future");
    return {};
}

bool is_gone(const BoundObject& object, Instant now) {
    return object.deleted_at && *object.deleted_at < now - kTokenLeeway;
}

Result<> check_bound(const BoundObjects& objects, BoundKind kind, std::string_view kind_name,
                     std::string_view namespace_, const ObjectClaim& claim, Instant now) {
    const std::optional<BoundObject> object = objects.find(kind, namespace_, claim.name);
    if (!object) return unauthorized("service account token has been invalidated");
    if (object->uid != claim.uid)
        return unauthorized(std::string(kind_name) + " UID (" + std::string(object->uid) +
                            ") does not match service account " + std::string(kind_name) + " ref claim (" + claim.uid +
                            ")");
    if (is_gone(*object, now)) return unauthorized("service account token has been invalidated");
    return {};
}

}  // namespace

User user_of(const TokenClaims& claims) {
    User user{.name = service_account_user_name(claims.namespace_, claims.service_account.name),
              .uid = claims.service_account.uid,
              .groups = service_account_groups(claims.namespace_)};
    const std::string prefix = "authentication.kubernetes.io/";
    if (claims.pod && !claims.pod->name.empty() && !claims.pod->uid.empty()) {
        user.extra[prefix + "pod-name"] = {claims.pod->name};
        user.extra[prefix + "pod-uid"] = {claims.pod->uid};
    }
    if (!claims.id.empty()) user.extra[std::string(kCredentialIdKey)] = {"JTI=" + claims.id};
    if (claims.node && !claims.node->name.empty()) {
        user.extra[prefix + "node-name"] = {claims.node->name};
        if (!claims.node->uid.empty()) user.extra[prefix + "node-uid"] = {claims.node->uid};
    }
    add_authenticated_group(user);
    return user;
}

TokenVerifier::TokenVerifier(TokenKeys keys, std::vector<std::string> issuers, std::vector<std::string> audiences)
    : keys_(std::move(keys)), issuers_(std::move(issuers)), audiences_(std::move(audiences)), serial_(next_serial()) {
    CHECK(!issuers_.empty() && !audiences_.empty());
}

bool TokenVerifier::is_ours(std::string_view token) const {
    const Result<std::string> payload = read_unverified_payload(token);
    if (!payload.ok()) return false;
    const Result<TokenClaims> claims = parse_claims(*payload);
    return claims.ok() && std::find(issuers_.begin(), issuers_.end(), claims->issuer) != issuers_.end();
}

Result<TokenClaims> TokenVerifier::verify_signature(std::string_view token) const {
    const Sha256 digest = sha256_of(token);
    Remembered& memory = remembered_at(digest);
    if (memory.verifier == serial_ && memory.token == digest) return memory.claims;
    TRY_ASSIGN(const std::string payload, keys_.verify(token));
    TRY_ASSIGN(TokenClaims claims, parse_claims(payload));
    if (std::find(issuers_.begin(), issuers_.end(), claims.issuer) == issuers_.end())
        return unauthorized("token issuer \"" + claims.issuer + "\" is invalid");
    memory = {serial_, digest, claims};
    return claims;
}

Result<TokenClaims> TokenVerifier::verify(std::string_view token, std::span<const std::string> audiences,
                                          Instant now) const {
    TRY_ASSIGN(TokenClaims claims, verify_signature(token));
    // A token without audiences is meant for the server.
    if (claims.audiences.empty()) claims.audiences = audiences_;
    const std::span<const std::string> asked = audiences.empty() ? std::span(audiences_) : audiences;
    if (intersect_audiences(asked, claims.audiences).empty())
        return unauthorized("token audiences " + list_text(claims.audiences) + " is invalid for the target audiences " +
                            list_text(asked));
    TRY(check_times(claims, now));
    return claims;
}

std::vector<std::string> intersect_audiences(std::span<const std::string> asked, std::span<const std::string> has) {
    std::vector<std::string> both;
    for (const std::string& audience : asked)
        if (std::find(has.begin(), has.end(), audience) != has.end()) both.push_back(audience);
    return both;
}

Result<> check_bound_objects(const TokenClaims& claims, const BoundObjects& objects, Instant now) {
    const ObjectClaim& account = claims.service_account;
    const std::optional<BoundObject> found = objects.find(BoundKind::kServiceAccount, claims.namespace_, account.name);
    if (!found) return unauthorized("serviceaccounts \"" + account.name + "\" not found");
    if (found->uid != account.uid)
        return unauthorized("service account UID (" + std::string(found->uid) + ") does not match claim (" +
                            account.uid + ")");
    if (is_gone(*found, now))
        return unauthorized("service account " + claims.namespace_ + "/" + account.name + " has been deleted");
    if (claims.secret) TRY(check_bound(objects, BoundKind::kSecret, "secret", claims.namespace_, *claims.secret, now));
    if (claims.pod) {
        TRY(check_bound(objects, BoundKind::kPod, "pod", claims.namespace_, *claims.pod, now));
    } else if (claims.node) {
        TRY(check_bound(objects, BoundKind::kNode, "node", "", *claims.node, now));
    }
    return {};
}

}  // namespace muster::server
