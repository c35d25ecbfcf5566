// What a pod's RuntimeClass adds to it, as Kubernetes' admission plugin of that name does: the overhead, which counts
// like a request from then on, and where the pod can run. A pod whose class is not there, or that states an overhead
// of its own, is refused.
#pragma once

#include <optional>
#include <string>

#include "api/kinds/core/pod.h"
#include "api/kinds/runtime.h"
#include "server/objects/admission.h"

namespace muster::server {

// Adds what the class says, or gives the reason why the pod cannot be of it, and then the pod is not to be stored.
std::optional<std::string> apply_runtime_class(api::core::PodSpec& spec, const api::runtime::RuntimeClass& of);

// Both, without those that another of them covers. The first of equal ones stays.
List<api::core::Toleration> merge_tolerations(const List<api::core::Toleration>& own,
                                              const List<api::core::Toleration>& more);

// On create, mutating.
Result<> admit_runtime_class(AdmissionRequest& request, const Objects& objects);
// On create, validating: nothing that came later may have changed the overhead.
Result<> check_runtime_class(AdmissionRequest& request, const Objects& objects);

}  // namespace muster::server
