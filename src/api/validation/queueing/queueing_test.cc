#include "api/validation/queueing/queueing.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/kinds/kueue/kueue_names.h"
#include "api/rules/kind_rules.h"
#include "api/validation/queueing/queueing_webhooks.h"
#include "api/validation/queueing/workload.h"

namespace muster::api {
namespace queueing_test {

using namespace kueue;  // NOLINT(google-build-using-namespace): all of its kinds stand below

template <class K>
K queue_object(std::string_view yaml) {
    K object{};
    const auto decoded = decode_yaml(K::info(), &object, yaml);
    EXPECT_TRUE(decoded.ok()) << (decoded.ok() ? "" : decoded.error().message);
    if (decoded.ok()) {
        EXPECT_TRUE(decoded->complaints.empty()) << decoded->complaints[0];
    }
    if (object.metadata.name.empty()) object.metadata.name = "x";
    object.metadata.resource_version = "1";
    if (K::kKindOptions.namespaced) object.metadata.namespace_ = "ns";
    find_rules(kind_info<K>())->fill_defaults(&object);
    return object;
}

std::string causes_of(const FieldErrors& errors) {
    std::string text;
    for (const Cause& cause : errors.causes()) text += cause.field + ": " + cause.message + "\n";
    return text;
}

// As a client is told: the webhook is asked about what the definition allows.
std::string causes_of(const QueueingErrors& errors) {
    return causes_of(errors.definition.empty() ? errors.webhook : errors.definition);
}

struct Refused {
    const char* name;
    const char* yaml;
    const char* says;  // the only cause, or its beginning
};

template <class K>
void expect_refused(const Refused& refused) {
    const std::string causes = causes_of(check_queueing_create(queue_object<K>(refused.yaml)));
    EXPECT_TRUE(causes.starts_with(refused.says)) << refused.name << ":\n" << causes;
    EXPECT_EQ(std::count(causes.begin(), causes.end(), '\n'), 1) << refused.name << ":\n" << causes;
}

std::string one_flavor(std::string_view quota, std::string_view more = "") {
    return "spec:\n  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n    - name: f\n      resources: "
           "[{name: cpu, " +
           std::string(quota) + "}]\n" + std::string(more);
}

TEST(ClusterQueueDefaults, AreThoseOfKueue) {
    EXPECT_EQ(to_json(queue_object<ClusterQueue>("spec: {fairSharing: {}}").spec),
              R"({"queueingStrategy":"BestEffortFIFO",)"
              R"("flavorFungibility":{"whenCanBorrow":"MayStopSearch","whenCanPreempt":"TryNextFlavor"},)"
              R"("preemption":{"reclaimWithinCohort":"Never","borrowWithinCohort":{"policy":"Never"},)"
              R"("withinClusterQueue":"Never"},"stopPolicy":"None","fairSharing":{"weight":"1"}})");
    EXPECT_EQ(to_json(queue_object<LocalQueue>("spec: {clusterQueue: c}").spec),
              R"({"clusterQueue":"c","stopPolicy":"None"})");
    const Workload workload =
        queue_object<Workload>("spec: {podSets: [{template: {}}, {name: none, count: 0, template: {}}]}");
    EXPECT_EQ(workload.spec.active, true);
    EXPECT_EQ(workload.spec.pod_sets[0].name, "main");
    EXPECT_EQ(workload.spec.pod_sets[0].count, 1);
    EXPECT_EQ(workload.spec.pod_sets[1].count, 0);
}

TEST(PodCounts, SurviveTheStoreWhateverTheyAre) {
    for (const int count : {0, 1, 7}) {
        Workload workload;
        workload.spec.pod_sets.edit().emplace_back().count = count;
        std::string bytes;
        append_protobuf(Workload::info(), &workload, bytes);
        EXPECT_EQ(from_protobuf<Workload>(bytes)->spec.pod_sets[0].count, count);
        EXPECT_EQ(from_json<Workload>(to_json(workload))->spec.pod_sets[0].count, count);
    }
    EXPECT_FALSE(from_json<Workload>(R"({"spec":{"podSets":[{"count":"3"}]}})").ok());
    EXPECT_FALSE(from_json<Workload>(R"({"spec":{"podSets":[{"count":1.5}]}})").ok());
}

TEST(ClusterQueue, IsAcceptedWithEverythingThatItCanSay) {
    const ClusterQueue queue = queue_object<ClusterQueue>(R"(
spec:
  cohortName: all
  queueingStrategy: StrictFIFO
  namespaceSelector: {matchLabels: {team: a}}
  stopPolicy: HoldAndDrain
  fairSharing: {weight: 500m}
  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor, preference: PreemptionOverBorrowing}
  preemption:
    reclaimWithinCohort: Any
    withinClusterQueue: LowerOrNewerEqualPriority
    borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 7}
  admissionChecksStrategy: {admissionChecks: [{name: check, onFlavors: [spot]}]}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: on-demand
      resources: [{name: cpu, nominalQuota: 9, borrowingLimit: 0, lendingLimit: 9}, {name: memory, nominalQuota: 9Gi}]
    - name: spot
      resources: [{name: cpu, nominalQuota: 0}, {name: memory, nominalQuota: 0}]
  - coveredResources: [pods]
    flavors: [{name: pods, resources: [{name: pods, nominalQuota: 5}]}]
)");
    EXPECT_EQ(causes_of(check_queueing_create(queue)), "");
    EXPECT_EQ(causes_of(check_queueing_create(queue_object<ClusterQueue>("{}"))), "");
}

