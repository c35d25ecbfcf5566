#include "api/validation/queueing/queueing_warnings.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/rules/kind_rules.h"

namespace muster::api {
namespace queueing_warnings_test {

using Strings = std::vector<std::string>;

// As the server asks for them: by the rules of the kind. Gives the fields that they name.
template <class K>
Strings warned_of(const std::string& yaml) {
    const K object = from_yaml<K>(yaml).value();
    Strings fields;
    for (const std::string& warning : find_rules(kind_info<K>())->warnings(&object, nullptr)) {
        EXPECT_NE(warning.find("without effect"), std::string::npos) << warning;
        fields.push_back(warning.substr(0, warning.find(": ")));
    }
    return fields;
}

TEST(QueueingWarnings, NameTheFieldsOfClusterQueuesThatHaveNoEffect) {
    const struct {
        const char* sentence;
        const char* yaml;
        Strings fields;
    } kCases[] = {
        {"no scope", "{spec: {}}", {}},
        {"sharing by use",
         "{spec: {admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}}}",
         {"spec.admissionScope"}},
        {"no sharing by use", "{spec: {admissionScope: {admissionMode: NoAdmissionFairSharing}}}", {}},
        {"a weight in its cohort, which counts", "{spec: {fairSharing: {weight: 2}}}", {}},
    };
    for (const auto& [sentence, yaml, fields] : kCases)
        EXPECT_EQ(warned_of<kueue::ClusterQueue>(yaml), fields) << sentence;
}

TEST(QueueingWarnings, NameTheFieldsOfWorkloadsThatHaveNoEffect) {
    const struct {
        const char* sentence;
        const char* yaml;
        Strings fields;
    } kCases[] = {
        {"neither", "{metadata: {annotations: {other: x}}}", {}},
        {"a preemption gate", "{spec: {preemptionGates: [{name: g}]}}", {"spec.preemptionGates"}},
        {"a boost",
         "{metadata: {annotations: {kueue.x-k8s.io/priority-boost: '5'}}}",
         {"metadata.annotations[kueue.x-k8s.io/priority-boost]"}},
        {"both",
         "{metadata: {annotations: {kueue.x-k8s.io/priority-boost: '5'}}, spec: {preemptionGates: [{name: g}]}}",
         {"spec.preemptionGates", "metadata.annotations[kueue.x-k8s.io/priority-boost]"}},
    };
    for (const auto& [sentence, yaml, fields] : kCases) EXPECT_EQ(warned_of<kueue::Workload>(yaml), fields) << sentence;
}

TEST(QueueingWarnings, NameTheFieldsOfLocalQueuesAndFlavorsThatHaveNoEffect) {
    EXPECT_EQ(warned_of<kueue::LocalQueue>("{spec: {clusterQueue: q}}"), Strings{});
    EXPECT_EQ(warned_of<kueue::LocalQueue>("{spec: {fairSharing: {weight: 2}}}"), Strings{"spec.fairSharing"});
    EXPECT_EQ(warned_of<kueue::ResourceFlavor>("{spec: {nodeLabels: {a: b}}}"), Strings{});
    EXPECT_EQ(warned_of<kueue::ResourceFlavor>("{spec: {nodeLabels: {a: b}, topologyName: t}}"),
              Strings{"spec.topologyName"});
}

}  // namespace queueing_warnings_test
}  // namespace muster::api
