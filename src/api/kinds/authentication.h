// Questions about identity: whose token is this, who am I, and give me a token. They are answered and never stored.
// `extra` is a map of lists; in protobuf each list is wrapped in a message of one repeated field, ExtraValue.
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "api/value/time.h"

namespace muster::api::authentication {

inline constexpr const char* kPackage = "io.k8s.api.authentication.v1";
inline constexpr const char* kGroup = "authentication.k8s.io";
inline constexpr const char* kVersion = "v1";

struct UserInfo {
    TYPE(UserInfo, "A user as the server sees them.")
    FIELD(1, Text, username, "Name of the user, unique among all users there are.")
    FIELD(2, Text, uid, "Tells apart users who had the same name at different times.")
    FIELD(3, List<Text>, groups, "Groups the user is in.")
    FIELD(4, Map<List<Text>>, extra, "What else the authenticator knows of the user, by name.")
};

struct TokenReviewSpec {
    TYPE(TokenReviewSpec, "The token to look at.")
    FIELD(1, Text, token, "The bearer token.")
    FIELD(2, List<Text>, audiences,
          "Audiences: the token must be meant for one of them. The API server itself when empty.")
};

struct TokenReviewStatus {
    TYPE(TokenReviewStatus, "What the token is worth.")
    FIELD(1, bool, authenticated, "Whether the token belongs to a user.")
    FIELD(2, UserInfo, user, "The user it belongs to.")
    FIELD(3, Text, error, "Why the token could not be checked.")
    FIELD(4, List<Text>, audiences,
          "Those of the audiences asked for that the token is meant for. Empty with authenticated true means the API "
          "server.")
};

struct TokenReview {
    KIND(TokenReview, "Asks whose token this is.", .plural = "tokenreviews", .namespaced = false, .secret = true)
    FIELD(1, meta::ObjectMeta, metadata,
          "Standard metadata. A review is answered and never stored, so it is mostly empty.")
    FIELD(2, TokenReviewSpec, spec, "The token to look at.", .required = true)
    FIELD(3, TokenReviewStatus, status, "The answer. Filled by the server.")
};

struct BoundObjectReference {
    TYPE(BoundObjectReference, "The object a token is bound to.")
    FIELD(1, Text, kind, "Pod, Secret or Node.")
    FIELD(2, Text, api_version, "Group and version of the kind, such as v1.")
    FIELD(3, Text, name, "Name of the object.")
    FIELD(4, Text, uid, "UID of the object.")
};

struct TokenRequestSpec {
    TYPE(TokenRequestSpec, "What token is wanted.")
    FIELD(1, List<Text>, audiences, "Audiences that the token is meant for; others should refuse it.", .required = true)
    FIELD(3, Box<BoundObjectReference>, bound_object_ref,
          "An object the token ends with. The server checks it; others may not.", .required = true, .optional = true)
    FIELD(4, std::optional<std::int64_t>, expiration_seconds,
          "Seconds the token should be valid for. The server may choose otherwise. 3600 by default.", .required = true,
          .optional = true)
    FIELD(5, Map<List<Text>>, attestations,
          "What the server is to attest. Only for tokens that are bound to a webhook.")
};

struct TokenRequestStatus {
    TYPE(TokenRequestStatus, "The token.")
    FIELD(1, Text, token, "The bearer token.", .required = true)
    FIELD(2, Time, expiration_timestamp, "When the token expires.", .required = true)
};

struct TokenRequest {
    KIND(TokenRequest, "Asks for a token of a service account. Sent to its token subresource.")
    FIELD(1, meta::ObjectMeta, metadata, "Standard metadata.")
    FIELD(2, TokenRequestSpec, spec, "What token is wanted.", .required = true)
    FIELD(3, TokenRequestStatus, status, "The token. Filled by the server.")
};

struct SelfSubjectReviewStatus {
    TYPE(SelfSubjectReviewStatus, "Who the requester is.")
    FIELD(1, UserInfo, user_info, "The user, as authenticated.")
};

struct SelfSubjectReview {
    KIND(SelfSubjectReview, "Asks who the server takes the requester for.", .plural = "selfsubjectreviews",
         .namespaced = false)
    FIELD(1, meta::ObjectMeta, metadata,
          "Standard metadata. A review is answered and never stored, so it is mostly empty.")
    FIELD(2, SelfSubjectReviewStatus, status, "The answer. Filled by the server.")
};

}  // namespace muster::api::authentication