TEST(ClusterQueue, IsRefusedForOneReasonAtATime) {
    const Refused cases[] = {
        {"a strategy that is none", "spec: {queueingStrategy: Fair}",
         "spec.queueingStrategy: Unsupported value: \"Fair\": supported values: \"StrictFIFO\", \"BestEffortFIFO\""},
        {"a stop that is none", "spec: {stopPolicy: Now}", "spec.stopPolicy: Unsupported value: \"Now\""},
        {"a policy that is none", "spec: {preemption: {withinClusterQueue: Any}}",
         "spec.preemption.withinClusterQueue: Unsupported value: \"Any\""},
        {"a cohort that is no name", "spec: {cohortName: A_B}", "spec.cohortName: Invalid value: \"A_B\""},
        {"borrowing by preemption alone", "spec: {preemption: {borrowWithinCohort: {policy: LowerPriority}}}",
         "spec.preemption: Invalid value"},
        {"a preference that means nothing", "spec: {flavorFungibility: {preference: BorrowingOverPreemption}}",
         "spec.flavorFungibility.preference: Invalid value: \"BorrowingOverPreemption\""},
        {"a negative weight", "spec: {fairSharing: {weight: -1}}",
         "spec.fairSharing: Invalid value: \"-1\": must be greater than or equal to 0"},
        {"a weight that is next to nothing", "spec: {fairSharing: {weight: 1n}}", "spec.fairSharing: Invalid value"},
        {"a check without a name", "spec: {admissionChecksStrategy: {admissionChecks: [{}]}}",
         "spec.admissionChecksStrategy.admissionChecks[0].name: Required value"},
        {"a strategy without checks", "spec: {admissionChecksStrategy: {}}",
         "spec.admissionChecksStrategy.admissionChecks: Required value"},
        {"a check on a flavor that the queue has not",
         "spec: {admissionChecksStrategy: {admissionChecks: [{name: a, onFlavors: [f]}]}}",
         "spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]: Unsupported value: \"f\""},
        {"the same check twice", "spec: {admissionChecksStrategy: {admissionChecks: [{name: a}, {name: a}]}}",
         "spec.admissionChecksStrategy.admissionChecks[1]: Duplicate value: {\"name\":\"a\"}"},
        {"several flavors at once", "spec: {concurrentAdmissionPolicy: {migration: {mode: RetainFirstAdmission}}}",
         "spec.concurrentAdmissionPolicy: Forbidden"},
        {"a group without resources", "spec: {resourceGroups: [{flavors: [{name: f, resources: []}]}]}",
         "spec.resourceGroups[0].coveredResources: Required value"},
    };
    for (const Refused& refused : cases) {
        if (std::string_view(refused.name) == "a group without resources") {
            const std::string causes = causes_of(check_queueing_create(queue_object<ClusterQueue>(refused.yaml)));
            EXPECT_TRUE(causes.starts_with(refused.says)) << causes;
            continue;
        }
        expect_refused<ClusterQueue>(refused);
    }
}

