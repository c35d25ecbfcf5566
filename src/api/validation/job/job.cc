#include "api/validation/job/job.h"

#include "api/kinds/job_state.h"
#include "api/selector/label_selector.h"
#include "api/validation/job/job_policy.h"
#include "api/validation/job/job_spec.h"
#include "api/validation/pod/pod.h"
#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using batch::Job;
using batch::JobSpec;

constexpr std::size_t kManagedByBytesMax = 63;
constexpr std::int32_t kIndexedParallelismMax = 100'000;
constexpr std::int32_t kFailedIndexesMax = 100'000;
// Above so many completions the lists of indexes in the status must be kept short by other means.
constexpr std::int32_t kManyCompletions = 100'000;
constexpr std::int32_t kParallelismMaxOfMany = 10'000;
constexpr std::int32_t kFailedIndexesMaxOfMany = 10'000;

std::string at_most(std::int32_t limit) { return "must be less than or equal to " + std::to_string(limit); }

void check_numbers(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    const auto check = [&](const char* name, const auto& field) {
        if (field) check_non_negative(path.child(name), *field, errors);
    };
    check("parallelism", spec.parallelism);
    check("completions", spec.completions);
    check("activeDeadlineSeconds", spec.active_deadline_seconds);
    check("backoffLimit", spec.backoff_limit);
    check("ttlSecondsAfterFinished", spec.ttl_seconds_after_finished);
    check("backoffLimitPerIndex", spec.backoff_limit_per_index);
    check("maxFailedIndexes", spec.max_failed_indexes);
    if (spec.max_failed_indexes && !spec.backoff_limit_per_index)
        errors.add_required(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
}

void check_managed_by(const Text& manager, const FieldPath& path, FieldErrors& errors) {
    if (manager.empty()) {
        errors.add_required(path, "");
        return;
    }
    const std::string_view value = manager;
    const std::size_t slash = value.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == value.size()) {
        errors.add_problems(path, value, is_domain_prefixed_path(value));
    } else {
        // Each half is shown on its own.
        errors.add_problems(path, value.substr(0, slash), is_dns1123_subdomain(value.substr(0, slash)));
        const std::string_view rest = value.substr(slash + 1);
        errors.add_problems(path, rest, is_domain_prefixed_path("a/" + std::string(rest)));
    }
    if (value.size() > kManagedByBytesMax) errors.add_too_long(path, kManagedByBytesMax);
}

void check_many_completions(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (!spec.completions || *spec.completions <= kManyCompletions || !spec.backoff_limit_per_index) return;
    const std::string many = std::to_string(kManyCompletions);
    const std::string when = " when completions are above " + many + " and used with backoff limit per index";
    if (!spec.max_failed_indexes)
        errors.add_required(path.child("maxFailedIndexes"), "must be specified when completions is above " + many);
    if (spec.parallelism && *spec.parallelism > kParallelismMaxOfMany)
        errors.add_invalid(path.child("parallelism"), *spec.parallelism, at_most(kParallelismMaxOfMany) + when);
    if (spec.max_failed_indexes && *spec.max_failed_indexes > kFailedIndexesMaxOfMany) {
        errors.add_invalid(path.child("maxFailedIndexes"), *spec.max_failed_indexes,
                           at_most(kFailedIndexesMaxOfMany) + when);
    }
}

void check_indexed(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (!spec.completions) errors.add_required(path.child("completions"), "when completion mode is Indexed");
    if (spec.parallelism && *spec.parallelism > kIndexedParallelismMax) {
        errors.add_invalid(path.child("parallelism"), *spec.parallelism,
                           at_most(kIndexedParallelismMax) + " when completion mode is Indexed");
    }
    if (spec.max_failed_indexes) {
        const std::int32_t failed_max = *spec.max_failed_indexes;
        if (spec.completions && failed_max > *spec.completions) {
            errors.add_invalid(path.child("maxFailedIndexes"), failed_max, "must be less than or equal to completions");
        }
        if (failed_max > kFailedIndexesMax)
            errors.add_invalid(path.child("maxFailedIndexes"), failed_max, at_most(kFailedIndexesMax));
    }
    check_many_completions(spec, path, errors);
}

void check_completion_mode(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    const std::string_view mode = spec.completion_mode ? spec.completion_mode->view() : batch::kNonIndexed;
    if (mode == batch::kIndexed) return check_indexed(spec, path, errors);
    if (mode != batch::kNonIndexed) {
        errors.add_not_supported(path.child("completionMode"), mode, {batch::kNonIndexed, batch::kIndexed});
        return;
    }
    const auto only_indexed = [&](const char* name, const std::optional<std::int32_t>& field) {
        if (field) errors.add_invalid(path.child(name), *field, "requires indexed completion mode");
    };
    only_indexed("backoffLimitPerIndex", spec.backoff_limit_per_index);
    only_indexed("maxFailedIndexes", spec.max_failed_indexes);
}

void check_restart_policy(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    const Text& policy = spec.template_.spec.restart_policy;
    // A template that says nothing has Always by default.
    if (policy.empty() || policy == "Always") {
        errors.add_required(path, "valid values: \"OnFailure\", \"Never\"");
    } else if (!(policy == "OnFailure") && !(policy == "Never")) {
        errors.add_not_supported(path, policy, {"OnFailure", "Never"});
    } else if (spec.pod_failure_policy && !(policy == "Never")) {
        errors.add_invalid(path, policy, "only \"Never\" is supported when podFailurePolicy is specified");
    }
}

