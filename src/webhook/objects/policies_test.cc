#include "webhook/objects/policies.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace muster::webhook {
namespace policies_test {

namespace json = boost::json;

std::string spec_of(const std::vector<json::object>& objects, std::string_view name) {
    for (const json::object& object : objects)
        if (object.at("metadata").at("name").as_string() == name) return json::serialize(object.at("spec"));
    return {};
}

TEST(AdmissionPolicies, AreEachFollowedByTheirBinding) {
    const auto objects = admission_policies({});
    ASSERT_EQ(objects.size() % 2, 0u);
    for (std::size_t i = 0; i < objects.size(); i += 2) {
        const std::string kind(objects[i].at("kind").as_string());
        EXPECT_EQ(objects[i + 1].at("kind").as_string(), kind + "Binding");
        EXPECT_EQ(objects[i + 1].at("spec").at("policyName"), objects[i].at("metadata").at("name"));
        EXPECT_EQ(objects[i].at("apiVersion").as_string(), "admissionregistration.k8s.io/v1");
        // A policy that fails must not let pods run without quota.
        EXPECT_EQ(objects[i].at("spec").at("failurePolicy").as_string(), "Fail");
    }
}

TEST(AdmissionPolicies, MarkAQueuedPodWithWhatCelCanWrite) {
    const std::string spec = spec_of(admission_policies({}), "muster-queue-pods");
    EXPECT_NE(spec.find("'muster.dev/queued': 'true'"), std::string::npos);
    EXPECT_NE(spec.find("'kueue.x-k8s.io/admission'"), std::string::npos);
    EXPECT_EQ(spec.find("role-hash"), std::string::npos);
}

TEST(AdmissionPolicies, LetMusterAloneStartWork) {
    PolicyOptions options;
    options.identity.namespace_ = "queues";
    const auto objects = admission_policies(options);
    for (const char* name : {"muster-queue-check-pod-updates", "muster-queue-check-job-updates"}) {
        const std::string spec = spec_of(objects, name);
        EXPECT_NE(spec.find("!(request.userInfo.username == 'system:serviceaccount:queues:muster')"), std::string::npos)
            << spec;
        EXPECT_NE(spec.find("by the queue controller when its Workload is admitted"), std::string::npos);
    }
}

}  // namespace policies_test
}  // namespace muster::webhook
