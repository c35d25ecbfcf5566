#include "webhook/review/admission.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/codec/encode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/kueue/kueue.h"
#include "api/patch/json_patch.h"
#include "webhook/testing/known_world.h"

namespace muster::webhook {
namespace admission_test {

using api::admission::AdmissionRequest;
using api::admission::AdmissionResponse;
using api::batch::Job;
using api::core::Namespace;

AdmissionRequest request_for(const char* group, const char* version, const char* kind, const std::string& object,
                             const std::string& before = "") {
    AdmissionRequest request;
    request.uid = "u1";
    request.kind.group = group;
    request.kind.version = version;
    request.kind.kind = kind;
    request.namespace_ = "team";
    request.operation = before.empty() ? "CREATE" : "UPDATE";
    request.user_info.username = "ann";
    request.object = api::decode_raw_json(object).value();
    if (!before.empty()) request.old_object = api::decode_raw_json(before).value();
    return request;
}
AdmissionRequest pod_request(const std::string& object, const std::string& before = "") {
    return request_for("", "v1", "Pod", object, before);
}
AdmissionRequest job_request(const std::string& object, const std::string& before = "") {
    return request_for("batch", "v1", "Job", object, before);
}

std::string patch_of(const AdmissionResponse& response) {
    EXPECT_TRUE(response.allowed);
    EXPECT_EQ(response.uid, "u1");
    return response.patch.bytes.str();
}

// What the API server makes of the object.
std::string patched(const AdmissionRequest& request, const AdmissionResponse& response) {
    const auto after = api::apply_json_patch(boost::json::parse(request.object.json.view()),
                                             boost::json::parse(response.patch.bytes.view()), {});
    return after.ok() ? boost::json::serialize(*after) : after.error().message;
}

constexpr const char* kQueuedPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"team",)"
    R"("labels":{"kueue.x-k8s.io/queue-name":"q"}},"spec":{"containers":[{"name":"c","image":"i",)"
    R"("resources":{"requests":{"cpu":"1000m"}},"futureField":{"x":1}}],"schedulingGroup":{"podGroupName":"g"}}})";

TEST(AdmissionOfPods, PatchesTheGateTheLabelTheFinalizerAndTheRoleAndNothingElse) {
    KnownWorld world;
    const AdmissionRequest request = pod_request(kQueuedPod);
    const AdmissionResponse response = review_mutation(request, {}, world);
    EXPECT_EQ(*response.patch_type, "JSONPatch");
    EXPECT_EQ(patch_of(response),
              R"([{"op":"add","path":"/metadata/labels/kueue.x-k8s.io~1managed","value":"true"},)"
              R"({"op":"add","path":"/metadata/annotations","value":{"kueue.x-k8s.io/role-hash":"dc85db45"}},)"
              R"({"op":"add","path":"/metadata/finalizers","value":["kueue.x-k8s.io/managed"]},)"
              R"({"op":"add","path":"/spec/schedulingGates","value":[{"name":"kueue.x-k8s.io/admission"}]}])");
    // Unknown fields, and how the client spells a quantity, stay.
    const std::string after = patched(request, response);
    EXPECT_NE(after.find(R"("cpu":"1000m")"), std::string::npos);
    EXPECT_NE(after.find(R"("futureField":{"x":1})"), std::string::npos);
    EXPECT_NE(after.find(R"("schedulingGroup":{"podGroupName":"g"})"), std::string::npos);
}

TEST(AdmissionOfPods, AppendsToGatesAndFinalizersOfOthers) {
    KnownWorld world;
    const AdmissionRequest request =
        pod_request(R"({"metadata":{"name":"p","labels":{"kueue.x-k8s.io/queue-name":"q"},"finalizers":["a/b"]},)"
                    R"("spec":{"containers":[{"name":"c"}],"schedulingGates":[{"name":"other","new":1}]}})");
    const std::string patch = patch_of(review_mutation(request, {}, world));
    EXPECT_NE(patch.find(R"({"op":"add","path":"/metadata/finalizers/-","value":"kueue.x-k8s.io/managed"})"),
              std::string::npos)
        << patch;
    EXPECT_NE(patch.find(R"("path":"/spec/schedulingGates/-")"), std::string::npos) << patch;
}

TEST(AdmissionOfPods, LeavesPodsWithoutAQueueAloneUnlessTheNamespaceHasADefaultOne) {
    KnownWorld world;
    const AdmissionRequest request =
        pod_request(R"({"metadata":{"name":"p","namespace":"team"},"spec":{"containers":[{"name":"c"}]}})");
    EXPECT_EQ(patch_of(review_mutation(request, {}, world)), "");
    world.add<api::kueue::LocalQueue>("{metadata: {name: default, namespace: team}}");
    EXPECT_NE(patch_of(review_mutation(request, {}, world)).find(R"("kueue.x-k8s.io/queue-name":"default")"),
              std::string::npos);
}

TEST(AdmissionOfPods, LeavesPodsOfAQueuedJobToTheirJob) {
    KnownWorld world;
    world.add<Job>("{metadata: {name: j, namespace: team, uid: u-j, labels: {kueue.x-k8s.io/queue-name: q}}}");
    AdmissionRequest request = pod_request(
        R"({"metadata":{"name":"p","namespace":"team","labels":{"kueue.x-k8s.io/queue-name":"q"},"ownerReferences":)"
        R"([{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u-j","controller":true}]},)"
        R"("spec":{"containers":[{"name":"c"}]}})");
    EXPECT_EQ(patch_of(review_mutation(request, {}, world)), "");
    // Naming the Job does not get past its queue: only a Job controller makes its pods.
    const AdmissionResponse refused = review_validation(request, {}, world);
    EXPECT_FALSE(refused.allowed);
    EXPECT_EQ(refused.status->code, 403);
    EXPECT_NE(refused.status->message.view().find("only the Job controller may create its pods"), std::string::npos);
    for (const char* user : {"system:serviceaccount:kube-system:job-controller", "system:kube-controller-manager",
                             "system:serviceaccount:muster-system:muster"}) {
        request.user_info.username = user;
        ReviewOptions options;
        options.own_user = "system:serviceaccount:muster-system:muster";
        EXPECT_TRUE(review_validation(request, options, world).allowed) << user;
    }
}

