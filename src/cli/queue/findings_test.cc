#include "cli/queue/findings.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace muster::cli {
namespace findings_test {

std::string found(const char* kind, const char* object) {
    QueueFindings findings;
    find_in_object(kind, boost::json::parse(object).as_object(), findings);
    std::string text;
    for (const QueueFinding& finding : findings)
        text += (text.empty() ? "" : "; ") + finding.name + ": " + finding.what;
    return text;
}

TEST(QueueFindings, NameWhatIsNotServed) {
    struct Row {
        const char* sentence;
        const char* kind;
        const char* object;
        const char* part;  // of the finding; empty: none
    };
    const Row rows[] = {
        {"a plain queue is served", "ClusterQueue",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"q"},"spec":{"cohortName":"c"}})", ""},
        {"a queue of v1beta1 is served", "ClusterQueue",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta1","metadata":{"name":"q"},"spec":{"cohort":"c"}})", ""},
        {"a flavor with a topology", "ResourceFlavor",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"f"},"spec":{"topologyName":"t","nodeLabels":{"a":"b"}}})",
         "topologyName"},
        {"sharing by past use", "ClusterQueue",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"q"},"spec":{"admissionScope":{"admissionMode":"UsageBasedAdmissionFairSharing"}}})",
         "admissionScope"},
        {"a check of MultiKueue", "AdmissionCheck",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"m"},"spec":{"controllerName":"kueue.x-k8s.io/multikueue"}})",
         "kueue.x-k8s.io/multikueue"},
        {"a check of a controller of its own", "AdmissionCheck",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"m"},"spec":{"controllerName":"example.com/budget"}})",
         ""},
        {"a workload of a Job", "Workload",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"w","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u","controller":true}]}})",
         ""},
        {"a workload of another framework", "Workload",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"w","ownerReferences":[{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","name":"s","uid":"u","controller":true}]}})",
         "JobSet s of jobset.x-k8s.io/v1alpha2"},
        {"one that has finished", "Workload",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"w","ownerReferences":[{"apiVersion":"ray.io/v1","kind":"RayJob","name":"s","uid":"u","controller":true}]},"status":{"conditions":[{"type":"Finished","status":"True","reason":"x","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})",
         ""},
        {"a slice of an elastic Job", "Workload",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"w","annotations":{"kueue.x-k8s.io/workload-slice-replacement-for":"a/b"}}})",
         "elastic workload slices"},
        {"one that another cluster runs", "Workload",
         R"({"apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"w"},"status":{"clusterName":"far"}})",
         "MultiKueue"},
        {"an elastic Job", "Job", R"({"metadata":{"name":"j","annotations":{"kueue.x-k8s.io/elastic-job":"true"}}})",
         "elastic workload slices"},
        {"a Job that asks for a topology", "Job",
         R"({"metadata":{"name":"j"},"spec":{"template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-required-topology":"rack"}}}}})",
         "topology-aware scheduling"},
        {"a plain Job", "Job", R"({"metadata":{"name":"j"},"spec":{"template":{}}})", ""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.sentence);
        const std::string text = found(row.kind, row.object);
        if (*row.part == 0) {
            EXPECT_EQ(text, "");
        } else {
            EXPECT_NE(text.find(row.part), std::string::npos) << text;
        }
    }
}

TEST(QueueFindings, NameWhatKueuesConfigurationAsksForInVain) {
    QueueFindings findings;
    find_in_configuration("{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration}", findings);
    EXPECT_TRUE(findings.empty());
    find_in_configuration(
        "{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration, integrations: {frameworks: [ray.io/rayjob]}}",
        findings);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_NE(findings[0].what.find("ray.io/rayjob"), std::string::npos) << findings[0].what;
}

}  // namespace findings_test
}  // namespace muster::cli
