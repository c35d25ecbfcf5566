#include "controllers/job/end_state.h"

#include "controllers/job/survey.h"
#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace end_state_test {

TEST(EndState, InThisOrder) {
    constexpr const char* kRules =
        "'podFailurePolicy': {'rules': [{'action': 'FailJob', 'onExitCodes': {'operator': 'In', 'values': [9]}}, "
        "{'action': 'Ignore', 'onExitCodes': {'operator': 'In', 'values': [7]}}]}";
    constexpr const char* kLate = "'activeDeadlineSeconds': 60";
    constexpr const char* kStarted = "'startTime': '2023-12-31T23:00:00Z'";
    struct Case {
        const char* name;
        std::string job;
        PodCases pods;
        const char* reason;
    } cases[] = {
        {"none", "{'spec': {'completions': 3}}", {{"a", "failed"}}, ""},
        {"a recorded success before a recorded failure",
         "{'status': {'conditions': [{'type': 'FailureTarget', 'status': 'True', 'reason': 'F'}, {'type': "
         "'SuccessCriteriaMet', 'status': 'True', 'reason': 'S'}]}}",
         {},
         "S"},
        {"what is recorded before everything",
         std::string("{'spec': {") + kRules +
             "}, 'status': {'conditions': [{'type': 'FailureTarget', 'status': "
             "'True', 'reason': 'F'}]}}",
         {{"a", "failed exit9"}},
         "F"},
        {"a rule before the limit",
         std::string("{'spec': {'backoffLimit': 0, ") + kRules + "}}",
         {{"a", "failed exit1"}, {"b", "failed exit9"}},
         "PodFailurePolicy"},
        {"#113860: not before the pod has failed",
         std::string("{'spec': {") + kRules + "}}",
         {{"b", "running deleting exit9"}},
         ""},
        {"the limit before the deadline",
         std::string("{'spec': {'backoffLimit': 0, ") + kLate + "}, 'status': {" + kStarted + "}}",
         {{"a", "failed"}},
         "BackoffLimitExceeded"},
        {"the limit counts numbers, names and what is new",
         "{'spec': {'backoffLimit': 2}, 'status': {'failed': 1, 'uncountedTerminatedPods': {'failed': ['x']}}}",
         {{"a", "failed"}, {"x", "failed"}},
         "BackoffLimitExceeded"},
        {"but none of them twice",
         "{'spec': {'backoffLimit': 2}, 'status': {'failed': 1, 'uncountedTerminatedPods': {'failed': ['x']}}}",
         {{"x", "failed"}},
         ""},
        {"ignored failures do not count",
         std::string("{'spec': {'backoffLimit': 0, ") + kRules + "}}",
         {{"a", "failed exit7"}},
         ""},
        {"restarts count with OnFailure",
         "{'spec': {'backoffLimit': 3, 'template': {'spec': {'restartPolicy': 'OnFailure'}}}}",
         {{"a", "running restarts2"}, {"b", "pending restarts1"}},
         "BackoffLimitExceeded"},
        {"#89630: not those of pods that have ended",
         "{'spec': {'backoffLimit': 3, 'template': {'spec': {'restartPolicy': 'OnFailure'}}}}",
         {{"a", "running restarts2"}, {"b", "succeeded restarts1"}},
         ""},
        {"a limit of 0 bears no restart",
         "{'spec': {'backoffLimit': 0, 'template': {'spec': {'restartPolicy': 'OnFailure'}}}}",
         {{"a", "running restarts1"}},
         "BackoffLimitExceeded"},
        {"nor does it fail without one",
         "{'spec': {'backoffLimit': 0, 'template': {'spec': {'restartPolicy': 'OnFailure'}}}}",
         {{"a", "running"}},
         ""},
        {"restarts do not count with Never", "{'spec': {'backoffLimit': 1}}", {{"a", "running restarts5"}}, ""},
        {"the deadline before failed indexes",
         std::string("{'spec': {'completionMode': 'Indexed', 'completions': 1, 'backoffLimitPerIndex': 0, ") + kLate +
             "}, 'status': {" + kStarted + "}}",
         {{"a", "failed #0 f0"}},
         "DeadlineExceeded"},
        {"failed indexes before a success policy",
         "{'spec': {'completionMode': 'Indexed', 'completions': 2, 'backoffLimitPerIndex': 0, 'successPolicy': "
         "{'rules': [{'succeededCount': 1}]}}}",
         {{"a", "failed #0 f0"}, {"b", "succeeded #1"}},
         "FailedIndexes"},
        {"too many failed indexes",
         "{'spec': {'completionMode': 'Indexed', 'completions': 5, 'backoffLimitPerIndex': 0, 'maxFailedIndexes': 1}, "
         "'status': {'failedIndexes': '3'}}",
         {{"a", "failed #0 f0"}},
         "MaxFailedIndexesExceeded"},
        {"a success policy",
         "{'spec': {'completionMode': 'Indexed', 'completions': 5, 'successPolicy': {'rules': [{'succeededCount': "
         "1}]}}}",
         {{"b", "succeeded #1"}},
         "SuccessPolicy"},
        {"without one, completions are looked at later",
         "{'spec': {'completionMode': 'Indexed', 'completions': 1}}",
         {{"b", "succeeded #0"}},
         ""},
    };
    for (const Case& c : cases) {
        const Job job = api::make_job(c.job);
        const auto pods = make_pods(c.pods);
        const Survey survey = make_survey({.job = job, .pods = pods, .now = kNow});
        EXPECT_EQ(survey.end ? survey.end->reason : "", c.reason) << c.name;
    }
}

TEST(EndState, TheFirstFailedPodByNameGivesTheMessage) {
    const Job job = api::make_job(
        "{'spec': {'podFailurePolicy': {'rules': [{'action': 'FailJob', 'onExitCodes': {'operator': 'In', 'values': "
        "[9]}}]}}}");
    const auto pods = make_pods({{"b", "failed exit9"}, {"a", "failed exit1"}, {"c", "failed exit9"}});
    const Survey survey = make_survey({.job = job, .pods = pods, .now = kNow});
    EXPECT_EQ(survey.end->message, "Container c for pod n/b failed with exit code 9 matching FailJob rule at index 0");
}

}  // namespace end_state_test
}  // namespace muster::controllers::jobs
