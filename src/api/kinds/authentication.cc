#include "api/kinds/authentication.h"

namespace muster::api::authentication {

DEFINE_TYPE(UserInfo)
DEFINE_TYPE(TokenReviewSpec)
DEFINE_TYPE(TokenReviewStatus)
DEFINE_TYPE(TokenReview)
DEFINE_TYPE(BoundObjectReference)
DEFINE_TYPE(TokenRequestSpec)
DEFINE_TYPE(TokenRequestStatus)
DEFINE_TYPE(TokenRequest)
DEFINE_TYPE(SelfSubjectReviewStatus)
DEFINE_TYPE(SelfSubjectReview)

}  // namespace muster::api::authentication
