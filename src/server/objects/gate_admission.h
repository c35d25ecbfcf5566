// Fields of features that are turned off: they are dropped from what is written, but stay where they are already, so
// that turning a feature off changes no object that exists.
#pragma once

#include "api/feature_gates.h"
#include "server/objects/admission.h"

namespace muster::server {

AdmissionStep drop_disabled_fields(api::FeatureGates gates);

}  // namespace muster::server