TEST(Quota, IsRefusedWithItsPath) {
    const std::string base = "spec.resourceGroups[0].flavors[0].resources[0].";
    struct Case {
        const char* name;
        std::string yaml;
        std::string says;
    };
    const Case cases[] = {
        {"a negative quota", one_flavor("nominalQuota: -1"),
         base + "nominalQuota: Invalid value: \"-1\": must be greater than or equal to 0"},
        {"borrowing without a cohort", one_flavor("nominalQuota: 1, borrowingLimit: 1"),
         base + "borrowingLimit: Invalid value: \"1\": must be nil when cohort is empty"},
        {"lending without a cohort", one_flavor("nominalQuota: 1, lendingLimit: 1"),
         base + "lendingLimit: Invalid value: \"1\": must be nil when cohort is empty"},
        {"lending more than there is", one_flavor("nominalQuota: 1, lendingLimit: 2", "  cohortName: c\n"),
         base + "lendingLimit: Invalid value: \"2\": must be less than or equal to the nominalQuota"},
        {"a negative limit", one_flavor("nominalQuota: 1, borrowingLimit: -2", "  cohortName: c\n"),
         base + "borrowingLimit: Invalid value: \"-2\": must be greater than or equal to 0"},
    };
    for (const Case& each : cases) expect_refused<ClusterQueue>({each.name, each.yaml.c_str(), each.says.c_str()});
    const Refused shapes[] = {
        {"a resource that is not covered",
         "spec: {resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: memory, "
         "nominalQuota: 1}]}]}]}",
         "spec.resourceGroups[0].flavors[0].resources[0].name: Invalid value: \"memory\": must match the name in"},
        {"resources that are missing",
         "spec: {resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: f, resources: [{name: cpu, "
         "nominalQuota: 1}]}]}]}",
         "spec.resourceGroups[0].flavors[0].resources: Invalid value: 1"},
        {"a flavor in two groups",
         "spec: {resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
         "1}]}]},"
         "{coveredResources: [memory], flavors: [{name: f, resources: [{name: memory, nominalQuota: 1}]}]}]}",
         "spec.resourceGroups[1].flavors[0].name: Duplicate value: \"f\""},
        {"a resource in two groups",
         "spec: {resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
         "1}]}]},"
         "{coveredResources: [cpu], flavors: [{name: g, resources: [{name: cpu, nominalQuota: 1}]}]}]}",
         "spec.resourceGroups[1].coveredResources[0]: Duplicate value: \"cpu\""},
    };
    for (const Refused& refused : shapes) expect_refused<ClusterQueue>(refused);
}

TEST(Quota, HasLimitsOnItsSize) {
    ClusterQueue queue = queue_object<ClusterQueue>("{}");
    for (int g = 0; g < 17; ++g) {
        ResourceGroup& group = queue.spec.resource_groups.edit().emplace_back();
        const std::string resource = "example.com/r" + std::to_string(g);
        group.covered_resources.edit().push_back(resource);
        for (int f = 0; f < 16; ++f) {
            FlavorQuotas& flavor = group.flavors.edit().emplace_back();
            flavor.name = "f" + std::to_string(g * 16 + f);
            flavor.resources.edit().emplace_back().name = resource;
        }
    }
    const std::string causes = causes_of(check_queueing_create(queue));
    EXPECT_NE(causes.find("spec.resourceGroups: Too many: 17: must have at most 16 items"), std::string::npos);
    EXPECT_EQ(causes.find("total number of flavors"), std::string::npos) << "the definition refuses it before";
    queue.spec.resource_groups.edit().pop_back();
    FlavorQuotas& one_more = queue.spec.resource_groups.edit()[0].flavors.edit().emplace_back();
    one_more.name = "one-more";
    one_more.resources.edit().emplace_back().name = "example.com/r0";
    EXPECT_EQ(causes_of(check_queueing_create(queue)),
              "spec.resourceGroups: Invalid value: 257: total number of flavors across all resourceGroups must be ≤ "
              "256, got 257\n");
}

// What a definition of Kueue refuses is 422, what only its webhook refuses is 403.
struct Answered {
    const char* name;
    QueueingErrors errors;
    const char* webhook;  // null: the definition refuses it
};

