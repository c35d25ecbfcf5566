#include "api/selector/node_match.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace node_match_test {

TEST(MeetsRequirement, ComparesTheLabelAsTheOperatorSays) {
    struct Case {
        const char* name;
        const char* op;
        List<Text> values;
        const char* label;  // null: the node has none
        bool want;
    };
    const Case cases[] = {
        {"In holds for a listed value", "In", {"a", "b"}, "b", true},
        {"In does not hold for another value", "In", {"a", "b"}, "c", false},
        {"In does not hold without the label", "In", {"a"}, nullptr, false},
        {"In takes an empty label for a value", "In", {""}, "", true},
        {"In of nothing never holds", "In", {}, "a", false},
        {"NotIn does not hold for a listed value", "NotIn", {"a", "b"}, "a", false},
        {"NotIn holds for another value", "NotIn", {"a"}, "c", true},
        {"NotIn holds without the label", "NotIn", {"a"}, nullptr, true},
        {"Exists holds for any value", "Exists", {}, "a", true},
        {"Exists holds for an empty value", "Exists", {}, "", true},
        {"Exists does not hold without the label", "Exists", {}, nullptr, false},
        {"DoesNotExist holds without the label", "DoesNotExist", {}, nullptr, true},
        {"DoesNotExist does not hold for an empty value", "DoesNotExist", {}, "", false},
        {"Gt holds for a larger number", "Gt", {"9"}, "10", true},
        {"Gt does not hold for the same number", "Gt", {"9"}, "9", false},
        {"Gt compares numbers, not text", "Gt", {"10"}, "9", false},
        {"Gt knows negative numbers", "Gt", {"-10"}, "-9", true},
        {"Gt reads leading zeros", "Gt", {"7"}, "0008", true},
        {"Gt does not hold without the label", "Gt", {"1"}, nullptr, false},
        {"Gt does not hold for a label that is no number", "Gt", {"1"}, "2GB", false},
        {"Gt does not hold for an empty label", "Gt", {"-1"}, "", false},
        {"Gt does not hold for a fraction", "Gt", {"1"}, "2.5", false},
        {"Gt does not hold for a bound that is no number", "Gt", {"one"}, "2", false},
        {"Gt does not hold beyond 64 bits", "Gt", {"1"}, "9223372036854775808", false},
        {"Gt holds up to 64 bits", "Gt", {"1"}, "9223372036854775807", true},
        {"Gt needs exactly one bound", "Gt", {"1", "2"}, "3", false},
        {"Gt without a bound does not hold", "Gt", {}, "3", false},
        {"Lt holds for a smaller number", "Lt", {"10"}, "9", true},
        {"Lt does not hold for the same number", "Lt", {"9"}, "9", false},
        {"Lt does not hold for a larger number", "Lt", {"9"}, "10", false},
        {"Lt does not hold for a label that is no number", "Lt", {"9"}, "x", false},
        {"an unknown operator never holds", "Like", {"1"}, "1", false},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const core::NodeSelectorRequirement requirement{.key = "k", .operator_ = one.op, .values = one.values};
        const Text label(one.label ? one.label : "");
        EXPECT_EQ(meets_requirement(requirement, one.label ? &label : nullptr), one.want);
    }
}

core::Toleration toleration(const char* key, const char* op, const char* value, const char* effect) {
    return {.key = key, .operator_ = op, .value = value, .effect = effect};
}

core::Taint taint(const char* key, const char* value, const char* effect) {
    return {.key = key, .value = value, .effect = effect};
}

TEST(Tolerates, ATaintOfTheSameKeyEffectAndFittingValue) {
    struct Case {
        const char* name;
        core::Toleration toleration;
        core::Taint taint;
        bool want;
    };
    const core::Taint gpu = taint("gpu", "old", "NoSchedule");
    const core::Taint seven = taint("level", "7", "NoSchedule");
    const Case cases[] = {
        {"Equal with key, value and effect", toleration("gpu", "Equal", "old", "NoSchedule"), gpu, true},
        {"no operator means Equal", toleration("gpu", "", "old", "NoSchedule"), gpu, true},
        {"Equal with another value", toleration("gpu", "Equal", "new", "NoSchedule"), gpu, false},
        {"Equal with no value, and the taint has one", toleration("gpu", "Equal", "", "NoSchedule"), gpu, false},
        {"Equal with no value, nor has the taint", toleration("gpu", "", "", ""), taint("gpu", "", "NoExecute"), true},
        {"another key", toleration("cpu", "Equal", "old", "NoSchedule"), gpu, false},
        {"Exists with another key", toleration("cpu", "Exists", "", "NoSchedule"), gpu, false},
        {"Exists takes any value", toleration("gpu", "Exists", "", "NoSchedule"), gpu, true},
        {"no key and Exists takes every key", toleration("", "Exists", "", "NoSchedule"), gpu, true},
        {"no key, but another effect", toleration("", "Exists", "", "NoExecute"), gpu, false},
        {"no key and no effect takes everything", toleration("", "Exists", "", ""), gpu, true},
        {"no effect takes NoSchedule", toleration("gpu", "Exists", "", ""), gpu, true},
        {"no effect takes NoExecute", toleration("gpu", "Exists", "", ""), taint("gpu", "", "NoExecute"), true},
        {"no effect takes PreferNoSchedule", toleration("gpu", "Exists", "", ""), taint("gpu", "", "PreferNoSchedule"),
         true},
        {"NoExecute does not take NoSchedule", toleration("gpu", "Exists", "", "NoExecute"), gpu, false},
        {"NoSchedule does not take PreferNoSchedule", toleration("gpu", "Exists", "", "NoSchedule"),
         taint("gpu", "", "PreferNoSchedule"), false},
        {"Lt takes a smaller taint", toleration("level", "Lt", "8", "NoSchedule"), seven, true},
        {"Lt does not take an equal taint", toleration("level", "Lt", "7", "NoSchedule"), seven, false},
        {"Lt does not take a larger taint", toleration("level", "Lt", "6", "NoSchedule"), seven, false},
        {"Gt takes a larger taint", toleration("level", "Gt", "-6", "NoSchedule"), seven, true},
        {"Gt does not take an equal taint", toleration("level", "Gt", "7", "NoSchedule"), seven, false},
        {"Gt does not take a taint that is no number", toleration("gpu", "Gt", "1", "NoSchedule"), gpu, false},
        {"Lt with a bound that is no number", toleration("level", "Lt", "high", "NoSchedule"), seven, false},
        {"Lt with an empty bound", toleration("level", "Lt", "", "NoSchedule"), seven, false},
        {"a number with leading zeros is none", toleration("level", "Lt", "08", "NoSchedule"), seven, false},
        {"nor is one in the taint", toleration("level", "Lt", "8", "NoSchedule"), taint("level", "07", "NoSchedule"),
         false},
        {"nor is minus zero", toleration("level", "Gt", "-0", "NoSchedule"), seven, false},
        {"zero is one", toleration("level", "Gt", "0", "NoSchedule"), seven, true},
        {"an unknown operator takes nothing", toleration("gpu", "Like", "old", "NoSchedule"), gpu, false},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        EXPECT_EQ(tolerates(one.toleration, one.taint), one.want);
        const core::Toleration other = toleration("other", "Exists", "", "");
        EXPECT_EQ(is_tolerated({other, one.toleration}, one.taint), one.want);
        EXPECT_FALSE(is_tolerated({other}, one.taint));
        EXPECT_FALSE(is_tolerated({}, one.taint));
    }
}

}  // namespace node_match_test
}  // namespace muster::api
