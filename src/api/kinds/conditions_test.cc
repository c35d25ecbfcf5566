#include "api/kinds/conditions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/kinds/batch.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/meta/meta.h"

namespace muster::api {
namespace conditions_test {

const Time kThen = Time::from_unix_seconds(1000);
const Time kNow = Time::from_unix_seconds(2000);

template <class C>
List<C> ready(const char* status, const char* reason, const char* message) {
    C condition;
    condition.type = "Ready";
    condition.status = status;
    condition.reason = reason;
    condition.message = message;
    condition.last_transition_time = kThen;
    if constexpr (requires { condition.observed_generation; }) condition.observed_generation = 3;
    return {condition};
}

// "Ready=True Why text g3 @then", one for each condition.
template <class C>
std::string print(const List<C>& conditions) {
    std::string out;
    for (const C& it : conditions) {
        out += (out.empty() ? "" : "; ") + it.type.str() + "=" + it.status.str() + " " + it.reason.str() + " " +
               it.message.str();
        if constexpr (requires { it.observed_generation; }) out += " g" + std::to_string(it.observed_generation);
        out += it.last_transition_time == kNow ? " @now" : " @then";
    }
    return out;
}

TEST(SetCondition, TheTimeMovesWithTheStatusAndEveryOtherFieldIsKeptUpToDate) {
    struct Case {
        const char* name;
        ConditionValue value;
        bool changed;
        const char* after;
    } cases[] = {
        {"the same again changes nothing", {"Ready", "True", "Why", "text", 3}, false, "Ready=True Why text g3 @then"},
        {"another status moves the time", {"Ready", "False", "Why", "text", 3}, true, "Ready=False Why text g3 @now"},
        {"so does an unknown one", {"Ready", "Unknown", "Why", "text", 3}, true, "Ready=Unknown Why text g3 @now"},
        {"another reason does not", {"Ready", "True", "Other", "text", 3}, true, "Ready=True Other text g3 @then"},
        {"nor does another message", {"Ready", "True", "Why", "more", 3}, true, "Ready=True Why more g3 @then"},
        {"nor does another generation", {"Ready", "True", "Why", "text", 4}, true, "Ready=True Why text g4 @then"},
        {"the generation stays when none is given",
         {"Ready", "True", "Why", "more"},
         true,
         "Ready=True Why more g3 @then"},
        {"and is no change by itself", {"Ready", "True", "Why", "text"}, false, "Ready=True Why text g3 @then"},
        {"a new condition comes last",
         {"Fine", "True", "New", "", 1},
         true,
         "Ready=True Why text g3 @then; Fine=True New  g1 @now"},
        {"also one that does not hold",
         {"Fine", "False", "New", "", 1},
         true,
         "Ready=True Why text g3 @then; Fine=False New  g1 @now"},
    };
    for (const Case& c : cases) {
        List<meta::Condition> conditions = ready<meta::Condition>("True", "Why", "text");
        EXPECT_EQ(set_condition(conditions, c.value, kNow), c.changed) << c.name;
        EXPECT_EQ(print(conditions), c.after) << c.name;
    }
}

TEST(SetCondition, OfAJobEveryChangeMovesBothTimesAndFalseIsNotAdded) {
    struct Case {
        const char* name;
        ConditionValue value;
        bool changed;
        const char* after;
    } cases[] = {
        {"the same again changes nothing", {"Ready", "True", "Why", "text"}, false, "Ready=True Why text @then"},
        {"another status moves the time", {"Ready", "False", "Why", "text"}, true, "Ready=False Why text @now"},
        {"another reason too", {"Ready", "True", "Other", "text"}, true, "Ready=True Other text @now"},
        {"another message too", {"Ready", "True", "Why", "more"}, true, "Ready=True Why more @now"},
        {"a condition is added when it holds",
         {"Fine", "True", "New", ""},
         true,
         "Ready=True Why text @then; Fine=True New  @now"},
        {"it is not added as False", {"Fine", "False", "New", ""}, false, "Ready=True Why text @then"},
    };
    for (const Case& c : cases) {
        List<batch::JobCondition> conditions = ready<batch::JobCondition>("True", "Why", "text");
        EXPECT_EQ(set_condition(conditions, c.value, kNow, ConditionRule::kOfJobs), c.changed) << c.name;
        EXPECT_EQ(print(conditions), c.after) << c.name;
        for (const batch::JobCondition& condition : conditions)
            EXPECT_EQ(condition.last_probe_time == kNow, condition.last_transition_time == kNow) << c.name;
    }
}

TEST(SetCondition, OtherFieldsStay) {
    List<core::PodCondition> pod = ready<core::PodCondition>("True", "Why", "text");
    pod.edit()[0].last_probe_time = kThen;
    EXPECT_TRUE(set_condition(pod, {"Ready", "False"}, kNow));
    EXPECT_EQ(pod[0].last_probe_time, kThen);
    List<core::NodeCondition> node = ready<core::NodeCondition>("True", "Why", "text");
    node.edit()[0].last_heartbeat_time = kThen;
    EXPECT_TRUE(set_condition(node, {"Ready", "Unknown"}, kNow));
    EXPECT_EQ(node[0].last_heartbeat_time, kThen);
}

TEST(SetCondition, WhatItSaysMayBeAPartOfTheConditions) {
    List<meta::Condition> conditions =
        ready<meta::Condition>("True", "Short", "a text that is longer than seven bytes");
    for (const char* type : {"A", "B", "C", "D"})
        set_condition(conditions, {type, conditions[0].status, conditions[0].reason, conditions[0].message}, kNow);
    ASSERT_EQ(conditions.size(), 5u);
    EXPECT_EQ(conditions[4].reason, "Short");
    EXPECT_EQ(conditions[4].message, conditions[0].message);
}

TEST(SetCondition, ListsThatShareTheirConditionsStayApart) {
    List<meta::Condition> conditions = ready<meta::Condition>("True", "Why", "text");
    const List<meta::Condition> before = conditions;
    set_condition(conditions, {"Ready", "False", "Why", "text"}, kNow);
    EXPECT_EQ(print(before), "Ready=True Why text g3 @then");
}

TEST(SetCondition, ConditionsOfManyObjectsShareTheirWords) {
    const std::string type = "ContainersReady";
    const std::string reason = "PodCompleted";
    std::vector<List<core::PodCondition>> pods(3);
    for (auto& conditions : pods) set_condition(conditions, {type, "False", reason}, kNow);
    EXPECT_EQ(pods[1][0].type.view().data(), pods[2][0].type.view().data());
    EXPECT_EQ(pods[1][0].reason.view().data(), pods[2][0].reason.view().data());
}

TEST(FindCondition, FindsByTypeAndTellsWhetherItHolds) {
    const List<meta::Condition> conditions = ready<meta::Condition>("True", "Why", "text");
    EXPECT_EQ(find_condition(conditions, "Ready"), conditions.begin());
    EXPECT_EQ(find_condition(conditions, "Fine"), nullptr);
    EXPECT_TRUE(is_condition_true(conditions, "Ready"));
    EXPECT_FALSE(is_condition_true(conditions, "Fine"));
    EXPECT_FALSE(is_condition_true(ready<meta::Condition>("Unknown", "", ""), "Ready"));
}

}  // namespace conditions_test
}  // namespace muster::api
