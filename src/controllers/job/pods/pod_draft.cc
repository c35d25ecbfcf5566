#include "controllers/job/pods/pod_draft.h"

#include <algorithm>

#include "api/kinds/batch_names.h"
#include "api/kinds/job_state.h"
#include "api/selector/names.h"
#include "controllers/owners.h"

namespace muster::controllers::jobs {

using api::batch::Job;
using api::core::Container;
using api::core::Pod;

namespace {

constexpr const char* kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr std::size_t kGeneratedPrefixMax = 58;  // the server adds five letters, for a label of 63

bool has_index_variable(const Container& container) {
    return std::any_of(container.env.begin(), container.env.end(),
                       [](const auto& variable) { return variable.name == kIndexVariable; });
}

// A list whose containers all have the variable stays shared with the template. The variable is complete, as with the
// server's defaults: pods whose containers need no change when they are created share them.
void add_index_variable(List<Container>& containers) {
    if (std::all_of(containers.begin(), containers.end(), has_index_variable)) return;
    api::core::ObjectFieldSelector field;
    field.api_version = "v1";
    field.field_path = std::string("metadata.labels['") + api::batch::kCompletionIndexAnnotation + "']";
    api::core::EnvVar variable;
    variable.name = kIndexVariable;
    variable.value_from.edit().field_ref = field;
    for (Container& container : containers.edit())
        if (!has_index_variable(container)) container.env.edit().push_back(variable);
}

void add_finalizer(List<Text>& finalizers) {
    const Text ours(api::batch::kTrackingFinalizer);
    if (std::find(finalizers.begin(), finalizers.end(), ours) == finalizers.end()) finalizers.edit().push_back(ours);
}

// "<job>-", unless no valid name can begin so.
Text plain_generate_name(const Text& job_name) {
    return api::is_dns1123_subdomain(job_name + "a").empty() ? Text(job_name + "-") : job_name;
}

}  // namespace

std::string generate_name_of(std::string_view job_name, std::int32_t index) {
    const std::string end = "-" + std::to_string(index) + "-";
    return std::string(job_name.substr(0, kGeneratedPrefixMax - end.size())) + end;
}

PodMold::PodMold(const Job& job, bool with_finalizer)
    : job_name_(job.metadata.name), per_index_(job.spec.backoff_limit_per_index.has_value()) {
    const api::core::PodTemplateSpec& from = job.spec.template_;
    pod_.metadata.namespace_ = job.metadata.namespace_;
    pod_.metadata.generate_name = plain_generate_name(job_name_);
    pod_.metadata.labels = from.metadata.labels;
    pod_.metadata.annotations = from.metadata.annotations;
    pod_.metadata.finalizers = from.metadata.finalizers;
    pod_.metadata.owner_references = {controller_reference(kJobOwner, job.metadata)};
    if (with_finalizer) add_finalizer(pod_.metadata.finalizers);
    pod_.spec = from.spec;
    if (!api::batch::is_indexed(job.spec)) return;
    add_index_variable(pod_.spec.init_containers);
    add_index_variable(pod_.spec.containers);
}

Pod PodMold::make(const PodDraft& draft) const {
    Pod pod = pod_;
    if (draft.index < 0) return pod;
    const Text index(std::to_string(draft.index));
    pod.metadata.generate_name = generate_name_of(job_name_, draft.index);
    pod.metadata.labels.set(api::batch::kCompletionIndexAnnotation, index);
    pod.metadata.annotations.set(api::batch::kCompletionIndexAnnotation, index);
    pod.spec.hostname = job_name_ + ("-" + std::to_string(draft.index));
    if (!per_index_) return pod;
    pod.metadata.annotations.set(api::batch::kIndexFailureCountAnnotation, std::to_string(draft.failures));
    if (draft.ignored_failures > 0) {
        pod.metadata.annotations.set(api::batch::kIndexIgnoredFailureCountAnnotation,
                                     std::to_string(draft.ignored_failures));
    }
    return pod;
}

}  // namespace muster::controllers::jobs
