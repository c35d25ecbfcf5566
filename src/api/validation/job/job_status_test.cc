#include <gtest/gtest.h>

#include "api/defaults/job.h"
#include "api/testing/drafts.h"
#include "api/validation/job/job.h"

namespace muster::api {
namespace job_status_test {

struct StatusCase {
    const char* name;
    std::string spec;
    std::string before;
    std::string now;
    const char* errors;
};

std::string conditions(std::initializer_list<const char*> types) {
    std::string list;
    for (const char* type : types)
        list += std::string(list.empty() ? "" : ", ") + "{'type': '" + type + "', 'status': 'True'}";
    return "'conditions': [" + list + "]";
}

const char* const kIndexed = "'completionMode': 'Indexed', 'completions': 5, 'parallelism': 2";
const char* const kPerIndex =
    "'completionMode': 'Indexed', 'completions': 5, 'parallelism': 2, 'backoffLimitPerIndex': 1";
const char* const kElastic = "'completionMode': 'Indexed', 'completions': 5, 'parallelism': 5";
const char* const kStart = "'startTime': '2026-01-01T00:00:10Z'";
const char* const kEnd = "'completionTime': '2026-01-01T00:00:20Z'";
const std::string kTimes = std::string(kStart) + ", " + kEnd + ", ";
const std::string kComplete = kTimes + conditions({"SuccessCriteriaMet", "Complete"});
const std::string kFailed = std::string(kStart) + ", " + conditions({"FailureTarget", "Failed"});

const StatusCase kStatusCases[] = {
    {"counting", "", "'active': 2", "'active': 1, 'ready': 1, 'succeeded': 1, 'terminating': 0", ""},
    {"completing", "", kStart, kComplete, ""},
    {"failing", "", kStart, kFailed, ""},
    {"a finished Job's other fields may be written", "", kComplete, kComplete + ", 'failed': 1", ""},

    // Numbers.
    {"no counter is negative", "", "", "'active': -1, 'succeeded': -2, 'failed': -3, 'ready': -4, 'terminating': -5",
     "status.active: Invalid value: -1: must be greater than or equal to 0\n"
     "status.succeeded: Invalid value: -2: must be greater than or equal to 0\n"
     "status.failed: Invalid value: -3: must be greater than or equal to 0\n"
     "status.ready: Invalid value: -4: must be greater than or equal to 0\n"
     "status.terminating: Invalid value: -5: must be greater than or equal to 0\n"
     "status.failed: Invalid value: -3: cannot decrease the failed counter\n"
     "status.succeeded: Invalid value: -2: cannot decrease the succeeded counter"},
    {"no more pods are ready than active", "", "", "'active': 1, 'ready': 2",
     "status.ready: Invalid value: 2: cannot set more ready pods than active"},
    {"too many ready pods from before do not matter", "", "'active': 1, 'ready': 2",
     "'active': 1, 'ready': 2, 'succeeded': 1", ""},
    {"failures are never taken back", "", "'failed': 3", "'failed': 2",
     "status.failed: Invalid value: 2: cannot decrease the failed counter"},
    {"successes are never taken back", "", "'succeeded': 3", "'succeeded': 2",
     "status.succeeded: Invalid value: 2: cannot decrease the succeeded counter"},
    {"an indexed Job of fixed size does not lose successes", kIndexed, "'succeeded': 3", "'succeeded': 2",
     "status.succeeded: Invalid value: 2: cannot decrease the succeeded counter"},
    {"an indexed Job that is scaled down does", kElastic, "'succeeded': 3", "'succeeded': 2", ""},

    // Uncounted pods.
    {"uncounted pods have uids", "", "", "'uncountedTerminatedPods': {'succeeded': ['a', ''], 'failed': ['b']}",
     "status.uncountedTerminatedPods.succeeded[1]: Invalid value: \"\": must not be empty"},
    {"a pod is uncounted once", "", "", "'uncountedTerminatedPods': {'succeeded': ['a', 'a']}",
     "status.uncountedTerminatedPods.succeeded[1]: Duplicate value: \"a\""},
    {"a pod ends one way", "", "", "'uncountedTerminatedPods': {'succeeded': ['a'], 'failed': ['b', 'a']}",
     "status.uncountedTerminatedPods.failed[1]: Duplicate value: \"a\""},

    // Conditions that exclude each other.
    {"complete is not failed", "", kStart,
     kTimes + conditions({"SuccessCriteriaMet", "Complete", "FailureTarget", "Failed"}),
     "status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions\n"
     "status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions\n"
     "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions\n"
     "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"},
    {"to succeed is not to fail", "", "", conditions({"SuccessCriteriaMet", "FailureTarget"}),
     "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"},
    {"a failure is announced", "", kStart, std::string(kStart) + ", " + conditions({"Failed"}),
     "status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition"},
    {"a success is announced", "", kStart, kTimes + conditions({"Complete"}),
     "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true "
     "condition"},
    {"a success policy is met first",
     "'completionMode': 'Indexed', 'completions': 5, 'successPolicy': {'rules': [{'succeededCount': 1}]}", kStart,
     kTimes + conditions({"Complete"}),
     "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true "
     "condition\n"
     "status.conditions: Invalid value: cannot set Complete=True for Job with SuccessPolicy unless "
     "SuccessCriteriaMet=True"},

    // The end is the end.
    {"failed stays failed", "", kFailed, std::string(kStart) + ", " + conditions({"FailureTarget"}),
     "status.conditions: Invalid value: cannot disable the terminal Failed=True condition"},
    {"complete stays complete", "", kComplete, std::string(kStart) + ", " + conditions({"SuccessCriteriaMet"}),
     "status.conditions: Invalid value: cannot disable the terminal Complete=True condition"},
    {"a failure that was announced comes", "", conditions({"FailureTarget"}), "",
     "status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition"},
    {"a success that was announced comes", "", conditions({"SuccessCriteriaMet"}), "",
     "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition"},
    {"a success is not announced afterwards", "", kTimes + conditions({"Complete"}), kComplete,
     "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True for Job already has Complete=true "
     "conditions"},

    // Times.
    {"a complete Job has an end", "", kStart,
     std::string(kStart) + ", " + conditions({"SuccessCriteriaMet", "Complete"}),
     "status.completionTime: Required value: completionTime is required for Complete jobs"},
    {"only a complete Job has an end", "", kStart, std::string(kStart) + ", " + kEnd,
     "status.completionTime: Invalid value: \"2026-01-01T00:00:20Z\": cannot set completionTime when there is no "
     "Complete=True condition"},
    {"the end comes after the start", "", kStart,
     std::string(kStart) + ", 'completionTime': '2026-01-01T00:00:09Z', " +
         conditions({"SuccessCriteriaMet", "Complete"}),
     "status.completionTime: Invalid value: \"2026-01-01T00:00:09Z\": must be equal to or after `startTime`"},
    {"the end is for ever", "", kComplete,
     std::string(kStart) + ", 'completionTime': '2026-01-01T00:00:21Z', " +
         conditions({"SuccessCriteriaMet", "Complete"}),
     "status.completionTime: Invalid value: \"2026-01-01T00:00:21Z\": field is immutable"},
    {"the start is set once", "", kStart, "'startTime': '2026-01-01T00:00:11Z'",
     "status.startTime: Invalid value: \"2026-01-01T00:00:11Z\": field is immutable for unsuspended job once set"},
    {"the start is not taken away", "", kStart, "",
     "status.startTime: Invalid value: null: field is immutable for unsuspended job once set"},
    {"suspending takes the start away", "'suspend': true", kStart, conditions({"Suspended"}), ""},
    {"resuming sets another start", "", std::string(kStart) + ", " + conditions({"Suspended"}),
     "'startTime': '2026-01-01T00:00:11Z', 'conditions': [{'type': 'Suspended', 'status': 'False'}]", ""},

    // A finished Job.
    {"a finished Job has started", "", "", conditions({"FailureTarget", "Failed"}),
     "status.startTime: Required value: startTime is required for finished job"},
    {"with nothing to do, a suspended Job is complete", "'suspend': true, 'completions': 0", "",
     std::string(kEnd) + ", " + conditions({"SuccessCriteriaMet", "Complete"}), ""},
    {"a finished Job has no active pods", "", kStart, kFailed + ", 'active': 1",
     "status.active: Invalid value: 1: active>0 is invalid for finished job"},
    {"a finished Job has no pods that are ending", "", kStart, kFailed + ", 'terminating': 1",
     "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job"},
    {"a finished Job has counted all pods", "", kStart, kFailed + ", 'uncountedTerminatedPods': {'failed': ['a']}",
     "status.uncountedTerminatedPods: Invalid value: {\"failed\":[\"a\"]}: must be empty for finished job"},
    {"a finished Job may say that nothing is uncounted", "", kStart, kFailed + ", 'uncountedTerminatedPods': {}", ""},

    // Indexes.
    {"indexes that have completed", kIndexed, "", "'completedIndexes': '0,2-4'", ""},
    {"only an indexed Job has completed indexes", "'completions': 5", "", "'completedIndexes': '0'",
     "status.completedIndexes: Invalid value: \"0\": cannot set non-empty completedIndexes when non-indexed completion "
     "mode"},
    {"completed indexes can be read", kIndexed, "", "'completedIndexes': '0,x'",
     "status.completedIndexes: Invalid value: \"0,x\": error parsing completedIndexes: cannot convert string to "
     "integer "
     "for index: \"x\""},
    {"completed indexes lie below completions", kIndexed, "", "'completedIndexes': '3-5'",
     "status.completedIndexes: Invalid value: \"3-5\": error parsing completedIndexes: too large index: \"5\""},
    {"completed indexes from before scaling down do not matter", kElastic, "'completedIndexes': '3-7'",
     "'completedIndexes': '3-7', 'active': 1", ""},
    {"failed indexes need backoff per index", kIndexed, "", "'failedIndexes': '0'",
     "status.failedIndexes: Invalid value: \"0\": cannot set non-null failedIndexes when backoffLimitPerIndex is null"},
    {"failed indexes can be read", kPerIndex, "", "'failedIndexes': '2,1'",
     "status.failedIndexes: Invalid value: \"2,1\": error parsing failedIndexes: non-increasing order, previous: 2, "
     "current: 1"},
    {"no failed index at all", kPerIndex, "", "'failedIndexes': ''", ""},
    {"no index both fails and completes", kPerIndex, "", "'completedIndexes': '0-2', 'failedIndexes': '2,4'",
     "status.failedIndexes: Invalid value: \"2,4\": failedIndexes and completedIndexes overlap at index: 2"},
};

std::string errors_of_status(const StatusCase& test) {
    const auto job_with = [&](const std::string& status) {
        return make_job("{'spec': {" + test.spec + "}, 'status': {" + status + "}}");
    };
    const batch::Job old = job_with(test.before);
    batch::Job job = job_with(test.now);
    prepare_job_status_update(job, old);
    return print_errors(validate_job_status_update(job, old));
}

TEST(JobStatusUpdate, KeepsTheRules) {
    for (const StatusCase& test : kStatusCases) {
        SCOPED_TRACE(test.name);
        EXPECT_EQ(errors_of_status(test), test.errors);
    }
}

}  // namespace job_status_test
}  // namespace muster::api
