// What the writes of queueing are on a cluster whose objects have fields that no type here knows: patches that name
// what changes and nothing else. A patch that named an unknown field of a pod's spec or of a Job's template would be
// refused for ever, as these cannot change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/kueue/kueue_names.h"
#include "client/change.h"
#include "controllers/queue/jobs/decide.h"
#include "controllers/queue/jobs/gate.h"
#include "controllers/queue/workload/injection.h"

namespace muster {
namespace queue_writes_test {

using api::batch::Job;
using api::core::Pod;
using api::kueue::ResourceFlavor;
using api::kueue::Workload;
using client::Part;
using testing::HasSubstr;
using testing::Not;

template <class K>
K read(const std::string& json) {
    api::DecodeLimits limits;
    limits.keep_unknown = true;
    limits.dialect = api::Dialect::kKubernetes;
    K object{};
    EXPECT_TRUE(api::decode_json(K::info(), &object, json, limits).ok());
    return object;
}

template <class K>
std::string patch(const K& before, const K& after, Part part = Part::kMain) {
    const api::KindInfo& kind = api::kind_info<K>();
    return client::format_change(kind, &before, &after, part, client::patch_form_of(kind)).value();
}

constexpr const char* kTemplate =
    R"("template":{"metadata":{"later":1},"spec":{"schedulingGroup":{"podGroupName":"g"},"restartPolicy":"Never",)"
    R"("containers":[{"name":"c","image":"i","futureField":{"x":1}}]}})";

Job queued_job(bool suspended) {
    return read<Job>(std::string(R"({"metadata":{"name":"j","namespace":"n","uid":"u","resourceVersion":"5",)"
                                 R"("labels":{"kueue.x-k8s.io/queue-name":"q"}},"spec":{"parallelism":2,)"
                                 R"("scheduling":{"policy":"x"},"suspend":)") +
                     (suspended ? "true," : "false,") + kTemplate + "}}");
}

Workload admitted_workload(const Job& job) {
    return read<Workload>(
        R"({"metadata":{"name":")" + controllers::jobqueue::workload_name_of(job).str() +
        R"(","namespace":"n","uid":"w","resourceVersion":"6","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job",)"
        R"("name":"j","uid":"u","controller":true}],"finalizers":["kueue.x-k8s.io/resource-in-use"]},)"
        R"("spec":{"queueName":"q","priority":0,"active":true,"podSets":[{"name":"main","count":2,)" +
        kTemplate +
        R"(}]},"status":{"later":1,"admission":{"clusterQueue":"cq","podSetAssignments":[{"name":"main","count":2,)"
        R"("flavors":{"cpu":"f"},"resourceUsage":{"cpu":"2"}}]},"conditions":[{"type":"QuotaReserved","status":"True",)"
        R"("reason":"r","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Admitted","status":"True",)"
        R"("reason":"r","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
}

struct QueueWrites : testing::Test {
    controllers::jobqueue::QueuedJobPlan decide(const Job& job, const Workload& workload) {
        const std::vector<controllers::podqueue::PodRef> pods;
        const controllers::FindFlavor find_flavor = [this](const Text&) { return &flavor; };
        const controllers::FindPriority no_class = [](const Text&) { return std::nullopt; };
        const controllers::FindPodPriority no_pod_class = [](const Text&) {
            return std::optional(controllers::PodPriority{});
        };
        const controllers::jobqueue::QueuedJobView view{.job = &job,
                                                        .workload = &workload,
                                                        .pods = pods,
                                                        .find_flavor = find_flavor,
                                                        .find_priority = no_class,
                                                        .find_pod_priority = no_pod_class,
                                                        .now = Instant::from_unix_seconds(1'800'000'000)};
        return controllers::jobqueue::decide_queued_job(view);
    }
    const ResourceFlavor flavor =
        read<ResourceFlavor>(R"({"metadata":{"name":"f"},"spec":{"nodeLabels":{"pool":"a"}}})");
};

TEST_F(QueueWrites, ResumeAJobAndLeaveItsUnknownFieldsAlone) {
    const Job job = queued_job(true);
    const auto plan = decide(job, admitted_workload(job));
    ASSERT_TRUE(plan.job);
    const std::string sent = patch(job, *plan.job);
    EXPECT_THAT(sent, HasSubstr(R"("suspend":false)"));
    EXPECT_THAT(sent, HasSubstr(R"("nodeSelector":{"pool":"a"})"));
    EXPECT_THAT(sent, HasSubstr(R"("resourceVersion":"5")"));
    for (const char* unknown : {"schedulingGroup", "futureField", "later", "scheduling\"", "containers"})
        EXPECT_THAT(sent, Not(HasSubstr(unknown)));
}

TEST_F(QueueWrites, RestoreAnEvictedJobAndLeaveItsUnknownFieldsAlone) {
    Job job = queued_job(true);
    Workload workload = admitted_workload(job);
    job = *decide(job, workload).job;
    for (auto& condition : workload.status.conditions.edit()) condition.status = "False";
    workload.status.admission = {};
    const auto plan = decide(job, workload);
    ASSERT_TRUE(plan.job) << "it runs without quota";
    const std::string sent = patch(job, *plan.job);
    EXPECT_THAT(sent, HasSubstr(R"("suspend":true)"));
    for (const char* unknown : {"schedulingGroup", "futureField", "later", "scheduling\"", "containers"})
        EXPECT_THAT(sent, Not(HasSubstr(unknown)));
}

TEST_F(QueueWrites, UngateAPodAndLeaveItsUnknownFieldsAlone) {
    const Pod pod = read<Pod>(
        R"({"metadata":{"name":"p","namespace":"n","uid":"u","resourceVersion":"5"},"spec":{"schedulingGroup":{"x":1},)"
        R"("containers":[{"name":"c","image":"i","futureField":1}],"schedulingGates":[{"name":"other.io/gate"},)"
        R"({"name":"kueue.x-k8s.io/admission"}]}})");
    const Workload workload = admitted_workload(queued_job(true));
    const auto starts =
        controllers::starts_of(workload, [this](const Text&) -> const ResourceFlavor* { return &flavor; });
    ASSERT_TRUE(starts.ok());
    Pod started = pod;
    started.spec.scheduling_gates.edit().pop_back();
    ASSERT_TRUE(controllers::inject_start(starts->front(), started.metadata, started.spec).ok());
    const std::string sent = patch(pod, started);
    EXPECT_THAT(sent, HasSubstr(R"("schedulingGates":[{"$patch":"delete","name":"kueue.x-k8s.io/admission"}])"));
    EXPECT_THAT(sent, HasSubstr(R"("$setElementOrder/schedulingGates":[{"name":"other.io/gate"}])"))
        << "the other stays";
    for (const char* unknown : {"schedulingGroup", "futureField", "containers\""})
        EXPECT_THAT(sent, Not(HasSubstr(unknown)));
}

TEST_F(QueueWrites, OfAWorkloadsStatusAreMergePatchesOfThatPart) {
    const Workload before = admitted_workload(queued_job(true));
    Workload after = before;
    after.status.admission = {};
    after.status.conditions.edit().back().status = "False";
    EXPECT_EQ(client::patch_form_of(api::kind_info<Workload>()), client::PatchForm::kMerge);
    const std::string sent = patch(before, after, Part::kStatus);
    EXPECT_THAT(sent, HasSubstr(R"("admission":null)"));
    EXPECT_THAT(sent, HasSubstr(R"("conditions":[)"));
    for (const char* unknown : {"later", "\"spec\"", "schedulingGroup"}) EXPECT_THAT(sent, Not(HasSubstr(unknown)));
}

}  // namespace queue_writes_test
}  // namespace muster
