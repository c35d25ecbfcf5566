// What a pod, or a template of pods, must be like before it is stored, and what of it may change later. The last step
// of admission, after defaults: it changes nothing and says everything that is wrong at once.
//
// The rules are those of Kubernetes 1.38 (test/oracle) with its default features, and one of our own:
// ttlSecondsAfterFinished. They are split by idea over pod_*.cc; this header is all that others need.
#pragma once

#include "api/kinds/core/pod.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// For a new pod, whose defaults, name and namespace are filled in.
FieldErrors validate_pod_create(const core::Pod& pod);

// For an update of a pod. `before` is as stored; `now` has its defaults, status and resourceVersion filled in.
// Images, activeDeadlineSeconds (downwards), added tolerations, removed scheduling gates, a negative grace period
// that becomes 1 and our ttlSecondsAfterFinished may change; a pod with gates may also be narrowed to fewer nodes.
FieldErrors validate_pod_update(const core::Pod& now, const core::Pod& before);

// For an update of status, where everything of `now` but status and metadata is already that of `before`.
FieldErrors validate_pod_status_update(const core::Pod& now, const core::Pod& before);

// For the template of a Job and the like. Templates are a little freer than pods: the rest is checked when a pod is
// made. `path` is spec.template. Whether its restart policy suits the owner is for the owner to say.
FieldErrors validate_pod_template(const core::PodTemplateSpec& pod_template, const FieldPath& path);

// Where a pod is to run: pods/{name}/binding.
FieldErrors validate_binding(const core::Binding& binding);

}  // namespace muster::api