Map<Text> generated_labels(const Job& job) {
    const Text& name = job.metadata.name;
    const Text& uid = job.metadata.uid;
    return {{batch::kLegacyControllerUidLabel, uid},
            {batch::kLegacyJobNameLabel, name},
            {batch::kControllerUidLabel, uid},
            {batch::kJobNameLabel, name}};
}

void check_has_label(const Map<Text>& labels, const char* key, const Text& wanted, FieldErrors& errors) {
    const FieldPath path = FieldPath("spec").child("template", "metadata", "labels").key(key);
    const Text* found = labels.find(key);
    const std::string sentence = "must be '" + wanted.str() + "'";
    if (!found) {
        errors.add_required(path, sentence);
    } else if (!(*found == wanted)) {
        errors.add_invalid(path, shown_json(labels), sentence);
    }
}

}  // namespace

void check_job_spec(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    check_numbers(spec, path, errors);
    if (spec.managed_by) check_managed_by(*spec.managed_by, path.child("managedBy"), errors);
    check_completion_mode(spec, path, errors);
    if (spec.pod_failure_policy) check_pod_failure_policy(spec, path.child("podFailurePolicy"), errors);
    if (spec.success_policy) check_success_policy(spec, path.child("successPolicy"), errors);
    check_pod_replacement_policy(spec, path.child("podReplacementPolicy"), errors);
    errors.append(validate_pod_template(spec.template_, path.child("template")));
    check_restart_policy(spec, path.child("template", "spec", "restartPolicy"), errors);
}

void check_selected_job_spec(const JobSpec& spec, const FieldPath& path, FieldErrors& errors) {
    check_job_spec(spec, path, errors);
    if (!spec.selector) {
        errors.add_required(path.child("selector"), "");
    } else {
        check_label_selector(*spec.selector, path.child("selector"), errors);
    }
    const auto selector = LabelSelector::from(spec.selector.get());
    if (selector.ok() && !selector->matches(spec.template_.metadata.labels)) {
        errors.add_invalid(path.child("template", "metadata", "labels"), shown_json(spec.template_.metadata.labels),
                           "`selector` does not match template `labels`");
    }
}

void check_name_allows_completions(const Job& job, FieldErrors& errors) {
    if (!batch::is_indexed(job.spec) || job.spec.completions.value_or(0) <= 0) return;
    // The host name of the last pod.
    const std::string last = job.metadata.name + "-" + std::to_string(*job.spec.completions - 1);
    if (is_dns1123_label(last).empty()) return;
    errors.add_invalid(FieldPath("metadata").child("name"), job.metadata.name,
                       "will not able to create pod with invalid DNS label: " + last);
}

// The selector and labels that the server adds must be the ones that stand there, or the Job would own the pods of
// others.
void check_generated_selector(const Job& job, FieldErrors& errors) {
    if (job.spec.manual_selector.value_or(false) || !job.spec.selector) return;
    if (job.metadata.uid.empty()) errors.add_required(FieldPath("metadata").child("uid"), "");
    const Map<Text>& labels = job.spec.template_.metadata.labels;
    check_has_label(labels, batch::kLegacyControllerUidLabel, job.metadata.uid, errors);
    check_has_label(labels, batch::kLegacyJobNameLabel, job.metadata.name, errors);
    check_has_label(labels, batch::kControllerUidLabel, job.metadata.uid, errors);
    check_has_label(labels, batch::kJobNameLabel, job.metadata.name, errors);
    const auto selector = LabelSelector::from(job.spec.selector.get());
    if (selector.ok() && !selector->matches(generated_labels(job))) {
        errors.add_invalid(FieldPath("spec").child("selector"), shown_json(*job.spec.selector),
                           "`selector` not auto-generated");
    }
}

FieldErrors validate_job_create(const Job& job) {
    FieldErrors errors;
    check_metadata(job.metadata, true, is_dns1123_subdomain, FieldPath("metadata"), errors);
    check_generated_selector(job, errors);
    check_selected_job_spec(job.spec, FieldPath("spec"), errors);
    check_name_allows_completions(job, errors);
    return errors;
}

std::vector<std::string> job_spec_warnings(const FieldPath& path, const JobSpec& spec) {
    if (!batch::is_indexed(spec) || spec.completions.value_or(0) <= kManyCompletions ||
        spec.parallelism.value_or(0) <= kParallelismMaxOfMany) {
        return {};
    }
    return {path.str() + ": with more than " + std::to_string(kManyCompletions) + " completions and parallelism over " +
            std::to_string(kParallelismMaxOfMany) +
            ", completedIndexes may grow too long to be stored when many indexes fail"};
}

std::vector<std::string> job_warnings(const Job& job, const Job* old) {
    if (old && old->metadata.generation == job.metadata.generation) return {};
    std::vector<std::string> warnings;
    if (const Problems problems = is_dns1123_label(job.metadata.name); !old && !problems.empty()) {
        std::string listed;
        for (const std::string& problem : problems) listed.append(listed.empty() ? "" : " ").append(problem);
        warnings.push_back(
            "metadata.name: pods and their host names are named after it, so it is better a DNS label: [" + listed +
            "]");
    }
    for (std::string& warning : job_spec_warnings(FieldPath("spec"), job.spec)) warnings.push_back(std::move(warning));
    return warnings;
}

}  // namespace muster::api
