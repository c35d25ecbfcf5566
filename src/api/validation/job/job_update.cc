// Rules of a Job that is changed: what is fixed for good, and what a suspended Job may still change of its template.
#include "api/kinds/job_state.h"
#include "api/schema/walk.h"
#include "api/validation/job/job.h"
#include "api/validation/job/job_spec.h"
#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using batch::Job;
using batch::JobSpec;
using core::PodSpec;
using core::PodTemplateSpec;

void check_completions(const JobSpec& spec, const JobSpec& old, const FieldPath& path, FieldErrors& errors) {
    const FieldPath at = path.child("completions");
    if (!batch::is_indexed(spec)) return check_immutable(spec.completions, old.completions, at, errors);
    // Without completions, an indexed Job is refused already.
    if (!spec.completions || spec.completions == old.completions || spec.completions == spec.parallelism) return;
    errors.add_invalid(at, *spec.completions, "can only be modified in tandem with " + path.child("parallelism").str());
}

// Nothing of the Job runs, nor can anything start before it is resumed: pods may still be told where to go.
bool may_change_template(const Job& old) {
    const bool never_ran = !old.status.start_time || old.status.start_time->is_null();
    return batch::is_suspended(old.spec) && old.status.active == 0 &&
           (never_ran || batch::has_condition(old.status, batch::kConditionSuspended));
}

void take_node_affinity(PodSpec& pod, const PodSpec& from) {
    if (!from.affinity) {
        if (!pod.affinity) return;
        pod.affinity.edit().node_affinity.reset();
        // Affinity that held nothing else may be cleared altogether.
        if (is_zero(core::Affinity::info(), pod.affinity.get())) pod.affinity.reset();
        return;
    }
    pod.affinity.edit().node_affinity = from.affinity->node_affinity;
}

void take_resources(List<core::Container>& containers, const List<core::Container>& from) {
    if (containers.size() != from.size()) return;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (containers[i].name == from[i].name) containers.edit()[i].resources = from[i].resources;
}

// The old template with everything of the new one that may change: what is still different may not.
PodTemplateSpec with_changes_allowed(PodTemplateSpec old, const PodTemplateSpec& changed) {
    old.metadata.labels = changed.metadata.labels;
    old.metadata.annotations = changed.metadata.annotations;
    take_node_affinity(old.spec, changed.spec);
    old.spec.node_selector = changed.spec.node_selector;
    old.spec.tolerations = changed.spec.tolerations;
    old.spec.scheduling_gates = changed.spec.scheduling_gates;
    take_resources(old.spec.containers, changed.spec.containers);
    take_resources(old.spec.init_containers, changed.spec.init_containers);
    return old;
}

void check_template_update(const Job& job, const Job& old, const FieldPath& path, FieldErrors& errors) {
    if (!may_change_template(old)) return check_immutable(job.spec.template_, old.spec.template_, path, errors);
    const PodTemplateSpec allowed = with_changes_allowed(old.spec.template_, job.spec.template_);
    check_immutable(job.spec.template_.metadata, allowed.metadata, path.child("metadata"), errors);
    check_immutable(job.spec.template_.spec, allowed.spec, path.child("spec"), errors);
}

}  // namespace

FieldErrors validate_job_update(const Job& job, const Job& old) {
    FieldErrors errors;
    const FieldPath path("spec");
    if (!old.spec.manual_selector.value_or(false)) check_generated_selector(job, errors);
    check_selected_job_spec(job.spec, path, errors);
    check_completions(job.spec, old.spec, path, errors);
    check_immutable(job.spec.selector, old.spec.selector, path.child("selector"), errors);
    check_template_update(job, old, path.child("template"), errors);
    check_immutable(job.spec.completion_mode, old.spec.completion_mode, path.child("completionMode"), errors);
    check_immutable(job.spec.pod_failure_policy, old.spec.pod_failure_policy, path.child("podFailurePolicy"), errors);
    check_immutable(job.spec.backoff_limit_per_index, old.spec.backoff_limit_per_index,
                    path.child("backoffLimitPerIndex"), errors);
    check_immutable(job.spec.managed_by, old.spec.managed_by, path.child("managedBy"), errors);
    check_immutable(job.spec.success_policy, old.spec.success_policy, path.child("successPolicy"), errors);
    check_name_allows_completions(job, errors);
    return errors;
}

}  // namespace muster::api
