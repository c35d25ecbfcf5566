#include "controllers/queue/reserved_writes.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::controllers {
namespace reserved_writes_test {

using api::batch::Job;
using api::core::Pod;

constexpr const char* kQueue = "system:serviceaccount:kube-system:queue-controller";
constexpr const char* kJob = "system:serviceaccount:kube-system:job-controller";

TEST(ReservedWrites, ResumingAQueuedJobIsForTheQueueController) {
    struct Case {
        const char* name;
        const char* user;
        bool suspended_before;
        bool suspended_now;
        bool deleting;
        bool refused;
    };
    const Case cases[] = {
        {"a user resumes", "alice", true, false, false, true},
        {"an administrator resumes", "kubernetes-admin", true, false, false, true},
        {"the Job controller resumes", kJob, true, false, false, true},
        {"an account of another namespace has the same name", "system:serviceaccount:team:queue-controller", true,
         false, false, true},
        {"the queue controller resumes", kQueue, true, false, false, false},
        {"a user suspends", "alice", false, true, false, false},
        {"a user edits what runs", "alice", false, false, false, false},
        {"a user edits what waits", "alice", true, true, false, false},
        {"a Job that is being deleted makes no pods", "alice", true, false, true, false},
    };
    for (const Case& one : cases) {
        Job before;
        before.spec.suspend = one.suspended_before;
        Job now;
        now.spec.suspend = one.suspended_now;
        if (one.deleting) now.metadata.deletion_timestamp = api::Time::from_instant(Instant::from_unix_seconds(1));
        EXPECT_EQ(!refuse_resume(now, before, queue_writer(one.user)).empty(), one.refused) << one.name;
    }
}

TEST(ReservedWrites, RemovingTheGateOfAQueuedPodIsForTheQueueController) {
    const std::string queued =
        "metadata: {name: p, labels: {kueue.x-k8s.io/managed: 'true'}, annotations: {kueue.x-k8s.io/role-hash: x}}";
    const std::string gated = "spec: {schedulingGates: [{name: kueue.x-k8s.io/admission}, {name: other}]}";
    struct Case {
        const char* name;
        const char* user;
        std::string before;
        std::string now;
        bool refused;
    };
    const Case cases[] = {
        {"a user removes all gates", "alice", "{" + queued + ", " + gated + "}", "{" + queued + "}", true},
        {"a user removes another gate", "alice", "{" + queued + ", " + gated + "}",
         "{" + queued + ", spec: {schedulingGates: [{name: kueue.x-k8s.io/admission}]}}", false},
        {"the queue controller removes it", kQueue, "{" + queued + ", " + gated + "}", "{" + queued + "}", false},
        {"a pod that is not queued has a gate of that name", "alice", "{metadata: {name: p}, " + gated + "}",
         "{metadata: {name: p}}", false},
    };
    for (const Case& one : cases)
        EXPECT_EQ(!refuse_ungating(api::from_yaml<Pod>(one.now).value(), api::from_yaml<Pod>(one.before).value(),
                                   queue_writer(one.user))
                       .empty(),
                  one.refused)
            << one.name;
}

TEST(ReservedWrites, PodsOfAQueuedJobAreForTheJobController) {
    const auto metadata = api::from_yaml<Pod>(
                              "{metadata: {name: p, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: "
                              "u, controller: true}]}}")
                              .value()
                              .metadata;
    EXPECT_EQ(refuse_ownership(metadata, true, queue_writer("alice")),
              "metadata.ownerReferences: Job \"j\" is queued, or belongs to a Job that is, and only the Job controller "
              "may create its pods");
    EXPECT_EQ(refuse_ownership(metadata, true, queue_writer(kJob)), "");
    EXPECT_EQ(refuse_ownership(metadata, true, queue_writer("system:kube-controller-manager")), "");
    EXPECT_NE(refuse_ownership(metadata, false, queue_writer(kJob)), "") << "Jobs are never made so";
    EXPECT_EQ(refuse_ownership(api::meta::ObjectMeta(), true, queue_writer("alice")), "") << "it names no controller";
}

}  // namespace reserved_writes_test
}  // namespace muster::controllers
