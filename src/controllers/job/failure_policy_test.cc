#include "controllers/job/failure_policy.h"

#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace failure_policy_test {

using api::batch::PodFailurePolicy;

PodFailurePolicy policy(const std::string& rules) {
    return api::make_object<PodFailurePolicy>("{}", "{'rules': [" + rules + "]}");
}

TEST(FailurePolicy, TheFirstRuleThatMatchesDecides) {
    const std::string in7 = "'onExitCodes': {'operator': 'In', 'values': [5, 7]}}";
    struct Case {
        const char* name;
        std::string rules;
        const char* pod;
        FailureAction action;
        std::size_t rule;
    } cases[] = {
        {"no rule", "", "failed exit1", FailureAction::kNoRule, 0},
        {"listed", "{'action': 'FailJob', " + in7, "failed exit7", FailureAction::kFailJob, 0},
        {"not listed", "{'action': 'FailJob', " + in7, "failed exit1", FailureAction::kNoRule, 0},
        {"exit code 0 is no failure", "{'action': 'FailJob', 'onExitCodes': {'operator': 'NotIn', 'values': [5]}}",
         "failed exit0", FailureAction::kNoRule, 0},
        {"NotIn", "{'action': 'Ignore', 'onExitCodes': {'operator': 'NotIn', 'values': [5]}}", "failed exit7",
         FailureAction::kIgnore, 0},
        {"negative codes", "{'action': 'Ignore', 'onExitCodes': {'operator': 'In', 'values': [-1]}}", "failed exit-1",
         FailureAction::kIgnore, 0},
        {"of one container only",
         "{'action': 'Ignore', 'onExitCodes': {'containerName': 'd', 'operator': 'In', 'values': [7]}}", "failed exit7",
         FailureAction::kNoRule, 0},
        {"an unknown operator never matches",
         "{'action': 'Ignore', 'onExitCodes': {'operator': 'Like', 'values': [7]}}", "failed exit7",
         FailureAction::kNoRule, 0},
        {"an unknown action never matches, the next may", "{'action': 'Retry', " + in7 + ", {'action': 'Count', " + in7,
         "failed exit7", FailureAction::kCount, 1},
        {"by condition",
         "{'action': 'Ignore', 'onPodConditions': [{'type': 'X', 'status': 'True'}, {'type': 'DisruptionTarget', "
         "'status': 'True'}]}",
         "failed disrupted", FailureAction::kIgnore, 0},
        {"a condition of another status",
         "{'action': 'Ignore', 'onPodConditions': [{'type': 'DisruptionTarget', 'status': 'False'}]}",
         "failed disrupted", FailureAction::kNoRule, 0},
        {"order decides, not the action",
         "{'action': 'FailIndex', 'onPodConditions': [{'type': 'DisruptionTarget', 'status': 'True'}]}, {'action': "
         "'FailJob', " +
             in7,
         "failed disrupted exit7", FailureAction::kFailIndex, 0},
    };
    for (const Case& c : cases) {
        const PodFailurePolicy rules = policy(c.rules);
        const Pod pod = make_pod("p", c.pod);
        const FailureVerdict verdict = match_failure_policy(&rules, pod);
        EXPECT_EQ(name_of(verdict.action), name_of(c.action)) << c.name;
        EXPECT_EQ(verdict.rule, c.rule) << c.name;
    }
    const Pod pod = make_pod("p", "failed exit7");
    EXPECT_TRUE(match_failure_policy(nullptr, pod).counts());
}

// #113856
TEST(FailurePolicy, AContainerThatHasNotEndedHasNoExitCode) {
    const PodFailurePolicy rules = policy("{'action': 'FailJob', 'onExitCodes': {'operator': 'NotIn', 'values': [5]}}");
    const Pod pod = make_pod("p", "failed",
                             "{'status': {'containerStatuses': [{'name': 'c', 'image': '', 'imageID': '', 'ready': "
                             "false, 'restartCount': 0, 'state': {'running': {}}}]}}");
    EXPECT_EQ(match_failure_policy(&rules, pod).action, FailureAction::kNoRule);
}

TEST(FailurePolicy, ContainersBeforeInitContainers) {
    const PodFailurePolicy rules = policy("{'action': 'FailJob', 'onExitCodes': {'operator': 'In', 'values': [5, 7]}}");
    const Pod pod = make_pod("p", "failed exit7",
                             "{'status': {'initContainerStatuses': [{'name': 'i', 'image': '', 'imageID': '', "
                             "'ready': false, 'restartCount': 0, 'state': {'terminated': {'exitCode': 5}}}]}}");
    EXPECT_EQ(fail_job_message(match_failure_policy(&rules, pod), pod),
              "Container c for pod n/p failed with exit code 7 matching FailJob rule at index 0");
}

TEST(FailurePolicy, TheMessageNamesTheCondition) {
    const PodFailurePolicy rules = policy(
        "{'action': 'Count', 'onExitCodes': {'operator': 'In', 'values': [5]}}, {'action': 'FailJob', "
        "'onPodConditions': [{'type': 'DisruptionTarget', 'status': 'True'}]}");
    const Pod pod = make_pod("p", "failed disrupted");
    EXPECT_EQ(fail_job_message(match_failure_policy(&rules, pod), pod),
              "Pod n/p has condition DisruptionTarget matching FailJob rule at index 1");
}

}  // namespace failure_policy_test
}  // namespace muster::controllers::jobs
