#include "api/validation/queueing/workload.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/rules/kind_rules.h"
#include "api/validation/queueing/queueing.h"

namespace muster::api {
namespace workload_test {

using kueue::Workload;

Workload workload_of(const std::string& spec, const std::string& status = "{}") {
    Workload object;
    const auto decoded = decode_yaml(Workload::info(), &object,
                                     "metadata: {name: w, namespace: ns}\nspec: " + spec + "\nstatus: " + status);
    EXPECT_TRUE(decoded.ok()) << (decoded.ok() ? "" : decoded.error().message);
    object.metadata.resource_version = "1";
    find_rules(kind_info<Workload>())->fill_defaults(&object);
    return object;
}

// As a client is told: the webhook is asked about what the definition allows.
std::string workload_causes(const QueueingErrors& found) {
    const FieldErrors& errors = found.definition.empty() ? found.webhook : found.definition;
    std::string text;
    for (const Cause& cause : errors.causes()) text += cause.field + ": " + cause.message + "\n";
    return text;
}

const std::string kSets = "{queueName: q, podSets: [{name: main, count: 3, template: {}}]}";
const std::string kAdmission =
    "admission: {clusterQueue: c, podSetAssignments: [{name: main, count: 3, resourceUsage: {cpu: 3}}]}";

std::string condition(std::string_view type, std::string_view status = "True") {
    return "{type: " + std::string(type) + ", status: '" + std::string(status) +
           "', reason: R, message: m, lastTransitionTime: '2026-01-01T00:00:00Z'}";
}
const std::string kReserved = "{conditions: [" + condition("QuotaReserved") + "], " + kAdmission + "}";

TEST(WorkloadRules, RefuseWithTheFieldsPath) {
    struct Case {
        const char* name;
        std::string spec;
        std::string says;
    };
    const Case cases[] = {
        {"no pods", "{podSets: []}", "spec.podSets: Required value"},
        {"a set twice", "{podSets: [{name: a, template: {}}, {name: a, template: {}}]}",
         "spec.podSets[1]: Duplicate value: {\"name\":\"a\"}"},
        {"a set with a bad name", "{podSets: [{name: A.b, template: {}}]}",
         "spec.podSets[0].name: Invalid value: \"A.b\""},
        {"a negative count", "{podSets: [{count: -1, template: {}}]}",
         "spec.podSets[0].count: Invalid value: -1: must be greater than or equal to 0"},
        {"more at least than at all", "{podSets: [{count: 2, minCount: 3, template: {}}]}",
         "spec.podSets[0].minCount: Invalid value: 3"},
        {"two sets that may shrink",
         "{podSets: [{name: a, count: 2, minCount: 1, template: {}}, {name: b, count: 2, minCount: 1, template: {}}]}",
         "spec.podSets: Invalid value: 2: at most one podSet can use minCount"},
        {"a request for pods",
         "{podSets: [{template: {spec: {containers: [{name: c, resources: {requests: {pods: 1}}}]}}}]}",
         "spec.podSets[0].template.spec.containers[0].resources.requests[pods]: Invalid value: \"pods\""},
        {"a negative request",
         "{podSets: [{template: {spec: {initContainers: [{name: c, resources: {limits: {cpu: -1}}}]}}}]}",
         "spec.podSets[0].template.spec.initContainers[0].resources.limits[cpu]: Invalid value: \"-1\""},
        {"a bad queue name", "{queueName: A B, podSets: [{template: {}}]}", "spec.queueName: Invalid value: \"A B\""},
        {"a class without a priority",
         "{podSets: [{template: {}}], priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: "
         "some}}",
         "spec.priority: Required value"},
        {"a class of another group's kind",
         "{podSets: [{template: {}}], priority: 1, priorityClassRef: {group: scheduling.k8s.io, kind: "
         "WorkloadPriorityClass, name: some}}",
         "spec.priorityClassRef.kind: Invalid value: \"WorkloadPriorityClass\": only the PriorityClass kind"},
        {"no time at all", "{podSets: [{template: {}}], maximumExecutionTimeSeconds: 0}",
         "spec.maximumExecutionTimeSeconds: Invalid value: 0"},
        {"a topology", "{podSets: [{template: {}, topologyRequest: {required: rack}}]}",
         "spec.podSets[0].topologyRequest.required: Forbidden: is not supported by this server"},
    };
    for (const Case& each : cases) {
        const std::string causes = workload_causes(check_queueing_create(workload_of(each.spec)));
        EXPECT_TRUE(causes.starts_with(each.says)) << each.name << ":\n" << causes;
        EXPECT_EQ(std::count(causes.begin(), causes.end(), '\n'), 1) << each.name << ":\n" << causes;
    }
    std::string many = "{podSets: [";
    for (int i = 0; i < 19; ++i) many += "{name: s" + std::to_string(i) + ", template: {}},";
    EXPECT_EQ(workload_causes(check_queueing_create(workload_of(many + "]}"))),
              "spec.podSets: Too many: 19: must have at most 18 items\n");
    EXPECT_EQ(workload_causes(check_queueing_create(workload_of(kSets))), "");
}

struct Change {
    const char* name;
    std::string before_spec, before_status;
    std::string now_spec;
    std::string says;  // empty: accepted
};

const std::string kClass =
    ", priority: 1, priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: ";
const std::string kPodClass = ", priority: 1, priorityClassRef: {group: scheduling.k8s.io, kind: PriorityClass, name: ";
std::string sets_with(const std::string& more) { return "{podSets: [{count: 3, template: {}}]" + more + "}"; }

TEST(WorkloadRules, KeepWhatQuotaIsReservedFor) {
    const std::string kAdmitted =
        "{conditions: [" + condition("QuotaReserved") + ", " + condition("Admitted") + "], " + kAdmission + "}";
    const Change changes[] = {
        {"other pods without quota", kSets, "{}", "{queueName: r, podSets: [{name: x, template: {}}]}", ""},
        {"fewer pods than are said to be done", sets_with(""), "{reclaimablePods: [{name: main, count: 2}]}",
         "{podSets: [{count: 1, template: {}}]}",
         "status.reclaimablePods[main].count: Invalid value: 2: should be less or equal to 1\n"},
        {"another queue when less is there than is done", "{podSets: [{count: 1, template: {}}]}",
         "{reclaimablePods: [{name: main, count: 2}]}", "{queueName: r, podSets: [{count: 1, template: {}}]}", ""},
        {"other pods with quota", sets_with(""), kReserved, "{podSets: [{count: 4, template: {}}]}",
         "spec.podSets[0]: Invalid value: \"main\": field is immutable\n"},
        {"more sets with quota", sets_with(""), kReserved,
         "{podSets: [{count: 3, template: {}}, {name: b, template: {}}]}",
         "spec.podSets: Invalid value: 2: field is immutable\n"},
        {"another queue with quota", kSets, kReserved,
         "{queueName: r, podSets: [{name: main, count: 3, template: {}}]}",
         "spec.queueName: Invalid value: \"r\": queueName is immutable while workload quota reserved\n"},
        {"another class of workloads", sets_with(kClass + "a}"), kReserved, sets_with(kClass + "b}"), ""},
        {"another class of pods", sets_with(kPodClass + "a}"), kReserved, sets_with(kPodClass + "b}"),
         "spec.priorityClassRef.name: Invalid value: \"b\": is immutable while workload quota reserved\n"},
        {"no class any more", sets_with(kClass + "a}"), kReserved, sets_with(""),
         "spec.priorityClassRef: Invalid value: null: is immutable while workload quota reserved\n"},
        {"another priority", sets_with(", priority: 1"), kReserved, sets_with(", priority: 2"), ""},
        {"another time before it runs", sets_with(""), kReserved, sets_with(", maximumExecutionTimeSeconds: 5"), ""},
        {"another time while it runs", sets_with(""), kAdmitted, sets_with(", maximumExecutionTimeSeconds: 5"),
         "spec.maximumExecutionTimeSeconds: Invalid value: 5: maximumExecutionTimeSeconds is immutable while workload "
         "quota reserved\n"},
        {"an end to it", sets_with(""), kAdmitted, sets_with(", active: false"), ""},
    };
    for (const Change& change : changes) {
        const Workload before = workload_of(change.before_spec, change.before_status);
        const Workload now = workload_of(change.now_spec, change.before_status);
        EXPECT_EQ(workload_causes(check_queueing_update(now, before)), change.says) << change.name;
    }
}

TEST(WorkloadRules, LimitTheListsOfTheStatus) {
    const auto repeated = [](std::size_t count, const std::string& one) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text +=
                (i == 0 ? "" : ", ") + one.substr(0, one.find('#')) + std::to_string(i) + one.substr(one.find('#') + 1);
        return "[" + text + "]";
    };
    struct Case {
        std::string status;
        std::string says;
    };
    const Case cases[] = {
        {"{nominatedClusterNames: " + repeated(21, "c#") + "}",
         "status.nominatedClusterNames: Too many: 21: must have at most 20 items\n"},
        {"{nominatedClusterNames: " + repeated(20, "c#") + "}", ""},
        {"{resourceRequests: " + repeated(19, "{name: s#}") + "}",
         "status.resourceRequests: Too many: 19: must have at most 18 items\n"},
        {"{unhealthyNodes: " + repeated(9, "{name: n#}") + "}",
         "status.unhealthyNodes: Too many: 9: must have at most 8 items\n"},
        {"{admission: {clusterQueue: c, podSetAssignments: " + repeated(19, "{name: s#}") + "}}",
         "status.admission.podSetAssignments: Too many: 19: must have at most 18 items\n"},
        {"{admission: {clusterQueue: Not_A_Name, podSetAssignments: []}}",
         "status.admission.clusterQueue: Invalid value: \"Not_A_Name\": "},
        {"{clusterName: " + std::string(257, 'c') + "}", "status.clusterName: Too long"},
    };
    for (const Case& one : cases) {
        const std::string causes =
            workload_causes(check_workload_status_update(workload_of(kSets, one.status), workload_of(kSets)));
        const std::string wanted = one.says.empty() ? "" : one.says;
        EXPECT_TRUE(wanted.empty() ? causes.empty() : causes.starts_with(wanted)) << one.status << "\n" << causes;
    }
}

TEST(WorkloadRules, KnowWhatFollowsWhatInTheStatus) {
    struct Step {
        const char* name;
        std::string before, now;
        std::string says;
    };
    const std::string reserved = "conditions: [" + condition("QuotaReserved") + "], ";
    const std::string ready = "{name: k, state: Ready, message: '', lastTransitionTime: '2026-01-01T00:00:00Z'";
    const Step steps[] = {
        {"quota is reserved", "{}", kReserved, ""},
        {"quota is given back", kReserved, "{conditions: [" + condition("QuotaReserved", "False") + "]}", ""},
        {"a reservation of nothing", "{}", "{conditions: [" + condition("QuotaReserved") + "]}",
         "status.admission: Required value: must be set while the QuotaReserved condition is true\n"},
        {"a reservation for a set that is not there", "{}",
         "{" + reserved + "admission: {clusterQueue: c, podSetAssignments: [{name: other}]}}",
         "status.admission.podSetAssignments[0].name: Not found: \"other\"\n"},
        {"a reservation for none of the sets", "{}",
         "{" + reserved + "admission: {clusterQueue: c, podSetAssignments: []}}",
         "status.admission.podSetAssignments: Invalid value: 0: podSetAssignments must have the same number of podSets "
         "as the spec\n"},
        {"usage that is not that of whole pods", "{}",
         "{" + reserved +
             "admission: {clusterQueue: c, podSetAssignments: [{name: main, count: 3, resourceUsage: {cpu: 3500m}}]}}",
         "status.admission.podSetAssignments[0].resourceUsage[cpu]: Invalid value: \"3500m\": is not a multiple of "
         "3\n"},
        {"another admission without giving up the first", kReserved,
         "{" + reserved + "admission: {clusterQueue: d, podSetAssignments: [{name: main, count: 3}]}}",
         "status.admission: Invalid value"},
        {"pods that are done", kReserved, "{" + reserved + kAdmission + ", reclaimablePods: [{name: main, count: 2}]}",
         ""},
        {"more pods that are done than there are", kReserved,
         "{" + reserved + kAdmission + ", reclaimablePods: [{name: main, count: 4}]}",
         "status.reclaimablePods[main].count: Invalid value: 4: should be less or equal to 3\n"},
        {"pods that are done no longer", "{" + reserved + kAdmission + ", reclaimablePods: [{name: main, count: 2}]}",
         "{" + reserved + kAdmission + ", reclaimablePods: [{name: main, count: 1}]}",
         "status.reclaimablePods[main].count: Invalid value: 1: cannot be less than 2\n"},
        {"pods that were never done", "{" + reserved + kAdmission + ", reclaimablePods: [{name: main, count: 2}]}",
         kReserved, "status.reclaimablePods[main]: Required value: cannot be removed\n"},
        {"a fresh start", "{" + reserved + kAdmission + ", reclaimablePods: [{name: main, count: 2}]}", "{}", ""},
        {"a condition without a reason", "{}",
         "{conditions: [{type: A, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', message: ''}]}",
         "status.conditions[0].reason: Required value: must be set\n"},
        {"a check in no state", "{}",
         "{admissionChecks: [{name: k, state: Done, message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}",
         "status.admissionChecks[0].state: Unsupported value: \"Done\""},
        {"a check that changes a set that is not there", "{}",
         "{admissionChecks: [" + ready + ", podSetUpdates: [{name: other}]}]}",
         "status.admissionChecks[0].podSetUpdates[0].name: Unsupported value: \"other\": supported values: \"main\"\n"},
        {"a passed check that changes its mind",
         "{admissionChecks: [" + ready + ", podSetUpdates: [{name: main, labels: {a: b}}]}]}",
         "{admissionChecks: [" + ready + ", podSetUpdates: [{name: main, labels: {a: c}}]}]}",
         "status.admissionChecks[0].podSetUpdates: Invalid value"},
    };
    for (const Step& step : steps) {
        const std::string causes = workload_causes(
            check_workload_status_update(workload_of(kSets, step.now), workload_of(kSets, step.before)));
        EXPECT_TRUE(step.says.empty() ? causes.empty() : causes.starts_with(step.says)) << step.name << ":\n" << causes;
    }
}

}  // namespace workload_test
}  // namespace muster::api
