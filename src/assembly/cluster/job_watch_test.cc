#include "assembly/cluster/job_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster {
namespace job_watch_test {

using api::batch::Job;

Job job_with(const std::string& managed_fields, const char* spec = "{}") {
    return api::from_yaml<Job>("{metadata: {name: j, namespace: ns, managedFields: [" + managed_fields +
                               "]}, spec: " + spec + "}")
        .value();
}
std::string entry(const char* manager, const char* second, const char* subresource = "status") {
    return std::string("{manager: ") + manager +
           ", operation: Update, apiVersion: batch/v1, time: '2026-01-01T00:00:" + second + "Z', subresource: '" +
           subresource + "'},";
}

TEST(ForeignStatusWriter, Table) {
    const std::string ours = entry("muster", "01");
    const std::string theirs = entry("kube-controller-manager", "01");
    struct Case {
        const char* name;
        std::string before, now;
        const char* writer;  // null: none
    } cases[] = {
        {"nothing was written", ours + theirs, ours + theirs, nullptr},
        {"we wrote", ours, entry("muster", "09"), nullptr},
        {"we wrote for the first time, after they did", theirs, ours + theirs, nullptr},
        {"they wrote for the first time", ours, ours + theirs, "kube-controller-manager"},
        {"they wrote again", ours + theirs, ours + entry("kube-controller-manager", "07"), "kube-controller-manager"},
        {"a person changed the spec", ours, ours + entry("kubectl", "07", ""), nullptr},
    };
    for (const Case& c : cases) {
        const auto writer = foreign_status_writer(job_with(c.before), job_with(c.now), "muster");
        EXPECT_EQ(writer ? writer->str() : "", c.writer ? c.writer : "") << c.name;
    }
}

TEST(OtherPods, AreNeededByOurUnfinishedJobsWithSelectorsOfTheirOwn) {
    const controllers::jobs::Ownership ours{.unmanaged = false, .managed_by = "muster.dev/job-controller"};
    const char* managed = "{managedBy: muster.dev/job-controller, manualSelector: true}";
    EXPECT_TRUE(needs_other_pods(job_with("", managed), ours, false));
    EXPECT_FALSE(needs_other_pods(job_with("", "{managedBy: muster.dev/job-controller}"), ours, false));
    EXPECT_FALSE(needs_other_pods(job_with("", "{manualSelector: true}"), ours, false));
    EXPECT_TRUE(needs_other_pods(job_with("", "{manualSelector: true}"), ours, true)) << "it may be queued";
    Job finished = job_with("", managed);
    api::batch::JobCondition complete;
    complete.type = "Complete";
    complete.status = "True";
    finished.status.conditions.edit().push_back(complete);
    EXPECT_FALSE(needs_other_pods(finished, ours, false));
}

}  // namespace job_watch_test
}  // namespace muster
