#include "api/feature_gates.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace feature_gates_test {

TEST(FeatureGates, AreReadFromTheCommandLine) {
    FeatureGates plain_pods;
    plain_pods.job_tracking_with_finalizers = false;
    FeatureGates two_off = plain_pods;
    two_off.ttl_after_finished = false;
    const struct {
        const char* text;
        FeatureGates gates;
    } cases[] = {
        {"", {}},
        {"IndexedJob=true", {}},
        {"JobTrackingWithFinalizers=false", plain_pods},
        {"JobTrackingWithFinalizers=false,TTLAfterFinished=false", two_off},
        {"JobTrackingWithFinalizers=true,JobTrackingWithFinalizers=false", plain_pods},
    };
    for (const auto& each : cases) EXPECT_EQ(parse_feature_gates(each.text).value(), each.gates) << each.text;
}

TEST(FeatureGates, WhatIsWrongIsNamed) {
    const struct {
        const char* text;
        const char* message;
    } cases[] = {
        {"Indexed=true",
         "unrecognized feature gate: Indexed; there are IndexedJob, JobTrackingWithFinalizers, PodTTLAfterFinished, "
         "TTLAfterFinished"},
        {"IndexedJob", "feature gate IndexedJob is true or false, not \"\""},
        {"IndexedJob=no", "feature gate IndexedJob is true or false, not \"no\""},
    };
    for (const auto& each : cases) EXPECT_EQ(parse_feature_gates(each.text).error().message, each.message);
}

}  // namespace feature_gates_test
}  // namespace muster::api
