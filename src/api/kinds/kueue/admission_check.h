// AdmissionCheck: something beside quota that must agree before a workload starts.
#pragma once

#include "api/kinds/kueue/package.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::kueue {

struct AdmissionCheckParametersReference {
    TYPE(AdmissionCheckParametersReference, "Names an object with parameters for the check.")
    FIELD(1, Text, api_group, "Group of the object.", .required = true)
    FIELD(2, Text, kind, "Kind of the object.", .required = true)
    FIELD(3, Text, name, "Name of the object.", .required = true)
};

struct AdmissionCheckSpec {
    TYPE(AdmissionCheckSpec, "Who decides, and by what parameters.")
    FIELD(1, Text, controller_name, "The controller that decides. Never empty, and it can never change.",
          .required = true)
    FIELD(2, Box<AdmissionCheckParametersReference>, parameters, "An object with parameters for the controller.")
};

struct AdmissionCheckStatus {
    TYPE(AdmissionCheckStatus, "Whether the check can be made.")
    FIELD(1, List<meta::Condition>, conditions, "The check's state. Active says that its controller is at work.",
          .patch = Patch::kMerge, .merge_key = "type", .list = ListKind::kMap)
};

struct AdmissionCheck {
    KIND(AdmissionCheck, "Something beside quota that must agree before a workload starts.",
         .plural = "admissionchecks", .namespaced = false, .short_names = "ac")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, AdmissionCheckSpec, spec, "Who decides.", .required = true, .optional = true)
    FIELD(3, AdmissionCheckStatus, status, "Whether it can be made. Written by its controller.")
};

}  // namespace muster::api::kueue
