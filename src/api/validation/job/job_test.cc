#include "api/validation/job/job.h"

#include <gtest/gtest.h>

#include "api/testing/drafts.h"

namespace muster::api {
namespace job_job_test {

struct CreateCase {
    const char* name;
    const char* patch;
    const char* errors;
};

const CreateCase kCreateCases[] = {
    {"the least that a Job needs", "{}", ""},
    {"parallelism may be zero", "{'spec': {'parallelism': 0}}", ""},
    {"no number may be negative",
     "{'spec': {'parallelism': -1, 'completions': -2, 'activeDeadlineSeconds': -3, 'backoffLimit': -4, "
     "'ttlSecondsAfterFinished': -5}}",
     "spec.parallelism: Invalid value: -1: must be greater than or equal to 0\n"
     "spec.completions: Invalid value: -2: must be greater than or equal to 0\n"
     "spec.activeDeadlineSeconds: Invalid value: -3: must be greater than or equal to 0\n"
     "spec.backoffLimit: Invalid value: -4: must be greater than or equal to 0\n"
     "spec.ttlSecondsAfterFinished: Invalid value: -5: must be greater than or equal to 0"},
    {"the name is a DNS subdomain", "{'metadata': {'name': 'a.b'}}", ""},
    {"a name is needed", "{'metadata': {'name': null}}",
     "metadata.name: Required value: name or generateName is required"},

    // Restart policy.
    {"pods may restart their containers on failure", "{'spec': {'template': {'spec': {'restartPolicy': 'OnFailure'}}}}",
     ""},
    {"pods may not restart their containers always", "{'spec': {'template': {'spec': {'restartPolicy': 'Always'}}}}",
     "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""},

    // Completion mode.
    {"a mode must be known", "{'spec': {'completionMode': 'Sideways'}}",
     "spec.completionMode: Unsupported value: \"Sideways\": supported values: \"NonIndexed\", \"Indexed\""},
    {"an indexed Job without any number has one index", "{'spec': {'completionMode': 'Indexed'}}", ""},
    {"an indexed Job needs completions", "{'spec': {'completionMode': 'Indexed', 'parallelism': 2}}",
     "spec.completions: Required value: when completion mode is Indexed"},
    {"an indexed Job runs at most 100000 pods at once",
     "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 100001}}",
     "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed"},
    {"the last pod's host name must fit",
     "{'metadata': {'name': 'a23456789-123456789-123456789-123456789-123456789-123456789-1'}, 'spec': "
     "{'completionMode': 'Indexed', 'completions': 11}}",
     "metadata.name: Invalid value: \"a23456789-123456789-123456789-123456789-123456789-123456789-1\": will not able "
     "to "
     "create pod with invalid DNS label: a23456789-123456789-123456789-123456789-123456789-123456789-1-10"},
    {"the last pod's host name has no dots",
     "{'metadata': {'name': 'a.b'}, 'spec': {'completionMode': 'Indexed', 'completions': 1}}",
     "metadata.name: Invalid value: \"a.b\": will not able to create pod with invalid DNS label: a.b-0"},

    // Limits per index.
    {"each index may have its own backoff limit",
     "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'backoffLimitPerIndex': 1, 'maxFailedIndexes': 2}}", ""},
    {"only an indexed Job has backoff per index", "{'spec': {'backoffLimitPerIndex': 1, 'maxFailedIndexes': 1}}",
     "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode\n"
     "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode"},
    {"failed indexes need backoff per index",
     "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'maxFailedIndexes': 1}}",
     "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"},
    {"no more indexes can fail than there are",
     "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'backoffLimitPerIndex': 1, 'maxFailedIndexes': 10}}",
     "spec.maxFailedIndexes: Invalid value: 10: must be less than or equal to completions"},
    {"very many indexes need a limit of failed ones",
     "{'spec': {'completionMode': 'Indexed', 'completions': 100001, 'backoffLimitPerIndex': 1}}",
     "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000"},
    {"very many indexes have lower limits",
     "{'spec': {'completionMode': 'Indexed', 'completions': 100002, 'parallelism': 10001, 'backoffLimitPerIndex': 1, "
     "'maxFailedIndexes': 100001}}",
     "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000\n"
     "spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 "
     "and "
     "used with backoff limit per index\n"
     "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 10000 when completions are above "
     "100000 and used with backoff limit per index"},

    // Who manages it.
    {"another controller may manage it", "{'spec': {'managedBy': 'example.com/batch'}}", ""},
    {"a manager has a name", "{'spec': {'managedBy': ''}}", "spec.managedBy: Required value"},
    {"a manager has a domain", "{'spec': {'managedBy': 'batch'}}",
     "spec.managedBy: Invalid value: \"batch\": must be a domain-prefixed path (such as \"acme.io/foo\")"},
    {"a manager's name is short",
     "{'spec': {'managedBy': 'example.com/a123456789-123456789-123456789-123456789-123456789-1'}}",
     "spec.managedBy: Too long: may not be more than 63 bytes"},

    // Selector.
    {"a label of the template that the server sets must be right",
     "{'spec': {'template': {'metadata': {'labels': {'controller-uid': 'u'}}}}}",
     "spec.template.metadata.labels[controller-uid]: Invalid value: "
     "{\"batch.kubernetes.io/controller-uid\":\"u1\",\"batch.kubernetes.io/job-name\":\"j\",\"controller-uid\":\"u\","
     "\"job-name\":\"j\"}: must be 'u1'"},
    {"a selector of one's own needs manualSelector", "{'spec': {'selector': {'matchLabels': {'a': 'b'}}}}",
     "spec.selector: Invalid value: "
     "{\"matchLabels\":{\"a\":\"b\",\"batch.kubernetes.io/controller-uid\":\"u1\"}}: `selector` not auto-generated\n"
     "spec.template.metadata.labels: Invalid value: "
     "{\"batch.kubernetes.io/controller-uid\":\"u1\",\"batch.kubernetes.io/job-name\":\"j\",\"controller-uid\":\"u1\","
     "\"job-name\":\"j\"}: `selector` does not match template `labels`"},
    {"a manual selector must match the template",
     "{'spec': {'manualSelector': true, 'selector': {'matchLabels': {'a': 'b'}}, 'template': {'metadata': {'labels': "
     "{'a': 'c'}}}}}",
     "spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not match template `labels`"},
    {"a manual selector that matches",
     "{'spec': {'manualSelector': true, 'selector': {'matchLabels': {'a': 'b'}}, 'template': {'metadata': {'labels': "
     "{'a': 'b'}}}}}",
     ""},
    {"a manual selector must be there", "{'spec': {'manualSelector': true}}",
     "spec.selector: Required value\n"
     "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"},
};

TEST(JobCreate, KeepsTheRules) {
    for (const CreateCase& test : kCreateCases) {
        SCOPED_TRACE(test.name);
        EXPECT_EQ(print_errors(validate_job_create(make_job(test.patch))), test.errors);
    }
}

TEST(JobCreate, AJobWithoutUidCannotBeToldFromOthers) {
    batch::Job job = make_job("{}");
    job.metadata.uid = "";
    EXPECT_NE(print_errors(validate_job_create(job)).find("metadata.uid: Required value\n"), std::string::npos);
}

TEST(JobWarnings, NamesAndNumbersThatWillSurprise) {
    EXPECT_TRUE(job_warnings(make_job("{}"), nullptr).empty());
    EXPECT_EQ(job_warnings(make_job("{'metadata': {'name': 'a.b'}}"), nullptr).size(), 1u);
    const batch::Job large =
        make_job("{'spec': {'completionMode': 'Indexed', 'completions': 100001, 'parallelism': 10001}}");
    EXPECT_EQ(job_warnings(large, nullptr).size(), 1u);
    EXPECT_TRUE(job_warnings(large, &large).empty());
}

}  // namespace job_job_test
}  // namespace muster::api