template <class K>
QueueingErrors created(const std::string& yaml) {
    const K object = queue_object<K>(yaml);
    QueueingErrors errors = check_queueing_create(object);
    // The webhook says the same.
    EXPECT_EQ(causes_of(ask_queueing_webhook(kind_info<K>(), &object, nullptr, false).errors),
              causes_of(errors.webhook));
    return errors;
}

QueueingErrors with_status(const std::string& now, const std::string& before = "{}") {
    const std::string spec = "spec: {podSets: [{name: main, count: 2, template: {}}]}\nstatus: ";
    return check_workload_status_update(queue_object<Workload>(spec + now), queue_object<Workload>(spec + before));
}

TEST(Refusals, AreAnsweredAsTheDefinitionOrTheWebhookOfKueueDoes) {
    const std::string flavor = "{name: f, resources: [{name: cpu, nominalQuota: 1}]}";
    const std::string reserved =
        "conditions: [{type: QuotaReserved, status: 'True', reason: r, lastTransitionTime: '2026-01-01T00:00:00Z'}]";
    const std::string admission = "admission: {clusterQueue: q, podSetAssignments: [{name: main, count: 2, ";
    const Answered cases[] = {
        {"a strategy that is none", created<ClusterQueue>("spec: {queueingStrategy: Fair}"), nullptr},
        {"borrowing by preemption alone",
         created<ClusterQueue>("spec: {preemption: {borrowWithinCohort: {policy: LowerPriority}}}"), nullptr},
        {"borrowing without a cohort", created<ClusterQueue>(one_flavor("nominalQuota: 1, borrowingLimit: 1")),
         nullptr},
        {"lending without a cohort", created<ClusterQueue>(one_flavor("nominalQuota: 1, lendingLimit: 1")),
         "vclusterqueue.kb.io"},
        {"lending more than there is",
         created<ClusterQueue>(one_flavor("nominalQuota: 1, lendingLimit: 2", "  cohortName: c\n")),
         "vclusterqueue.kb.io"},
        {"a negative quota", created<ClusterQueue>(one_flavor("nominalQuota: -1")), "vclusterqueue.kb.io"},
        {"a negative quota and a strategy that is none",
         created<ClusterQueue>(one_flavor("nominalQuota: -1", "  queueingStrategy: Fair\n")), nullptr},
        {"a resource in two groups",
         created<ClusterQueue>("spec: {resourceGroups: [{coveredResources: [cpu], flavors: [" + flavor +
                               "]}, {coveredResources: [cpu], flavors: [{name: g, resources: [{name: cpu, "
                               "nominalQuota: 1}]}]}]}"),
         "vclusterqueue.kb.io"},
        {"a flavor twice in a group",
         created<ClusterQueue>("spec: {resourceGroups: [{coveredResources: [cpu], flavors: [" + flavor + ", " + flavor +
                               "]}]}"),
         nullptr},
        {"a selector that is none",
         created<ClusterQueue>("spec: {namespaceSelector: {matchExpressions: [{key: a, operator: Near}]}}"),
         "vclusterqueue.kb.io"},
        {"a check on a flavor that the queue has not",
         created<ClusterQueue>("spec: {admissionChecksStrategy: {admissionChecks: [{name: a, onFlavors: [f]}]}}"),
         "vclusterqueue.kb.io"},
        {"a negative weight", created<Cohort>("spec: {fairSharing: {weight: -1}}"), "vcohort.kb.io"},
        {"borrowing without a parent", created<Cohort>(one_flavor("nominalQuota: 1, borrowingLimit: 1")),
         "vcohort.kb.io"},
        {"a queue of no name", created<LocalQueue>("spec: {clusterQueue: A_B}"), nullptr},
        {"a taint of an effect that is none", created<ResourceFlavor>("spec: {nodeTaints: [{key: a, effect: Never}]}"),
         nullptr},
        {"a label that is none", created<ResourceFlavor>("spec: {nodeLabels: {'a b': c}}"), "vresourceflavor.kb.io"},
        {"a toleration of a key that is none",
         created<ResourceFlavor>("spec: {tolerations: [{key: 'a b', operator: Exists}]}"), "vresourceflavor.kb.io"},
        {"a check without a controller", created<AdmissionCheck>("{}"), nullptr},
        {"more pods than there are", created<Workload>("spec: {podSets: [{count: 1, minCount: 2, template: {}}]}"),
         nullptr},
        {"two sets that may be smaller",
         created<Workload>("spec: {podSets: [{name: a, count: 2, minCount: 1, template: {}}, {name: b, count: 2, "
                           "minCount: 1, template: {}}]}"),
         "vworkload.kb.io"},
        {"a request for pods",
         created<Workload>("spec: {podSets: [{template: {spec: {containers: [{name: c, resources: {requests: {pods: "
                           "1}}}]}}}]}"),
         "vworkload.kb.io"},
        {"quota reserved without an admission", with_status("{" + reserved + "}"), "vworkload.kb.io"},
        {"an admission of fewer sets",
         with_status("{" + reserved + ", admission: {clusterQueue: q, podSetAssignments: []}}"), nullptr},
        {"a usage that cannot be divided",
         with_status("{" + reserved + ", " + admission + "resourceUsage: {memory: 3}}]}}"), "vworkload.kb.io"},
        {"more given back than there is", with_status("{reclaimablePods: [{name: main, count: 3}]}"),
         "vworkload.kb.io"},
        {"another admission",
         with_status("{" + reserved + ", " + admission + "flavors: {cpu: b}}]}}",
                     "{" + reserved + ", " + admission + "flavors: {cpu: a}}]}}"),
         "vworkload.kb.io"},
    };
    for (const Answered& it : cases) {
        SCOPED_TRACE(it.name);
        EXPECT_EQ(it.errors.definition.empty(), it.webhook != nullptr) << causes_of(it.errors);
        if (!it.webhook || it.errors.webhook.empty()) {
            EXPECT_FALSE(it.webhook) << "the webhook refuses nothing";
            continue;
        }
        const Error error = denied_by_webhook({it.webhook, it.errors.webhook});
        EXPECT_EQ(error.code, Code::kForbidden);
        EXPECT_EQ(error.message.find(std::string("admission webhook \"") + it.webhook + "\" denied the request: "), 0u)
            << error.message;
    }
    const auto name_of = [](const KindInfo& kind, const auto& object) {
        return std::string(ask_queueing_webhook(kind, &object, nullptr, false).webhook);
    };
    EXPECT_EQ(name_of(kind_info<ClusterQueue>(), ClusterQueue()), "vclusterqueue.kb.io");
    EXPECT_EQ(name_of(kind_info<Cohort>(), Cohort()), "vcohort.kb.io");
    EXPECT_EQ(name_of(kind_info<ResourceFlavor>(), ResourceFlavor()), "vresourceflavor.kb.io");
    EXPECT_EQ(name_of(kind_info<Workload>(), Workload()), "vworkload.kb.io");
    EXPECT_EQ(name_of(kind_info<LocalQueue>(), LocalQueue()), "") << "its definition says everything";
}

