#include "api/kinds/admission.h"

namespace muster::api::admission {

DEFINE_TYPE(AdmissionKind)
DEFINE_TYPE(AdmissionResource)
DEFINE_TYPE(AdmissionRequest)
DEFINE_TYPE(AdmissionResponse)
DEFINE_TYPE(AdmissionReview)

}  // namespace muster::api::admission

namespace muster::api::conversion {

DEFINE_TYPE(ConversionRequest)
DEFINE_TYPE(ConversionResponse)
DEFINE_TYPE(ConversionReview)

}  // namespace muster::api::conversion
