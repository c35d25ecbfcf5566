#include <gtest/gtest.h>

#include "api/codec/encode.h"
#include "api/defaults/job.h"
#include "api/testing/drafts.h"
#include "api/validation/job/job.h"

namespace muster::api {
namespace job_update_test {

struct UpdateCase {
    const char* name;
    const char* before;
    const char* change;
    const char* errors;
};

constexpr const char* kSuspended = "{'spec': {'suspend': true}}";
constexpr const char* kStopping =
    "{'spec': {'suspend': true}, 'status': {'active': 1, 'startTime': '2026-01-01T00:00:00Z', 'conditions': [{'type': "
    "'Suspended', 'status': 'True'}]}}";
constexpr const char* kStopped =
    "{'spec': {'suspend': true}, 'status': {'startTime': '2026-01-01T00:00:00Z', 'conditions': [{'type': 'Suspended', "
    "'status': 'True'}]}}";
constexpr const char* kToStop = "{'spec': {'suspend': true}, 'status': {'startTime': '2026-01-01T00:00:00Z'}}";
constexpr const char* kNodeSelector = "{'spec': {'template': {'spec': {'nodeSelector': {'a': 'b'}}}}}";

const UpdateCase kUpdateCases[] = {
    {"nothing changes", "{}", "{}", ""},
    {"what may always change", "{}",
     "{'metadata': {'labels': {'a': 'b'}}, 'spec': {'parallelism': 5, 'backoffLimit': 1, 'activeDeadlineSeconds': 2, "
     "'ttlSecondsAfterFinished': 3, 'suspend': true, 'podReplacementPolicy': 'Failed'}}",
     ""},
    {"the rules of a create still hold", "{}", "{'spec': {'parallelism': -1}}",
     "spec.parallelism: Invalid value: -1: must be greater than or equal to 0"},
    {"the finalizers of a Job may change", "{}", "{'metadata': {'finalizers': ['example.com/f']}}", ""},
    {"the labels that the server added stay", "{'spec': {'suspend': true}}",
     "{'spec': {'template': {'metadata': {'labels': {'job-name': null}}}}}",
     "spec.template.metadata.labels[job-name]: Required value: must be 'j'"},

    // Completions.
    {"completions may not change", "{'spec': {'completions': 3}}", "{'spec': {'completions': 4}}",
     "spec.completions: Invalid value: 4: field is immutable"},
    {"completions may not go", "{'spec': {'completions': 3}}", "{'spec': {'completions': null}}",
     "spec.completions: Invalid value: null: field is immutable"},
    {"an indexed Job may be scaled", "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 1}}",
     "{'spec': {'completions': 2, 'parallelism': 2}}", ""},
    {"an indexed Job is scaled with its parallelism",
     "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 3}}", "{'spec': {'completions': 2}}",
     "spec.completions: Invalid value: 2: can only be modified in tandem with spec.parallelism"},
    {"an indexed Job's parallelism may change alone",
     "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 3}}", "{'spec': {'parallelism': 2}}", ""},
    {"an indexed Job keeps its completions",
     "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 3}}", "{'spec': {'completions': null}}",
     "spec.completions: Required value: when completion mode is Indexed"},
    {"a name that was fine may be too long for more indexes",
     "{'metadata': {'name': 'a23456789-123456789-123456789-123456789-123456789-123456789-1'}, 'spec': "
     "{'completionMode': 'Indexed', 'completions': 2, 'parallelism': 2}}",
     "{'spec': {'completions': 11, 'parallelism': 11}}",
     "metadata.name: Invalid value: \"a23456789-123456789-123456789-123456789-123456789-123456789-1\": will not able "
     "to "
     "create pod with invalid DNS label: a23456789-123456789-123456789-123456789-123456789-123456789-1-10"},

    // What never changes.
    {"the mode is for ever", "{'spec': {'completions': 3}}", "{'spec': {'completionMode': 'Indexed'}}",
     "spec.completionMode: Invalid value: \"Indexed\": field is immutable"},
    {"the failure policy is for ever", "{'spec': {'podReplacementPolicy': 'Failed'}}",
     "{'spec': {'podFailurePolicy': {'rules': []}}}",
     "spec.podFailurePolicy: Invalid value: {\"rules\":[]}: field is immutable"},
    {"backoff per index is for ever",
     "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'backoffLimitPerIndex': 1}}",
     "{'spec': {'backoffLimitPerIndex': 2}}", "spec.backoffLimitPerIndex: Invalid value: 2: field is immutable"},
    {"the limit of failed indexes may change",
     "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'backoffLimitPerIndex': 1}}",
     "{'spec': {'maxFailedIndexes': 2}}", ""},
    {"the manager is for ever", "{}", "{'spec': {'managedBy': 'example.com/x'}}",
     "spec.managedBy: Invalid value: \"example.com/x\": field is immutable"},
    {"the success policy is for ever", "{'spec': {'completionMode': 'Indexed', 'completions': 3}}",
     "{'spec': {'successPolicy': {'rules': [{'succeededCount': 1}]}}}",
     "spec.successPolicy: Invalid value: {\"rules\":[{\"succeededCount\":1}]}: field is immutable"},
    {"the selector is for ever", "{}", "{'spec': {'selector': {'matchLabels': {'job-name': 'j'}}}}",
     "spec.selector: Invalid value: "
     "{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u1\",\"job-name\":\"j\"}}: "
     "field is immutable"},

    // The template while suspended.
    {"a Job that never ran may be told where to run", kSuspended, kNodeSelector, ""},
    {"a Job that has stopped may be told where to run", kStopped, kNodeSelector, ""},
    {"all that says where a pod goes may change", kSuspended,
     "{'spec': {'template': {'metadata': {'labels': {'x': 'y'}, 'annotations': {'a': 'b'}}, 'spec': {'tolerations': "
     "[{'key': 'k', 'operator': 'Exists'}], 'schedulingGates': [{'name': 'example.com/g'}], 'affinity': "
     "{'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchExpressions': "
     "[{'key': 'k', 'operator': 'Exists'}]}]}}}}}}}",
     ""},
    {"affinity to nodes may be taken away",
     "{'spec': {'suspend': true, 'template': {'spec': {'affinity': {'nodeAffinity': "
     "{'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'k', "
     "'operator': 'Exists'}]}]}}}}}}}",
     "{'spec': {'template': {'spec': {'affinity': null}}}}", ""},
    {"resources may change", kSuspended,
     "{'spec': {'template': {'spec': {'containers': [{'name': 'c', 'image': 'busybox', 'command': ['true'], "
     "'resources': {'requests': {'cpu': '1'}}}]}}}}",
     ""},
};

std::string errors_of_update(const char* before, const char* change) {
    const batch::Job old = make_job(before);
    batch::Job job = make_object<batch::Job>(to_json(old), change);
    default_job(job);
    prepare_job_update(job, old);
    return print_errors(validate_job_update(job, old));
}

TEST(JobUpdate, KeepsTheRules) {
    for (const UpdateCase& test : kUpdateCases) {
        SCOPED_TRACE(test.name);
        EXPECT_EQ(errors_of_update(test.before, test.change), test.errors);
    }
}

TEST(JobUpdate, TheTemplateMayNotChange) {
    const struct {
        const char* name;
        const char* before;
        const char* change;
        const char* field;
    } cases[] = {
        {"a running Job", "{}", kNodeSelector, "spec.template: "},
        {"a Job that has yet to stop", kToStop, kNodeSelector, "spec.template: "},
        {"a Job whose pods still run", kStopping, kNodeSelector, "spec.template: "},
        {"a Job that is resumed was suspended before", "{}",
         "{'spec': {'suspend': true, 'template': {'spec': {'nodeSelector': {'a': 'b'}}}}}", "spec.template: "},
        {"what has nothing to do with places", kSuspended, "{'spec': {'template': {'spec': {'hostNetwork': true}}}}",
         "spec.template.spec: "},
        {"another image", kSuspended,
         "{'spec': {'template': {'spec': {'containers': [{'name': 'c', 'image': 'other', 'command': ['true']}]}}}}",
         "spec.template.spec: "},
        {"resources of another container", kSuspended,
         "{'spec': {'template': {'spec': {'containers': [{'name': 'd', 'image': 'busybox', 'command': ['true'], "
         "'resources': {'requests': {'cpu': '1'}}}]}}}}",
         "spec.template.spec: "},
        {"affinity to pods", kSuspended,
         "{'spec': {'template': {'spec': {'affinity': {'podAffinity': {'requiredDuringSchedulingIgnoredDuringExecution'"
         ": [{'topologyKey': 'k'}]}}}}}}",
         "spec.template.spec: "},
        {"finalizers of the pods", kSuspended,
         "{'spec': {'template': {'metadata': {'finalizers': ['example.com/f']}}}}", "spec.template.metadata: "},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.name);
        const std::string errors = errors_of_update(test.before, test.change);
        EXPECT_TRUE(errors.starts_with(test.field)) << errors;
        EXPECT_TRUE(errors.ends_with(": field is immutable")) << errors;
    }
}

}  // namespace job_update_test
}  // namespace muster::api