TEST(Cohort, MayLendMoreThanItHasButNeedsAParent) {
    EXPECT_EQ(causes_of(check_queueing_create(
                  queue_object<Cohort>(one_flavor("nominalQuota: 1, lendingLimit: 2", "  parentName: up\n")))),
              "");
    const std::string alone = one_flavor("nominalQuota: 1, lendingLimit: 2");
    expect_refused<Cohort>(
        {"no parent", alone.c_str(),
         "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: \"2\": must be "
         "nil when parent is empty"});
    expect_refused<Cohort>({"its own parent", "metadata: {name: me}\nspec: {parentName: me}",
                            "spec.parentName: Invalid value: \"me\": a cohort cannot be its own parent"});
}

TEST(ResourceFlavor, IsRefusedForOneReasonAtATime) {
    EXPECT_EQ(causes_of(check_queueing_create(queue_object<ResourceFlavor>(R"(
spec:
  nodeLabels: {instance-type: spot}
  nodeTaints: [{key: spot, value: "true", effect: NoSchedule}]
  tolerations: [{key: spot, operator: Exists, effect: NoSchedule}, {operator: Exists}]
)"))),
              "");
    const Refused cases[] = {
        {"a label that is none", "spec: {nodeLabels: {'a b': c}}", "spec.nodeLabels: Invalid value: \"a b\""},
        {"too many labels", "spec: {nodeLabels: {a: x, b: x, c: x, d: x, e: x, f: x, g: x, h: x, i: x}}",
         "spec.nodeLabels: Too many: 9"},
        {"an effect that is none", "spec: {nodeTaints: [{key: a, effect: Never}]}",
         "spec.nodeTaints[0].effect: Unsupported value: \"Never\""},
        {"the same taint twice",
         "spec: {nodeTaints: [{key: a, effect: NoExecute}, {key: a, value: b, effect: NoExecute}]}",
         "spec.nodeTaints[1]: Duplicate value"},
        {"a toleration of nothing", "spec: {tolerations: [{value: a}]}", "spec.tolerations[0].operator: Invalid value"},
        {"a value that is not compared", "spec: {tolerations: [{key: a, operator: Exists, value: b}]}",
         "spec.tolerations[0].value: Invalid value: \"b\""},
        {"seconds without eviction", "spec: {tolerations: [{key: a, operator: Exists, tolerationSeconds: 3}]}",
         "spec.tolerations[0].effect: Invalid value"},
        {"a topology without labels", "spec: {topologyName: t}", "spec.nodeLabels: Invalid value"},
    };
    for (const Refused& refused : cases) expect_refused<ResourceFlavor>(refused);
}

TEST(AdmissionCheck, NeedsAController) {
    EXPECT_EQ(causes_of(check_queueing_create(queue_object<AdmissionCheck>(
                  "spec: {controllerName: example.com/c, parameters: {apiGroup: example.com, kind: K, name: some}}"))),
              "");
    expect_refused<AdmissionCheck>({"no controller", "{}", "spec.controllerName: Required value"});
    expect_refused<AdmissionCheck>({"parameters of no kind",
                                    "spec: {controllerName: c, parameters: {apiGroup: g, name: some}}",
                                    "spec.parameters.kind: Required value"});
}

TEST(Updates, CannotMoveAQueueACheckOrATopology) {
    const auto moved = [](const auto& now, const auto& before) {
        return causes_of(check_queueing_update(now, before));
    };
    EXPECT_EQ(
        moved(queue_object<LocalQueue>("spec: {clusterQueue: b}"), queue_object<LocalQueue>("spec: {clusterQueue: a}")),
        "spec.clusterQueue: Invalid value: \"b\": field is immutable\n");
    EXPECT_EQ(moved(queue_object<LocalQueue>("spec: {clusterQueue: a, stopPolicy: Hold}"),
                    queue_object<LocalQueue>("spec: {clusterQueue: a}")),
              "");
    EXPECT_EQ(moved(queue_object<AdmissionCheck>("spec: {controllerName: b}"),
                    queue_object<AdmissionCheck>("spec: {controllerName: a}")),
              "spec.controllerName: Invalid value: \"b\": field is immutable\n");
    const ResourceFlavor plain = queue_object<ResourceFlavor>("spec: {nodeLabels: {a: b}}");
    const ResourceFlavor placed = queue_object<ResourceFlavor>("spec: {nodeLabels: {a: b}, topologyName: t}");
    EXPECT_EQ(moved(placed, plain), "");
    EXPECT_EQ(moved(plain, placed), "spec.topologyName: Invalid value: \"\": field is immutable\n");
}

TEST(Generations, CountChangesOfEverythingButMetadataAndStatus) {
    const auto next = [](auto now, auto before) {
        before.metadata.generation = 4;
        using K = decltype(now);
        find_rules(kind_info<K>())->prepare_update(&now, &before);
        return now.metadata.generation;
    };
    const LocalQueue queue = queue_object<LocalQueue>("spec: {clusterQueue: a}");
    LocalQueue labelled = queue;
    labelled.metadata.labels.set("a", "b");
    labelled.status.pending_workloads = 3;
    EXPECT_EQ(next(labelled, queue), 4);
    EXPECT_EQ(next(queue_object<LocalQueue>("spec: {clusterQueue: a, stopPolicy: Hold}"), queue), 5);
    const auto priority = queue_object<WorkloadPriorityClass>("value: 1");
    EXPECT_EQ(next(priority, priority), 4);
    EXPECT_EQ(next(queue_object<WorkloadPriorityClass>("value: 2"), priority), 5);
}

}  // namespace queueing_test
}  // namespace muster::api
