#include "controllers/job/pods/orphan.h"

#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace orphan_test {

TEST(Orphan, Table) {
    constexpr const char* kFinished = "{'status': {'conditions': [{'type': 'Failed', 'status': 'True'}]}}";
    struct Case {
        const char* name;
        const char* words;
        const char* pod;
        const char* job;  // null: there is none of that name
        bool want;
    } cases[] = {
        {"#108752: its Job is gone", "running", "{}", nullptr, true},
        {"another Job has taken the name", "running", "{}", "{'metadata': {'uid': 'u2'}}", true},
        {"its Job has finished", "failed", "{}", kFinished, true},
        {"its Job runs, and does this itself", "failed", "{}", "{}", false},
        {"its Job is being deleted, and does this itself", "failed", "{}",
         "{'metadata': {'deletionTimestamp': '2024-01-01T00:00:00Z'}}", false},
        {"it has no controller", "running", "{'metadata': {'ownerReferences': null}}", nullptr, true},
        {"an owner that does not control it is no controller", "running",
         "{'metadata': {'ownerReferences': [{'apiVersion': 'v1', 'kind': 'X', 'name': 'x', 'uid': 'u9'}]}}", nullptr,
         true},
        {"#124798: another kind controls it", "running",
         "{'metadata': {'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'j', 'uid': "
         "'u1', 'controller': true}]}}",
         nullptr, false},
        {"#124798: a Job of another group controls it", "running",
         "{'metadata': {'ownerReferences': [{'apiVersion': 'example.com/v1', 'kind': 'Job', 'name': 'j', 'uid': "
         "'u1', 'controller': true}]}}",
         nullptr, false},
        {"its Job is managed by another controller, finished or not", "failed", "{}",
         "{'spec': {'managedBy': 'example.com/x'}, 'status': {'conditions': [{'type': 'Failed', 'status': 'True'}]}}",
         false},
        {"there is nothing to release", "running bare", "{}", nullptr, false},
    };
    for (const Case& c : cases) {
        const Pod pod = make_pod("p", c.words, c.pod);
        const Job job = api::make_job(c.job ? c.job : "{}");
        EXPECT_EQ(may_release_orphan(pod, c.job ? &job : nullptr), c.want) << c.name;
    }
}

TEST(Orphan, OfAControllerBesideKubernetesOwn) {
    constexpr const char* kOurs = "{'spec': {'managedBy': 'muster.dev/job-controller'}}";
    constexpr const char* kOursFinished =
        "{'spec': {'managedBy': 'muster.dev/job-controller'}, "
        "'status': {'conditions': [{'type': 'Failed', 'status': 'True'}]}}";
    constexpr const char* kTheirsFinished = "{'status': {'conditions': [{'type': 'Failed', 'status': 'True'}]}}";
    const Ownership beside{.unmanaged = false, .managed_by = "muster.dev/job-controller"};
    struct Case {
        const char* name;
        const char* pod;
        const char* job;  // null: there is none of that name
        bool was_owned;
        bool want;
    } cases[] = {
        {"our Job has finished", "{}", kOursFinished, false, true},
        {"our Job runs", "{}", kOurs, false, false},
        {"a Job of theirs has finished", "{}", kTheirsFinished, false, false},
        {"a Job that was ours is gone", "{}", nullptr, true, true},
        {"a Job that we have never seen is gone", "{}", nullptr, false, false},
        {"another Job has the name of one that was not ours", "{}", "{'metadata': {'uid': 'u2'}}", false, false},
        {"it has no controller", "{'metadata': {'ownerReferences': null}}", nullptr, false, false},
    };
    for (const Case& c : cases) {
        const Pod pod = make_pod("p", "failed", c.pod);
        const Job job = api::make_job(c.job ? c.job : "{}");
        EXPECT_EQ(may_release_orphan(pod, c.job ? &job : nullptr, beside, c.was_owned), c.want) << c.name;
    }
}

}  // namespace orphan_test
}  // namespace muster::controllers::jobs
