// What a pod gets when its author says nothing: the defaults of Kubernetes 1.38, filled in when an object is read and
// before it is admitted. Defaults are idempotent, and what needs none is left shared: a pod made from a template that
// has its defaults takes no copy of its containers, except where a pod's defaults go beyond a template's (requests
// from limits, ports on the node's network).
#pragma once

#include "api/defaults/pod_resources.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/scheduling.h"

namespace muster::api {

// On every write of a pod.
void default_pod(core::Pod& pod);
// On every write of whatever holds a template. Templates get less than pods: the rest comes when a pod is made.
void default_pod_template(core::PodTemplateSpec& pod_template);

// On create only, after default_pod. What clients say of status is dropped: the pod is pending, with its class of
// service, and says so when gates keep it from being scheduled. matchLabelKeys become part of their selectors.
void prepare_pod_create(core::Pod& pod);

// On every write of the status. A client that does not know observedGeneration leaves it out and does not clear it: the
// status and each condition keep the one that they had.
void keep_observed_generations(core::PodStatus& now, const core::PodStatus& before);

// The part of admission that only fills in: how long a pod stays on a node that is not ready or out of reach, and its
// priority. `priority_class` is the class that the pod names, or the default one when it names none; null for neither.
void admit_default_tolerations(core::Pod& pod);
void admit_priority(core::Pod& pod, const scheduling::PriorityClass* priority_class);

// Whether an image names the tag latest, be it by naming none. Digests and names that are none do not.
bool is_latest_image(std::string_view image);

}  // namespace muster::api
