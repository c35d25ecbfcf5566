#include "api/limits/limit_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/defaults/limit_range.h"
#include "api/validation/limit_range.h"

namespace muster::api {
namespace limit_range_test {

using core::LimitRange;
using core::PersistentVolumeClaimSpec;
using core::Pod;
using core::PodSpec;
using testing::ElementsAre;

LimitRange range_of(const std::string& item) {
    LimitRange range = from_yaml<LimitRange>(
                           "{metadata: {name: l, namespace: ns}, spec: {limits: "
                           "[" +
                           item + "]}}")
                           .value();
    default_limit_range(range);
    return range;
}

struct DefaultCase {
    const char* sentence;
    const char* item;
    const char* limits;
    const char* requests;
};

TEST(LimitRangeDefaults, FollowFromWhatIsStated) {
    const DefaultCase cases[] = {
        {"the default limit is the maximum, and the default request the default limit",
         "{type: Container, max: {cpu: 2}}", R"({"cpu":"2"})", R"({"cpu":"2"})"},
        {"a default limit goes before the maximum", "{type: Container, max: {cpu: 2}, default: {cpu: 1}}",
         R"({"cpu":"1"})", R"({"cpu":"1"})"},
        {"a minimum is the default request where no limit is", "{type: Container, min: {cpu: 100m}}", "",
         R"({"cpu":"100m"})"},
        {"what is stated stays",
         "{type: Container, min: {cpu: 1}, max: {cpu: 4}, default: {cpu: 3}, defaultRequest: "
         "{cpu: 2}}",
         R"({"cpu":"3"})", R"({"cpu":"2"})"},
        {"only containers have defaults", "{type: Pod, max: {cpu: 2}}", "", ""},
    };
    const auto text = [](const Map<Quantity>& amounts) {
        std::string out;
        if (!amounts.empty()) append_json_value(value_info<Map<Quantity>>(), &amounts, out);
        return out;
    };
    for (const DefaultCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        const LimitRange range = range_of(one.item);
        EXPECT_EQ(text(range.spec.limits[0].default_), one.limits);
        EXPECT_EQ(text(range.spec.limits[0].default_request), one.requests);
    }
}

TEST(LimitRange, FillsWhatContainersDoNotStateAndSaysSo) {
    const LimitRange range =
        range_of("{type: Container, default: {cpu: 2, memory: 1Gi}, defaultRequest: {cpu: 1, memory: 512Mi}}");
    Pod pod = from_yaml<Pod>(
                  "{metadata: {name: p}, spec: {containers: [{name: silent}, {name: half, resources: {requests: {cpu: "
                  "500m}}}, {name: full, resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 1, memory: 1}}}], "
                  "initContainers: [{name: first}]}}")
                  .value();
    apply_limit_range(range, pod);
    const auto amount = [](const Map<Quantity>& amounts, const char* name) { return amounts.find(name)->text(); };
    EXPECT_EQ(amount(pod.spec.containers[0].resources.limits, "cpu"), "2");
    EXPECT_EQ(amount(pod.spec.containers[0].resources.requests, "memory"), "512Mi");
    EXPECT_EQ(amount(pod.spec.containers[1].resources.requests, "cpu"), "500m");
    EXPECT_EQ(amount(pod.spec.containers[1].resources.limits, "cpu"), "2");
    EXPECT_EQ(amount(pod.spec.containers[2].resources.limits, "cpu"), "1");
    EXPECT_EQ(amount(pod.spec.init_containers[0].resources.requests, "cpu"), "1");
    EXPECT_EQ(*pod.metadata.annotations.find("kubernetes.io/limit-ranger"),
              "LimitRanger plugin set: cpu, memory request for container silent; cpu, memory limit for container "
              "silent; memory request for container half; cpu, memory limit for container half; cpu, memory request "
              "for init container first; cpu, memory limit for init container first");
}

TEST(LimitRange, APodThatStatesEverythingIsLeftAsItIs) {
    Pod pod = from_yaml<Pod>(
                  "{metadata: {name: p}, spec: {containers: [{name: c, resources: {limits: {cpu: 1}, "
                  "requests: {cpu: 1}}}]}}")
                  .value();
    const Pod before = pod;
    apply_limit_range(range_of("{type: Container, default: {cpu: 2}}"), pod);
    apply_limit_range(range_of("{type: Pod, max: {cpu: 2}}"), pod);
    EXPECT_EQ(pod, before);
}

struct BoundCase {
    const char* sentence;
    const char* item;
    const char* spec;
    const char* answer;  // empty: nothing is wrong
};

// One container with these resources.
std::string container(const std::string& resources) {
    return "{containers: [{name: c, resources: "
           "{" +
           resources + "}}]}";
}

TEST(LimitRange, BoundsOfContainersAndPods) {
    const std::string half = container("requests: {cpu: 500m}, limits: {cpu: 2}");
    const std::string triple = container("requests: {cpu: 1}, limits: {cpu: 3}");
    const BoundCase cases[] = {
        {"a request at the minimum is enough", "{type: Container, min: {cpu: 500m}}", half.c_str(), ""},
        {"a request below the minimum", "{type: Container, min: {cpu: 1}}", half.c_str(),
         "minimum cpu usage per Container is 1, but request is 500m"},
        {"no request where there is a minimum", "{type: Container, min: {memory: 1Gi}}", half.c_str(),
         "minimum memory usage per Container is 1Gi.  No request is specified"},
        {"a limit below the minimum", "{type: Container, min: {cpu: 1}}",
         "{containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 500m}}}]}",
         "minimum cpu usage per Container is 1, but limit is 500m"},
        {"a limit above the maximum", "{type: Container, max: {cpu: 1}}", half.c_str(),
         "maximum cpu usage per Container is 1, but limit is 2"},
        {"no limit where there is a maximum", "{type: Container, max: {memory: 1Gi}}", half.c_str(),
         "maximum memory usage per Container is 1Gi.  No limit is specified"},
        {"a ratio above the largest", "{type: Container, maxLimitRequestRatio: {cpu: 2}}", triple.c_str(),
         "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000"},
        {"a ratio as the largest", "{type: Container, maxLimitRequestRatio: {cpu: 3}}", triple.c_str(), ""},
        {"a ratio with a fraction", "{type: Container, maxLimitRequestRatio: {cpu: 2500m}}", triple.c_str(),
         "cpu max limit to request ratio per Container is 2500m, but provided ratio is 3.000000"},
        {"a ratio without a request", "{type: Container, maxLimitRequestRatio: {memory: 2}}", triple.c_str(),
         "memory max limit to request ratio per Container is 2, but no request is specified or request is 0"},
        {"a ratio without a limit", "{type: Container, maxLimitRequestRatio: {cpu: 2}}",
         "{containers: [{name: c, resources: {requests: {cpu: 1}}}]}",
         "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"},
        {"init containers are bounded, too", "{type: Container, max: {cpu: 1}}",
         "{containers: [], initContainers: [{name: i, resources: {limits: {cpu: 2}}}]}",
         "maximum cpu usage per Container is 1, but limit is 2"},
        {"containers of a pod count together", "{type: Pod, max: {cpu: 1}}",
         "{containers: [{name: a, resources: {limits: {cpu: 600m}}}, {name: b, resources: {limits: {cpu: 600m}}}]}",
         "maximum cpu usage per Pod is 1, but limit is 1200m"},
        {"the largest init container counts", "{type: Pod, max: {cpu: 1}}",
         "{containers: [{name: a, resources: {limits: {cpu: 600m}}}], initContainers: [{name: i, resources: {limits: "
         "{cpu: 2}}}]}",
         "maximum cpu usage per Pod is 1, but limit is 2"},
        {"what the pod states as a whole goes before its containers", "{type: Pod, max: {cpu: 1}}",
         "{resources: {limits: {cpu: 3}}, containers: [{name: a, resources: {limits: {cpu: 600m}}}]}",
         "maximum cpu usage per Pod is 1, but limit is 3"},
        {"several reasons stand in brackets, each once", "{type: Container, min: {cpu: 1, memory: 1Gi}}",
         "{containers: [{name: a}, {name: b}]}",
         "[minimum cpu usage per Container is 1.  No request is specified, minimum memory usage per Container is 1Gi.  "
         "No request is specified]"},
        {"bounds of claims are not for pods", "{type: PersistentVolumeClaim, max: {storage: 1Gi}}", half.c_str(), ""},
    };
    for (const BoundCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        const auto reasons = check_limit_range(range_of(one.item), from_yaml<PodSpec>(one.spec).value());
        EXPECT_EQ(reasons.empty() ? "" : join_reasons(reasons), one.answer);
    }
}

TEST(LimitRange, BoundsOfClaims) {
    const BoundCase cases[] = {
        {"within", "{type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 2Gi}}", "{storage: 1Gi}", ""},
        {"too small", "{type: PersistentVolumeClaim, min: {storage: 1Gi}}", "{storage: 1Mi}",
         "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"},
        {"too large", "{type: PersistentVolumeClaim, max: {storage: 1Gi}}", "{storage: 2Gi}",
         "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi"},
        {"nothing stated", "{type: PersistentVolumeClaim, max: {storage: 1Gi}}", "{}",
         "maximum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified"},
    };
    for (const BoundCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        const auto claim = from_yaml<PersistentVolumeClaimSpec>(std::string("{resources: {requests: "
                                                                            "") +
                                                                one.spec + "}}");
        const auto reasons = check_limit_range(range_of(one.item), *claim);
        EXPECT_EQ(reasons.empty() ? "" : join_reasons(reasons), one.answer);
    }
}

struct RuleCase {
    const char* sentence;
    const char* items;
    std::vector<std::string> wrong;  // field: message
};

TEST(LimitRangeRules, BoundsAgreeWithEachOther) {
    const RuleCase cases[] = {
        {"a good one", "{type: Container, min: {cpu: 1}, max: {cpu: 2}}, {type: Pod, max: {cpu: 4}}", {}},
        {"a minimum above the maximum",
         "{type: Container, min: {cpu: 3}, max: {cpu: 1}}",
         {"spec.limits[0].min[cpu]: Invalid value: \"3\": min value 3 is greater than max value 1",
          "spec.limits[0].defaultRequest[cpu]: Invalid value: \"1\": min value 3 is greater than default request "
          "value 1",
          "spec.limits[0].default[cpu]: Invalid value: \"3\": min value 3 is greater than default value 1"}},
        {"a default request above the default limit",
         "{type: Container, defaultRequest: {cpu: 3}, default: {cpu: 2}}",
         {"spec.limits[0].defaultRequest[cpu]: Invalid value: \"3\": default request value 3 is greater than default "
          "limit value 2"}},
        {"a default limit above the maximum",
         "{type: Container, max: {cpu: 1}, default: {cpu: 2}, defaultRequest: {cpu: 1}}",
         {"spec.limits[0].default[cpu]: Invalid value: \"1\": default value 2 is greater than max value 1"}},
        {"a type that is not known",
         "{type: Service}",
         {"spec.limits[0].type: Invalid value: \"Service\": must be a standard limit type or fully qualified"}},
        {"a type of another domain", "{type: example.com/Thing, max: {example.com/x: 1}}", {}},
        {"a type twice",
         "{type: Pod, max: {cpu: 1}}, {type: Pod, max: {cpu: 2}}",
         {"spec.limits[1].type: Duplicate value: \"Pod\""}},
        {"defaults of a pod",
         "{type: Pod, default: {cpu: 1}, defaultRequest: {cpu: 1}}",
         {"spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
          "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'"}},
        {"a claim without storage",
         "{type: PersistentVolumeClaim, max: {requests.storage: 1}}",
         {"spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was "
          "provided"}},
        {"storage of a container",
         "{type: Pod, max: {storage: 1}}",
         {"spec.limits[0].max[storage]: Invalid value: \"storage\": must be a standard resource for containers"}},
        {"a ratio below one",
         "{type: Container, maxLimitRequestRatio: {cpu: 800m}}",
         {"spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"800m\": ratio 800m is less than 1"}},
        {"a ratio that the bounds do not allow",
         "{type: Pod, min: {cpu: 1}, max: {cpu: 2}, maxLimitRequestRatio: {cpu: 3}}",
         {"spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"3\": ratio 3 is greater than max/min = "
          "2.000000"}},
        {"a device that is not handed out whole",
         "{type: Container, default: {example.com/gpu: 2}, defaultRequest: {example.com/gpu: 1}}",
         {"spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: \"1\": default value 2 must equal to "
          "defaultRequest value 1 in example.com/gpu"}},
    };
    for (const RuleCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        std::vector<std::string> wrong;
        for (const Cause& cause : validate_limit_range_create(range_of(one.items)).causes())
            wrong.push_back(cause.field + ": " + cause.message);
        EXPECT_EQ(wrong, one.wrong);
    }
}

}  // namespace limit_range_test
}  // namespace muster::api
