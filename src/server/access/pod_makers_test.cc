#include "server/access/pod_makers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace pod_makers_test {

using api::batch::CronJob;
using api::batch::Job;
using api::core::ConfigMap;
using api::core::Pod;
using testing::HasSubstr;

constexpr const char* kSuspendedJob =
    "metadata: {name: j}\nspec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: c, image: "
    "busybox}]}}}";
constexpr const char* kCronJob =
    "metadata: {name: cj}\nspec: {schedule: '* * * * *', suspend: true, jobTemplate: {spec: {template: {spec: "
    "{restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}}";

AdmissionChain guarded_chain() {
    AdmissionChain chain = default_admission();
    chain.validating.push_back(check_pod_makers());
    return chain;
}

class PodMakers : public testing::Test {
protected:
    PodMakers() {
        ann_.name = "ann";
        ann_.groups = {"system:authenticated"};
        admin_.name = "admin";
        admin_.groups = {"system:masters", "system:authenticated"};
        // As a controller inside the server would have it.
        controller_.name = "system:serviceaccount:kube-system:job-controller";
    }
    static WriteOptions by(const User& user, bool from_inside = false) {
        WriteOptions options;
        options.user = &user;
        options.from_inside = from_inside;
        return options;
    }
    static void refuse(const Result<Outcome>& outcome, const char* begin) {
        ASSERT_FALSE(outcome.ok());
        EXPECT_EQ(outcome.error().code, Code::kForbidden);
        EXPECT_THAT(outcome.error().message, testing::StartsWith(begin));
        EXPECT_THAT(outcome.error().message, HasSubstr("system:masters"));
        EXPECT_THAT(outcome.error().message, HasSubstr("--pod-user"));
    }

    ApiObjects api{{}, 0ns, guarded_chain()};
    User ann_;
    User admin_;
    User controller_;
};

TEST_F(PodMakers, OnlyAdministratorsCreatePodsAndWhatMakesThem) {
    const std::string pod = std::string("metadata: {name: p}\n") + kPodSpec;
    refuse(api.try_create<Pod>(pod, by(ann_)), "pods \"p\" is forbidden: ");
    refuse(api.try_create<Job>(kSuspendedJob, by(ann_)), "jobs.batch \"j\" is forbidden: ");
    refuse(api.try_create<CronJob>(kCronJob, by(ann_)), "cronjobs.batch \"cj\" is forbidden: ");
    EXPECT_TRUE(api.try_create<ConfigMap>("metadata: {name: c}", by(ann_)).ok());
    EXPECT_TRUE(api.try_create<Pod>(pod, by(admin_)).ok());
    EXPECT_TRUE(api.try_create<Job>(kSuspendedJob, by(admin_)).ok());
    EXPECT_TRUE(api.try_create<CronJob>(kCronJob, by(admin_)).ok());
}

TEST_F(PodMakers, ControllersInsideTheServerCreatePodsAndClientsWithTheirNamesDoNot) {
    const std::string pod = std::string("metadata: {generateName: p-}\n") + kPodSpec;
    EXPECT_TRUE(api.try_create<Pod>(pod, by(controller_, true)).ok());
    const Result<Outcome> outside = api.try_create<Pod>(pod, by(controller_));
    ASSERT_FALSE(outside.ok());
    EXPECT_EQ(outside.error().code, Code::kForbidden);
}

TEST_F(PodMakers, WhatAPodRunsIsNotChangedThroughItsTemplateOrItsImage) {
    api.create<Job>(kSuspendedJob);
    api.create<CronJob>(kCronJob);
    api.create<Pod>(std::string("metadata: {name: p}\n") + kPodSpec);
    refuse(api.update<Job>(
               "j", [](Job& job) { job.spec.template_.metadata.annotations.set("a", "b"); }, Part::kMain, by(ann_)),
           "jobs.batch \"j\" is forbidden: ");
    refuse(api.update<CronJob>(
               "cj",
               [](CronJob& cron) {
                   cron.spec.job_template.spec.template_.spec.containers.edit()[0].command.edit().push_back("sh");
               },
               Part::kMain, by(ann_)),
           "cronjobs.batch \"cj\" is forbidden: ");
    refuse(api.update<Pod>(
               "p", [](Pod& pod) { pod.spec.containers.edit()[0].image = "rootfs:/tmp/mine"; }, Part::kMain, by(ann_)),
           "pods \"p\" is forbidden: ");
    EXPECT_TRUE(
        api.update<Job>(
               "j", [](Job& job) { job.spec.template_.metadata.annotations.set("a", "b"); }, Part::kMain, by(admin_))
            .ok());
}

TEST_F(PodMakers, WhatAnAdministratorMadeCanBeStartedScaledLabelledAndDeleted) {
    api.create<Job>(kSuspendedJob);
    api.create<CronJob>(kCronJob);
    api.create<Pod>(std::string("metadata: {name: p}\n") + kPodSpec);
    EXPECT_TRUE(api.update<Job>(
                       "j",
                       [](Job& job) {
                           job.spec.suspend = false;
                           job.spec.parallelism = 3;
                       },
                       Part::kMain, by(ann_))
                    .ok());
    EXPECT_TRUE(api.update<CronJob>(
                       "cj", [](CronJob& cron) { cron.spec.suspend = false; }, Part::kMain, by(ann_))
                    .ok());
    EXPECT_TRUE(api.update<Pod>(
                       "p", [](Pod& pod) { pod.metadata.labels.set("a", "b"); }, Part::kMain, by(ann_))
                    .ok());
    EXPECT_TRUE(api.update<Pod>(
                       "p", [](Pod& pod) { pod.status.phase = "Running"; }, Part::kStatus, by(ann_))
                    .ok());
    EXPECT_TRUE(api.remove<Pod>("p", "{gracePeriodSeconds: 0}", by(ann_)).ok());
    EXPECT_TRUE(api.remove<Job>("j", "{propagationPolicy: Background}", by(ann_)).ok());
}

TEST_F(PodMakers, ADryRunIsRefusedToo) {
    WriteOptions options = by(ann_);
    options.dry_run = true;
    refuse(api.try_create<Job>(kSuspendedJob, options), "jobs.batch \"j\" is forbidden: ");
}

TEST_F(PodMakers, OnlyAdministratorsActInsideContainers) {
    EXPECT_TRUE(check_pod_session(admin_, "p", "exec").ok());
    for (const char* part : {"exec", "attach"}) {
        const Result<> answer = check_pod_session(ann_, "p", part);
        ASSERT_FALSE(answer.ok()) << part;
        EXPECT_EQ(answer.error().code, Code::kForbidden);
        EXPECT_THAT(answer.error().message, HasSubstr("--pod-user"));
    }
}

}  // namespace pod_makers_test
}  // namespace muster::server
