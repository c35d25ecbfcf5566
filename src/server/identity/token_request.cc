#include "server/identity/token_request.h"

#include <algorithm>

#include "api/validation/rules/field_errors.h"
#include "api/value/quote.h"
#include "server/identity/openssl.h"

namespace muster::server {
namespace {

using api::authentication::BoundObjectReference;
using api::authentication::TokenRequest;

constexpr std::int64_t kDefaultSeconds = 3600;
constexpr std::int64_t kSecondsMin = 600;
constexpr std::int64_t kSecondsMax = std::int64_t{1} << 32;
constexpr std::int64_t kUsualPodSeconds = 3607;
constexpr std::int64_t kExtendedSeconds = 365 * 24 * 3600;

Error not_found(std::string_view resource, std::string_view name) {
    return Error{Code::kNotFound, std::string(resource) + " " + api::in_quotes(name) + " not found"};
}

Error conflict(std::string_view kind, std::string_view name, std::string why) {
    return Error{Code::kConflict,
                 "Operation cannot be fulfilled on " + std::string(kind) + " " + api::in_quotes(name) + ": " + why};
}

Result<> check_names(const TokenRequest& request, std::string_view namespace_, std::string_view name) {
    const api::FieldPath metadata("metadata");
    api::FieldErrors errors;
    if (!request.metadata.name.empty() && !(request.metadata.name == name)) {
        errors.add_invalid(metadata.child("name"), request.metadata.name,
                           "must match the service account name if specified");
    } else if (!request.metadata.namespace_.empty() && !(request.metadata.namespace_ == namespace_)) {
        errors.add_invalid(metadata.child("namespace"), request.metadata.namespace_,
                           "must match the service account namespace if specified");
    }
    if (errors.empty()) return {};
    return api::invalid_object(api::kind_info<TokenRequest>(), name, std::move(errors));
}

Result<> check_seconds(std::int64_t seconds) {
    const api::FieldPath path = api::FieldPath("spec").child("expirationSeconds");
    api::FieldErrors errors;
    if (seconds < kSecondsMin) errors.add_invalid(path, seconds, "may not specify a duration less than 10 minutes");
    if (seconds > kSecondsMax) errors.add_invalid(path, seconds, "may not specify a duration larger than 2^32 seconds");
    if (errors.empty()) return {};
    return api::invalid_object(api::kind_info<TokenRequest>(), "", std::move(errors));
}

// Only tokens that are bound to a webhook have attestations, and no webhooks are served.
Result<> check_attestations(const TokenRequest& request) {
    if (request.spec.attestations.empty()) return {};
    std::string shown;
    for (const auto& [key, values] : request.spec.attestations) {
        shown += (shown.empty() ? "\"" : ",\"") + key.str() + "\":[";
        for (std::size_t i = 0; i < values.size(); ++i) shown += (i ? ",\"" : "\"") + values[i].str() + "\"";
        shown += "]";
    }
    api::FieldErrors errors;
    errors.add_invalid(api::FieldPath("spec").child("attestations"), "{" + shown + "}",
                       "attestations may only be specified with a webhook bound object reference");
    return api::invalid_object(api::kind_info<TokenRequest>(), "", std::move(errors));
}

// Puts what the token is bound to into the claims.
Result<> bind(const BoundObjectReference& ref, std::string_view account, const BoundObjects& objects,
              TokenClaims& claims) {
    // What has no slash is a version of the core group.
    const bool core = ref.api_version.view().find('/') == std::string_view::npos;
    const bool is_pod = core && ref.kind == "Pod";
    const bool is_node = core && ref.kind == "Node";
    if (!is_pod && !is_node && !(core && ref.kind == "Secret"))
        return Error{Code::kBadRequest,
                     "cannot bind token to object of type " + ref.api_version + ", Kind=" + ref.kind.str()};
    const BoundKind kind = is_pod ? BoundKind::kPod : is_node ? BoundKind::kNode : BoundKind::kSecret;
    const auto found = objects.find(kind, is_node ? "" : std::string_view(claims.namespace_), ref.name);
    if (!found) return not_found(is_pod ? "pods" : is_node ? "nodes" : "secrets", ref.name);
    if (is_pod && found->service_account != account)
        return Error{Code::kBadRequest, "cannot bind token for serviceaccount " + api::in_quotes(account) +
                                            " to pod running with different serviceaccount name."};
    if (!ref.uid.empty() && !(ref.uid == found->uid))
        return conflict(
            ref.kind, ref.name,
            "the UID in the bound object reference (" + ref.uid.str() +
                ") does not match the UID in record. The object might have been deleted and then recreated");
    (is_pod    ? claims.pod
     : is_node ? claims.node
               : claims.secret) = ObjectClaim{ref.name.str(), std::string(found->uid)};
    if (is_pod && !found->node_name.empty()) {
        const std::string node_name(found->node_name);
        const auto node = objects.find(BoundKind::kNode, "", node_name);
        claims.node = ObjectClaim{node_name, node ? std::string(node->uid) : ""};
    }
    return {};
}

bool are_all_ours(const std::vector<std::string>& audiences, const std::vector<std::string>& ours) {
    return std::all_of(audiences.begin(), audiences.end(), [&](const std::string& audience) {
        return std::find(ours.begin(), ours.end(), audience) != ours.end();
    });
}

}  // namespace

Result<TokenAnswer> answer_token_request(TokenRequest request, std::string_view namespace_, std::string_view name,
                                         const BoundObjects& objects, const TokenSigner& signer,
                                         const TokenIssuerOptions& options, Instant now) {
    TRY(check_names(request, namespace_, name));
    const auto account = objects.find(BoundKind::kServiceAccount, namespace_, name);
    if (!account) return not_found("serviceaccounts", name);
    auto& metadata = request.metadata;
    if (!metadata.uid.empty() && !(metadata.uid == account->uid))
        return conflict("TokenRequest.authentication.k8s.io", name,
                        "the UID in the token request (" + metadata.uid.str() +
                            ") does not match the UID of the service account (" + std::string(account->uid) + ")");
    metadata.name = name;
    metadata.namespace_ = namespace_;
    metadata.uid = account->uid;
    metadata.creation_timestamp = api::Time::from_instant(now);
    request.status = {};
    if (request.spec.audiences.empty())
        for (const std::string& audience : options.audiences) request.spec.audiences.edit().push_back(audience);
    std::int64_t seconds = request.spec.expiration_seconds.value_or(kDefaultSeconds);
    TRY(check_seconds(seconds));
    TRY(check_attestations(request));

    TokenClaims claims{.issuer = options.issuer, .id = random_uuid()};
    claims.namespace_ = namespace_;
    claims.service_account = {std::string(name), std::string(account->uid)};
    for (const Text& audience : request.spec.audiences) claims.audiences.push_back(audience.str());
    if (request.spec.bound_object_ref) TRY(bind(*request.spec.bound_object_ref, name, objects, claims));

    TokenAnswer answer;
    if (options.expiration_seconds_max > 0 && seconds > options.expiration_seconds_max) {
        answer.warnings.push_back("requested expiration of " + std::to_string(seconds) + " seconds shortened to " +
                                  std::to_string(options.expiration_seconds_max) + " seconds");
        seconds = options.expiration_seconds_max;
    }
    request.spec.expiration_seconds = seconds;
    claims.issued_at = claims.not_before = now.unix_seconds();
    claims.expires_at = claims.issued_at + seconds;
    if (options.extend_expiration && claims.pod && seconds == kUsualPodSeconds &&
        are_all_ours(claims.audiences, options.audiences)) {
        claims.warn_after = claims.expires_at;
        claims.expires_at = claims.issued_at + kExtendedSeconds;
    }
    TRY_ASSIGN(const std::string token, signer.sign(format_claims(claims)));
    request.status.token = token;
    request.status.expiration_timestamp = api::Time::from_unix_seconds(claims.issued_at + seconds);
    answer.request = std::move(request);
    return answer;
}

}  // namespace muster::server