TEST(AdmissionOfPods, RefusesWhatWouldStartWorkWithoutQuota) {
    KnownWorld world;
    const std::string gated =
        R"({"metadata":{"name":"p","namespace":"team","labels":{"kueue.x-k8s.io/queue-name":"q",)"
        R"("kueue.x-k8s.io/managed":"true"},"annotations":{"muster.dev/queued":"true"}},)"
        R"("spec":{"containers":[{"name":"c"}],"schedulingGates":[{"name":"kueue.x-k8s.io/admission"}]}})";
    std::string open = gated;
    open.replace(open.find(R"(,"schedulingGates")"), std::string::npos, "}}");
    AdmissionRequest request = pod_request(open, gated);
    EXPECT_FALSE(review_validation(request, {}, world).allowed);
    ReviewOptions options;
    options.own_user = "muster";
    EXPECT_FALSE(review_validation(request, options, world).allowed);
    request.user_info.username = "muster";
    EXPECT_TRUE(review_validation(request, options, world).allowed);
}

TEST(AdmissionOfJobs, SuspendsAQueuedJobAndSaysNothingOfFieldsThatItDoesNotKnow) {
    KnownWorld world;
    const AdmissionRequest request =
        job_request(R"({"metadata":{"name":"j","namespace":"team","labels":{"kueue.x-k8s.io/queue-name":"q"}},)"
                    R"("spec":{"scheduling":{"x":1},"template":{"spec":{"containers":[{"name":"c","new":true}]}}}})");
    EXPECT_EQ(patch_of(review_mutation(request, {}, world)), R"([{"op":"add","path":"/spec/suspend","value":true}])");
    ReviewOptions options;
    options.queues = false;
    EXPECT_EQ(patch_of(review_mutation(request, options, world)), "") << "no queue controller would resume it";
}

