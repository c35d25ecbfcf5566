#include "controllers/queue/admission/engine/requests.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::controllers::queue {
namespace admission_requests_test {

api::core::PodSpec amounts_spec(const std::string& yaml) { return api::from_yaml<api::core::PodSpec>(yaml).value(); }

TEST(PodAmounts, OfAPodAsAWholeAreWhatTheServerWillMakeThem) {
    struct Case {
        const char* name;
        const char* spec;
        Amount cpu;
    };
    const Case cases[] = {
        {"requests are taken as they are", "{resources: {requests: {cpu: 3}}, containers: [{name: c}]}", 3000},
        {"limits without requests cost what they limit", "{resources: {limits: {cpu: 4}}, containers: [{name: c}]}",
         4000},
        {"limits of the pod where a container states a request cost that request",
         "{resources: {limits: {cpu: 4}}, containers: [{name: c, resources: {requests: {cpu: 1}}}]}", 1000},
        {"limits of a container count as its requests",
         "{resources: {limits: {cpu: 4}}, containers: [{name: c, resources: {limits: {cpu: 2}}}]}", 2000},
        {"requests of the pod go before those of its containers",
         "{resources: {requests: {cpu: 5}}, containers: [{name: c, resources: {requests: {cpu: 1}}}]}", 5000},
        {"overhead comes on top", "{resources: {limits: {cpu: 4}}, overhead: {cpu: 500m}, containers: [{name: c}]}",
         4500},
    };
    for (const Case& one : cases) EXPECT_EQ(pod_amounts(amounts_spec(one.spec), {})[Text("cpu")], one.cpu) << one.name;
}

TEST(PodAmounts, AboveTheirLimitsAreNotAdmitted) {
    EXPECT_EQ(
        check_limits(amounts_spec("{resources: {requests: {cpu: 3}, limits: {cpu: 2}}, containers: [{name: c}]}"), {}),
        "the pod as a whole requests more cpu than its limit");
    EXPECT_EQ(
        check_limits(amounts_spec("{containers: [{name: c, resources: {requests: {cpu: 3}, limits: {cpu: 2}}}]}"), {}),
        "container c requests more cpu than its limit");
    EXPECT_EQ(
        check_limits(amounts_spec("{resources: {requests: {cpu: 2}, limits: {cpu: 2}}, containers: [{name: c}]}"), {}),
        "");
}

}  // namespace admission_requests_test
}  // namespace muster::controllers::queue
