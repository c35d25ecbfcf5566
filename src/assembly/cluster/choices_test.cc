#include "assembly/cluster/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace choices_test {

using controllers::jobs::Ownership;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ClusterControllers, ThoseThatRunOnAClusterAreTaken) {
    EXPECT_THAT(*parse_cluster_controllers("job,queue,pod-ttl"), ElementsAre("job", "pod-ttl", "queue"));
    EXPECT_THAT(*parse_cluster_controllers("ttl,cron-job"), ElementsAre("cron-job", "ttl"));
}

TEST(ClusterControllers, Refusals) {
    struct Case {
        const char* text;
        const char* says;
    } cases[] = {
        {"garbage", "kube-controller-manager's garbage-collector-controller"},
        {"job,namespace", "kube-controller-manager's namespace-controller"},
        {"pod-gc", "kube-controller-manager's pod-garbage-collector-controller"},
        {"resource-quota", "kube-controller-manager's resourcequota-controller"},
        {"service-account", "kube-controller-manager's serviceaccount-controller"},
        {"scheduler", "kube-scheduler"},
        {"*", "there are cron-job, job, pod-ttl, queue, ttl"},
        {"none", "there are cron-job, job, pod-ttl, queue, ttl"},
        {"", "there is no controller \"\""},
        {"job,", "there is no controller \"\""},
    };
    for (const Case& c : cases) {
        const auto parsed = parse_cluster_controllers(c.text);
        ASSERT_FALSE(parsed.ok()) << c.text;
        EXPECT_EQ(parsed.error().code, Code::kBadRequest);
        EXPECT_THAT(parsed.error().message, HasSubstr(c.says));
        EXPECT_THAT(parsed.error().message, HasSubstr("--controllers"));
    }
}

TEST(JobMode, SaysWhichJobsAreOurs) {
    const Ownership managed = *parse_job_mode("managed-by", "muster.dev/job-controller");
    EXPECT_EQ(managed, (Ownership{.unmanaged = false, .managed_by = "muster.dev/job-controller"}));
    EXPECT_EQ(*parse_job_mode("all", "ignored"), (Ownership{.unmanaged = true}));
    EXPECT_EQ(*parse_job_mode("managed-by,all", "a.b/c"), (Ownership{.unmanaged = true, .managed_by = "a.b/c"}));
}

TEST(JobMode, Refusals) {
    EXPECT_THAT(parse_job_mode("some", "a.b/c").error().message, HasSubstr("--job-mode \"some\""));
    EXPECT_THAT(parse_job_mode("", "a.b/c").error().message, HasSubstr("--job-mode"));
    for (const char* manager : {"", "muster", "/x", "x/", "Not_A_Domain/x", "kubernetes.io/job-controller"})
        EXPECT_THAT(parse_job_mode("managed-by", manager).error().message, HasSubstr("--job-managed-by")) << manager;
    EXPECT_FALSE(parse_job_mode("managed-by", "a.b/" + std::string(60, 'c')).ok());
}

TEST(OneNamespace, JobsAndThePodsTtlCanBeServedAlone) {
    EXPECT_TRUE(check_one_namespace("", {"queue"}).ok());
    EXPECT_TRUE(check_one_namespace("team", {"job", "pod-ttl"}).ok());
    for (const char* name : {"queue", "cron-job", "ttl"})
        EXPECT_THAT(check_one_namespace("team", {"job", name}).error().message, HasSubstr(name));
    EXPECT_THAT(check_one_namespace("Not a name", {"job"}).error().message, HasSubstr("--namespace"));
}

}  // namespace choices_test
}  // namespace muster