TEST(AdmissionOfJobs, GivesTheJobsOfANamespaceThatAsksForItToMuster) {
    KnownWorld world;
    const AdmissionRequest plain =
        job_request(R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"containers":[]}}}})");
    EXPECT_EQ(patch_of(review_mutation(plain, {}, world)), "");
    world.add<Namespace>("{metadata: {name: team, labels: {muster.dev/jobs: managed}}}");
    EXPECT_EQ(patch_of(review_mutation(plain, {}, world)),
              R"([{"op":"add","path":"/spec/managedBy","value":"muster.dev/job-controller"}])");
    const AdmissionRequest other =
        job_request(R"({"metadata":{"name":"j"},"spec":{"managedBy":"a.b/c","template":{"spec":{"containers":[]}}}})");
    EXPECT_EQ(patch_of(review_mutation(other, {}, world)), "") << "it names another";
}

TEST(AdmissionOfJobs, StopsAJobThatIsMadeLargerWithAWarning) {
    KnownWorld world;
    const auto job = [](int parallelism) {
        return R"({"metadata":{"name":"j","namespace":"team","labels":{"kueue.x-k8s.io/queue-name":"q"}},)"
               R"("spec":{"parallelism":)" +
               std::to_string(parallelism) + R"(,"suspend":false,"template":{"spec":{"containers":[]}}}})";
    };
    const AdmissionResponse response = review_mutation(job_request(job(4), job(2)), {}, world);
    EXPECT_EQ(patch_of(response),
              R"([{"op":"add","path":"/metadata/annotations","value":{"kueue.x-k8s.io/stopping":"true"}},)"
              R"({"op":"replace","path":"/spec/suspend","value":true}])");
    ASSERT_EQ(response.warnings.size(), 1u);
    EXPECT_EQ(patch_of(review_mutation(job_request(job(2), job(4)), {}, world)), "");
}

TEST(AdmissionOfQueues, FillsInDefaultsAndChecksTheRulesOfTheirKind) {
    KnownWorld world;
    AdmissionRequest request =
        request_for("kueue.x-k8s.io", "v1beta2", "ClusterQueue", R"({"metadata":{"name":"cq"},"spec":{}})");
    request.namespace_ = "";
    const std::string patch = patch_of(review_mutation(request, {}, world));
    EXPECT_NE(patch.find("BestEffortFIFO"), std::string::npos) << patch;
    EXPECT_TRUE(review_validation(request, {}, world).allowed);

    AdmissionRequest wrong = request_for(
        "kueue.x-k8s.io", "v1beta2", "ClusterQueue",
        R"({"metadata":{"name":"cq"},"spec":{"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f",)"
        R"("resources":[{"name":"cpu","nominalQuota":"-1"}]}]}]}})");
    const AdmissionResponse refused = review_validation(wrong, {}, world);
    EXPECT_FALSE(refused.allowed);
    EXPECT_NE(refused.status->message.view().find("nominalQuota"), std::string::npos) << refused.status->message.view();
}

TEST(Admission, AnswersWhatItCannotReadOrDoesNotServeWithASentence) {
    KnownWorld world;
    const AdmissionResponse odd = review_mutation(pod_request(R"({"spec":{"containers":1}})"), {}, world);
    EXPECT_FALSE(odd.allowed);
    EXPECT_EQ(odd.status->code, 400);
    const AdmissionResponse other =
        review_validation(request_for("apps", "v1", "Deployment", R"({"metadata":{"name":"d"}})"), {}, world);
    EXPECT_FALSE(other.allowed);
    EXPECT_EQ(other.status->message, "objects of kind Deployment in version apps/v1 are not reviewed here");
}

}  // namespace admission_test
}  // namespace muster::webhook
