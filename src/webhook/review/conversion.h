// The answer to a ConversionReview: objects of the queueing kinds in their other version. The conversion itself is
// api/kinds/kueue/v1beta1_conversion.h's, which the server's own views use, too. Pure.
#pragma once

#include "api/kinds/admission.h"

namespace muster::webhook {

// One failed object fails the review, with a sentence that names it; nothing is converted then.
api::conversion::ConversionResponse review_conversion(const api::conversion::ConversionRequest& request);

}  // namespace muster::webhook
