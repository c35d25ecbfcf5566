#include "server/objects/gate_admission.h"

#include <gtest/gtest.h>

#include "api/kinds/batch.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace gate_admission_test {

using api::batch::CronJob;
using api::batch::Job;
using api::core::Pod;

struct GateAdmissionTest : testing::Test {
    api::FeatureGates gates;  // as the server of the moment was started with
    ApiObjects api{{}, 0ns, chain()};

    AdmissionChain chain() {
        AdmissionChain chain = default_admission();
        chain.mutating.push_back([this](AdmissionRequest& request, const Objects& objects) {
            return drop_disabled_fields(gates)(request, objects);
        });
        return chain;
    }
    void create_job(const std::string& name) {
        api.create<Job>("metadata: {name: " + name +
                        "}\nspec: {completionMode: Indexed, completions: 2, ttlSecondsAfterFinished: 60, template: "
                        "{spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}");
    }
    void touch_job(const std::string& name) {
        EXPECT_TRUE(api.update<Job>(name, [](Job& job) { job.spec.parallelism = 2; }).ok());
    }
    // "Indexed 60"
    static std::string told(const api::batch::JobSpec& spec) {
        const auto& ttl = spec.ttl_seconds_after_finished;
        return spec.completion_mode.value_or(Text("none")).str() + (ttl ? " " + std::to_string(*ttl) : "");
    }
    std::string job(const std::string& name) { return told(api.get<Job>(name).spec); }
};

TEST_F(GateAdmissionTest, AJobMadeWithAGateOffIsWithoutWhatItIsForAndStaysSo) {
    gates.indexed_job = false;
    create_job("j");
    EXPECT_EQ(job("j"), "NonIndexed 60");
    gates.ttl_after_finished = false;
    create_job("k");
    EXPECT_EQ(job("k"), "NonIndexed");
    gates = {};
    touch_job("j");
    touch_job("k");
    EXPECT_EQ(job("j"), "NonIndexed 60");
    EXPECT_EQ(job("k"), "NonIndexed");
    create_job("l");
    EXPECT_EQ(job("l"), "Indexed 60");
}

TEST_F(GateAdmissionTest, AJobMadeWithItOnKeepsIt) {
    create_job("j");
    gates.indexed_job = gates.ttl_after_finished = false;
    touch_job("j");
    EXPECT_EQ(job("j"), "Indexed 60");
    ASSERT_TRUE(api.update<Job>("j", [](Job& job) { job.spec.ttl_seconds_after_finished = 90; }).ok());
    EXPECT_EQ(job("j"), "Indexed 90") << "what is used may be changed";
    ASSERT_TRUE(api.update<Job>("j", [](Job& job) { job.spec.ttl_seconds_after_finished.reset(); }).ok());
    ASSERT_TRUE(api.update<Job>("j", [](Job& job) { job.spec.ttl_seconds_after_finished = 60; }).ok());
    EXPECT_EQ(job("j"), "Indexed") << "but once it is gone it does not come back";
}

TEST_F(GateAdmissionTest, TheSameGoesForACronJobsTemplateAndForAPodsTime) {
    const std::string pod_spec = "spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}";
    const auto create_cron = [&](const std::string& name) {
        api.create<CronJob>("metadata: {name: " + name +
                            "}\nspec: {schedule: '@daily', jobTemplate: {spec: {completionMode: Indexed, completions: "
                            "2, ttlSecondsAfterFinished: 60, template: {" +
                            pod_spec + "}}}}");
        return told(api.get<CronJob>(name).spec.job_template.spec);
    };
    const auto create_pod = [&](const std::string& name) {
        api.create<Pod>("metadata: {name: " + name +
                        "}\nspec: {ttlSecondsAfterFinished: 60, restartPolicy: Never, containers: "
                        "[{name: c, image: busybox}]}");
        return api.get<Pod>(name).spec.ttl_seconds_after_finished;
    };
    EXPECT_EQ(create_cron("before"), "Indexed 60");
    EXPECT_EQ(create_pod("before"), 60);
    gates.indexed_job = gates.ttl_after_finished = gates.pod_ttl_after_finished = false;
    EXPECT_EQ(create_cron("after"), "NonIndexed");
    EXPECT_EQ(create_pod("after"), std::nullopt);
    ASSERT_TRUE(api.update<CronJob>("before", [](CronJob& cron) { cron.spec.suspend = true; }).ok());
    EXPECT_EQ(told(api.get<CronJob>("before").spec.job_template.spec), "Indexed 60");
    ASSERT_TRUE(api.update<Pod>("before", [](Pod& pod) { pod.metadata.labels.set("a", "b"); }).ok());
    EXPECT_EQ(api.get<Pod>("before").spec.ttl_seconds_after_finished, 60);
}

}  // namespace gate_admission_test
}  // namespace muster::server
