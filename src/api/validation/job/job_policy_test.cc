#include "api/validation/job/job_policy.h"

#include <gtest/gtest.h>

#include "api/testing/drafts.h"
#include "api/validation/job/job.h"

namespace muster::api {
namespace job_policy_test {

struct PolicyCase {
    const char* name;
    std::string policy;
    std::string errors;
};

std::string many_rules(int count) {
    std::string rules;
    for (int i = 1; i <= count; ++i) {
        rules += std::string(i > 1 ? "," : "") + "{'action': 'Count', 'onExitCodes': {'operator': 'In', 'values': [" +
                 std::to_string(i) + "]}}";
    }
    return "[" + rules + "]";
}

std::string codes_up_to(int count) {
    std::string codes;
    for (int i = 1; i <= count; ++i) codes += (i > 1 ? "," : "") + std::to_string(i);
    return "[{'action': 'Count', 'onExitCodes': {'operator': 'In', 'values': [" + codes + "]}}]";
}

const PolicyCase kFailureCases[] = {
    {"a rule by exit codes", "[{'action': 'FailJob', 'onExitCodes': {'operator': 'In', 'values': [1, 2]}}]", ""},
    {"a rule by conditions", "[{'action': 'Ignore', 'onPodConditions': [{'type': 'DisruptionTarget'}]}]", ""},
    {"a container of the template",
     "[{'action': 'Count', 'onExitCodes': {'containerName': 'c', 'operator': 'NotIn', 'values': [0, 1]}}]", ""},
    {"no rule at all is allowed", "[]", ""},
    {"twenty rules are allowed", many_rules(20), ""},
    {"twenty-one are not", many_rules(21), "spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"},
    {"a rule needs an action", "[{'onExitCodes': {'operator': 'In', 'values': [1]}}]",
     "spec.podFailurePolicy.rules[0].action: Required value: valid values: [\"Count\" \"FailIndex\" \"FailJob\" "
     "\"Ignore\"]"},
    {"an action must be known", "[{'action': 'Shrug', 'onExitCodes': {'operator': 'In', 'values': [1]}}]",
     "spec.podFailurePolicy.rules[0].action: Unsupported value: \"Shrug\": supported values: \"Count\", \"FailIndex\", "
     "\"FailJob\", \"Ignore\""},
    {"an index can only fail with backoff per index",
     "[{'action': 'FailIndex', 'onExitCodes': {'operator': 'In', 'values': [1]}}]",
     "spec.podFailurePolicy.rules[0].action: Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be "
     "set"},
    {"a rule needs something to match", "[{'action': 'Count'}]",
     "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"},
    {"a rule matches one thing",
     "[{'action': 'Count', 'onExitCodes': {'operator': 'In', 'values': [1]}, 'onPodConditions': [{'type': 'A'}]}]",
     "spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"},
    {"an operator is needed", "[{'action': 'Count', 'onExitCodes': {'values': [1]}}]",
     "spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: [\"In\" \"NotIn\"]"},
    {"an operator must be known", "[{'action': 'Count', 'onExitCodes': {'operator': 'Near', 'values': [1]}}]",
     "spec.podFailurePolicy.rules[0].onExitCodes.operator: Unsupported value: \"Near\": supported values: \"In\", "
     "\"NotIn\""},
    {"a container must be there",
     "[{'action': 'Count', 'onExitCodes': {'containerName': 'x', 'operator': 'In', 'values': [1]}}]",
     "spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: \"x\": must be one of the container or "
     "initContainer names in the pod template"},
    {"some value is needed", "[{'action': 'Count', 'onExitCodes': {'operator': 'In', 'values': []}}]",
     "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required"},
    {"255 values are allowed", codes_up_to(255), ""},
    {"256 are not", codes_up_to(256),
     "spec.podFailurePolicy.rules[0].onExitCodes.values: Too many: 256: must have at most 255 items"},
    {"success is not a failure", "[{'action': 'Count', 'onExitCodes': {'operator': 'In', 'values': [0, 1]}}]",
     "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator"},
    {"values do not repeat", "[{'action': 'Count', 'onExitCodes': {'operator': 'NotIn', 'values': [1, 1]}}]",
     "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Duplicate value: 1"},
    {"values rise", "[{'action': 'Count', 'onExitCodes': {'operator': 'In', 'values': [2, 1]}}]",
     "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered"},
    {"a condition has a known status", "[{'action': 'Count', 'onPodConditions': [{'type': 'A', 'status': 'Maybe'}]}]",
     "spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: \"Maybe\": supported values: "
     "\"False\", \"True\", \"Unknown\""},
};

TEST(PodFailurePolicy, KeepsTheRules) {
    for (const PolicyCase& test : kFailureCases) {
        SCOPED_TRACE(test.name);
        const batch::Job job = make_job("{'spec': {'podFailurePolicy': {'rules': " + test.policy + "}}}");
        EXPECT_EQ(print_errors(validate_job_create(job)), test.errors);
    }
}

TEST(PodFailurePolicy, NeedsPodsThatAreNotRestarted) {
    const batch::Job job =
        make_job("{'spec': {'podFailurePolicy': {'rules': []}, 'template': {'spec': {'restartPolicy': 'OnFailure'}}}}");
    EXPECT_EQ(print_errors(validate_job_create(job)),
              "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported when "
              "podFailurePolicy is specified");
}

const PolicyCase kSuccessCases[] = {
    {"a rule by indexes", "[{'succeededIndexes': '0-3,7'}]", ""},
    {"a rule by count", "[{'succeededCount': 3}]", ""},
    {"a count among indexes", "[{'succeededIndexes': '0-3,7', 'succeededCount': 5}]", ""},
    {"some rule is needed", "[]",
     "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is "
     "specified"},
    {"a rule asks for something", "[{}]",
     "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be "
     "specified"},
    {"indexes lie below completions", "[{'succeededIndexes': '0,10'}]",
     "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"0,10\": error parsing succeededIndexes: too large "
     "index: \"10\""},
    {"indexes rise", "[{'succeededIndexes': '5,4'}]",
     "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"5,4\": error parsing succeededIndexes: "
     "non-increasing order, previous: 5, current: 4"},
    {"a count is not negative", "[{'succeededCount': -1}]",
     "spec.successPolicy.rules[0].succeededCount: Invalid value: -1: must be greater than or equal to 0"},
    {"a count is at most the completions", "[{'succeededCount': 11}]",
     "spec.successPolicy.rules[0].succeededCount: Invalid value: 11: must be less than or equal to 10 (the number of "
     "specified completions)"},
    {"a count is at most the indexes listed", "[{'succeededIndexes': '1-3', 'succeededCount': 4}]",
     "spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of "
     "indexes in the specified succeededIndexes field)"},
};

TEST(SuccessPolicy, KeepsTheRules) {
    for (const PolicyCase& test : kSuccessCases) {
        SCOPED_TRACE(test.name);
        const batch::Job job = make_job(
            "{'spec': {'completionMode': 'Indexed', 'completions': 10, 'successPolicy': {'rules': " + test.policy +
            "}}}");
        EXPECT_EQ(print_errors(validate_job_create(job)), test.errors);
    }
}

TEST(SuccessPolicy, NeedsIndexes) {
    EXPECT_EQ(print_errors(validate_job_create(make_job("{'spec': {'successPolicy': {'rules': []}}}"))),
              "spec.successPolicy: Invalid value: {\"rules\":[]}: requires indexed completion mode");
}

TEST(SuccessPolicy, SaysNothingOfIndexesWithoutCompletions) {
    const batch::Job job = make_job(
        "{'spec': {'completionMode': 'Indexed', 'parallelism': 1, 'successPolicy': {'rules': [{'succeededCount': "
        "1}]}}}");
    EXPECT_EQ(print_errors(validate_job_create(job)),
              "spec.completions: Required value: when completion mode is Indexed");
}

TEST(SuccessPolicy, IndexesAreNotEndless) {
    const batch::Job job = make_job(
        "{'spec': {'completionMode': 'Indexed', 'completions': 10, 'successPolicy': "
        "{'rules': [{'succeededIndexes': '" +
        std::string((64 << 10) + 1, '0') + "'}]}}}");
    EXPECT_EQ(print_errors(validate_job_create(job)),
              "spec.successPolicy.rules[0].succeededIndexes: Too long: may not be more than 65536 bytes");
}

TEST(PodReplacementPolicy, IsFailedWhereFailuresAreLookedAt) {
    const auto errors_of = [](const char* patch) { return print_errors(validate_job_create(make_job(patch))); };
    EXPECT_EQ(errors_of("{'spec': {'podReplacementPolicy': 'TerminatingOrFailed'}}"), "");
    EXPECT_EQ(errors_of("{'spec': {'podReplacementPolicy': 'Failed', 'podFailurePolicy': {'rules': []}}}"), "");
    EXPECT_EQ(errors_of("{'spec': {'podReplacementPolicy': 'Later'}}"),
              "spec.podReplacementPolicy: Unsupported value: \"Later\": supported values: \"Failed\", "
              "\"TerminatingOrFailed\"");
    EXPECT_EQ(errors_of("{'spec': {'podReplacementPolicy': 'TerminatingOrFailed', 'podFailurePolicy': {'rules': []}}}"),
              "spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\"");
}

}  // namespace job_policy_test
}  // namespace muster::api
