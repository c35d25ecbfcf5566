#include "api/kinds/authorization.h"

namespace muster::api::authorization {

DEFINE_TYPE(FieldSelectorAttributes)
DEFINE_TYPE(LabelSelectorAttributes)
DEFINE_TYPE(ResourceAttributes)
DEFINE_TYPE(NonResourceAttributes)
DEFINE_TYPE(SubjectAccessReviewSpec)
DEFINE_TYPE(SelfSubjectAccessReviewSpec)
DEFINE_TYPE(SubjectAccessReviewStatus)
DEFINE_TYPE(SubjectAccessReview)
DEFINE_TYPE(SelfSubjectAccessReview)
DEFINE_TYPE(LocalSubjectAccessReview)
DEFINE_TYPE(SelfSubjectRulesReviewSpec)
DEFINE_TYPE(ResourceRule)
DEFINE_TYPE(NonResourceRule)
DEFINE_TYPE(SubjectRulesReviewStatus)
DEFINE_TYPE(SelfSubjectRulesReview)

}  // namespace muster::api::authorization
