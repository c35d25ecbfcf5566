// Answers the review kinds (SubjectAccessReview, TokenReview and others); they are never stored. Each function takes
// the decoded request and returns it with its status filled. Validation errors have Kubernetes' wording.
#pragma once

#include <string_view>

#include "api/kinds/authentication.h"
#include "api/kinds/authorization.h"
#include "server/access/rbac/rbac.h"
#include "server/identity/authenticate.h"

namespace muster::server {

// kInvalid for a question that is not one.
Result<api::authorization::SubjectAccessReview> answer_review(const RoleView& roles,
                                                              api::authorization::SubjectAccessReview review);
Result<api::authorization::SelfSubjectAccessReview> answer_review(const RoleView& roles, const User& asking,
                                                                  api::authorization::SelfSubjectAccessReview review);
// In the namespace it was sent to.
Result<api::authorization::LocalSubjectAccessReview> answer_review(const RoleView& roles, std::string_view namespace_,
                                                                   api::authorization::LocalSubjectAccessReview review);
// kBadRequest without a namespace.
Result<api::authorization::SelfSubjectRulesReview> answer_review(
    const RoleView& roles, const User& asking, const api::authorization::SelfSubjectRulesReview& review);
// kBadRequest without a token. A token that is worth nothing is an answer, not an error.
Result<api::authentication::TokenReview> answer_review(const Authenticator& authenticator, const BoundObjects& objects,
                                                       api::authentication::TokenReview review, Instant now);
api::authentication::SelfSubjectReview answer_self_review(const User& asking, Instant now);

// A user as the API shows them.
api::authentication::UserInfo format_user(const User& user);

}  // namespace muster::server
