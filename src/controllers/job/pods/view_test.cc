#include "controllers/job/pods/view.h"

#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace view_test {

const Ownership kCluster{};
const Ownership kManagedBy{.unmanaged = false, .managed_by = "muster.dev/job-controller"};
const Ownership kBoth{.unmanaged = true, .managed_by = "muster.dev/job-controller"};

TEST(JobOwnership, Table) {
    struct Case {
        const char* name;
        const char* job;
        bool all, managed_by, both;
    } cases[] = {
        {"a Job without managedBy", "{}", true, false, true},
        {"a Job of Kubernetes' own controller by name", "{'spec': {'managedBy': 'kubernetes.io/job-controller'}}", true,
         false, true},
        {"a Job of ours", "{'spec': {'managedBy': 'muster.dev/job-controller'}}", false, true, true},
        {"a Job of a third controller", "{'spec': {'managedBy': 'example.com/x'}}", false, false, false},
    };
    for (const Case& c : cases) {
        const Job job = api::make_job(c.job);
        EXPECT_EQ(is_owned(job, kCluster), c.all) << c.name;
        EXPECT_EQ(is_owned(job, kManagedBy), c.managed_by) << c.name;
        EXPECT_EQ(is_owned(job, kBoth), c.both) << c.name;
    }
}

TEST(LeftAlone, AGangIsNotRunWithoutItsGang) {
    Job job = api::make_job("{}");
    EXPECT_EQ(why_left_alone(job, Gates{}), LeftAlone::kNo);
    api::residue_of(&job.spec).add(R"(,"future":{"scheduling":1})");
    EXPECT_EQ(why_left_alone(job, Gates{}), LeftAlone::kNo);
    api::residue_of(&job.spec).add(R"(,"scheduling":{"gang":{}})");
    EXPECT_EQ(why_left_alone(job, Gates{}), LeftAlone::kGang);
}

TEST(LeftAlone, AJobWhosePodsAreNotShownIsLeftAlone) {
    const Job job = api::make_job("{'spec': {'manualSelector': true}}");
    EXPECT_EQ(why_left_alone(job, Gates{}), LeftAlone::kNo);
    EXPECT_EQ(why_left_alone(job, Gates{.ownership = {.manual_selectors = false}}), LeftAlone::kUnseenPods);
}

}  // namespace view_test
}  // namespace muster::controllers::jobs
