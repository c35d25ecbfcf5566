#include "controllers/job/pods/claim.h"

#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace claim_test {

constexpr const char* kNoOwner = "{'metadata': {'ownerReferences': null, 'finalizers': null}}";
constexpr const char* kOther =
    "{'metadata': {'ownerReferences': [{'apiVersion': 'batch/v1', 'kind': 'Job', 'name': 'j', 'uid': 'u2', "
    "'controller': true}]}}";
constexpr const char* kNotSelected = "{'metadata': {'labels': {'batch.kubernetes.io/controller-uid': 'u2'}}}";

std::string print(const ClaimPlan& plan) {
    std::string out;
    for (const PodRef& pod : plan.adopt) out += "+" + pod->metadata.name.str();
    for (const PodRef& pod : plan.release) out += "-" + pod->metadata.name.str();
    return out + (plan.adopt_with_finalizer ? "" : " bare");
}

TEST(Claim, Table) {
    struct Case {
        const char* name;
        const char* job;
        const char* words;
        const char* pod;
        const char* want;
    } cases[] = {
        {"a pod of its own stays", "{}", "running", "{}", ""},
        {"an orphan that it selects is adopted", "{}", "running", kNoOwner, "+p"},
        {"finished ones, too: they may count", "{}", "succeeded", kNoOwner, "+p"},
        {"#42639: not when the Job is being deleted", "{'metadata': {'deletionTimestamp': '2024-01-01T00:00:00Z'}}",
         "running", kNoOwner, ""},
        {"not when the pod is", "{}", "running deleting", kNoOwner, ""},
        {"one that it does not select is left alone", "{}", "running",
         "{'metadata': {'ownerReferences': null, 'labels': {'batch.kubernetes.io/controller-uid': 'u2'}}}", ""},
        {"not from another namespace", "{}", "running", "{'metadata': {'ownerReferences': null, 'namespace': 'm'}}",
         ""},
        {"a pod of its own that it no longer selects is released", "{}", "running", kNotSelected, "-p"},
        {"but not while the Job is being deleted", "{'metadata': {'deletionTimestamp': '2024-01-01T00:00:00Z'}}",
         "running", kNotSelected, ""},
        {"a pod of another is never touched", "{}", "running", kOther, ""},
        {"an externally managed Job claims nothing", "{'spec': {'managedBy': 'example.com/x'}}", "running", kNoOwner,
         ""},
        {"a finished Job claims nothing", "{'status': {'conditions': [{'type': 'Complete', 'status': 'True'}]}}",
         "running", kNoOwner, ""},
        {"without a finalizer where lingering pods count",
         "{'metadata': {'annotations': {'muster.dev/counts-lingering-pods': 'true'}}}", "running", kNoOwner, "+p bare"},
    };
    for (const Case& c : cases) {
        const Job job = api::make_job(c.job);
        const auto selector = api::LabelSelector::from(job.spec.selector.get());
        ASSERT_TRUE(selector.ok());
        const std::vector<PodRef> pods = {std::make_shared<const Pod>(make_pod("p", c.words, c.pod))};
        EXPECT_EQ(print(decide_claims(job, {}, *selector, pods)), c.want) << c.name;
    }
}

}  // namespace claim_test
}  // namespace muster::controllers::jobs
