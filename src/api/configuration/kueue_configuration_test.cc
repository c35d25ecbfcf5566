#include "api/configuration/kueue_configuration.h"

#include <gtest/gtest.h>

namespace muster::api::kueue {
namespace kueue_configuration_test {

using std::chrono::minutes;
using std::chrono::seconds;

std::string with_head(std::string_view body, std::string_view version = "v1beta2") {
    return "apiVersion: config.kueue.x-k8s.io/" + std::string(version) + "\nkind: Configuration\n" + std::string(body);
}

QueueConfiguration read(std::string_view body, std::string_view version = "v1beta2") {
    Result<QueueConfiguration> read = parse_queue_configuration(with_head(body, version));
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    return read.ok() ? *std::move(read) : QueueConfiguration{};
}

Map<Text> named(std::string_view name) {
    Map<Text> labels;
    labels.set("kubernetes.io/metadata.name", Text(name));
    return labels;
}

TEST(QueueConfiguration, OfAnEmptyFileIsWhatHoldsWithoutOne) {
    EXPECT_EQ(read(""), QueueConfiguration{});
    EXPECT_TRUE(QueueConfiguration{}.jobs && QueueConfiguration{}.pods);
    const LabelSelector& namespaces = QueueConfiguration{}.managed_jobs_namespace_selector;
    EXPECT_TRUE(namespaces.matches(named("default")));
    EXPECT_FALSE(namespaces.matches(named("kube-system")));
    EXPECT_FALSE(namespaces.matches(named("kueue-system")));
}

TEST(QueueConfiguration, TakesEverySupportedSection) {
    const QueueConfiguration said = read(R"(
manageJobsWithoutQueueName: true
managedJobsNamespaceSelector:
  matchLabels: {team: a}
integrations:
  frameworks: [pod]
  labelKeysToCopy: [example.com/team]
  podOptions:
    namespaceSelector: {matchLabels: {queued: "yes"}}
    podSelector: {matchExpressions: [{key: app, operator: Exists}]}
waitForPodsReady:
  timeout: 90s
  recoveryTimeout: 3m
  blockAdmission: true
  requeuingStrategy: {timestamp: Creation, backoffLimitCount: 4, backoffBaseSeconds: 1, backoffMaxSeconds: 8}
fairSharing:
  preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]
)");
    EXPECT_FALSE(said.jobs);
    EXPECT_TRUE(said.pods);
    EXPECT_TRUE(said.manage_jobs_without_queue_name);
    EXPECT_EQ(said.managed_jobs_namespace_selector.text(), "team=a");
    EXPECT_EQ(said.pod_namespace_selector.text(), "queued=yes");
    EXPECT_EQ(said.pod_selector.text(), "app");
    EXPECT_EQ(said.label_keys_to_copy, std::vector<Text>{"example.com/team"});
    PodsReadyRules ready;
    ready.timeout = seconds(90);
    ready.recovery_timeout = minutes(3);
    ready.block_admission = true;
    ready.requeue_by_eviction = false;
    ready.backoff_limit_count = 4;
    ready.backoff_base_seconds = 1;
    ready.backoff_max_seconds = 8;
    EXPECT_EQ(said.wait_for_pods_ready, ready);
    EXPECT_EQ(said.fair_sharing->strategies.size(), 2u);
}

TEST(QueueConfiguration, LeavesItsOwnNamespaceAlone) {
    const QueueConfiguration said = read("namespace: queueing\n");
    EXPECT_FALSE(said.managed_jobs_namespace_selector.matches(named("queueing")));
    EXPECT_FALSE(said.managed_jobs_namespace_selector.matches(named("kube-system")));
    EXPECT_TRUE(said.managed_jobs_namespace_selector.matches(named("kueue-system")));
}

TEST(QueueConfiguration, WaitsAsLongForRecoveryAsForTheStartUnlessToldOtherwise) {
    EXPECT_EQ(read("waitForPodsReady: {timeout: 7m}").wait_for_pods_ready->recovery_timeout, minutes(7));
    EXPECT_EQ(read("waitForPodsReady: {timeout: 7m, recoveryTimeout: 0s}").wait_for_pods_ready->recovery_timeout,
              std::nullopt);
}

TEST(QueueConfiguration, OfTheOlderVersionHasSwitchesAndOtherDefaults) {
    EXPECT_EQ(read("waitForPodsReady: {timeout: 7m}\nfairSharing: {enable: false}", "v1beta1"), QueueConfiguration{});
    const QueueConfiguration said = read("waitForPodsReady: {enable: true}\nfairSharing: {enable: true}", "v1beta1");
    EXPECT_EQ(said.wait_for_pods_ready->timeout, minutes(5));
    EXPECT_TRUE(said.wait_for_pods_ready->block_admission);
    EXPECT_EQ(said.fair_sharing->strategies.size(), 2u);
}

TEST(QueueConfiguration, NotesWhatOnlyTellsHowKueueIsSetUp) {
    std::vector<std::string> notes;
    const auto said = parse_queue_configuration(
        with_head("health: {healthProbeBindAddress: ':8081'}\nclientConnection: {qps: 300, burst: 500}\n"), &notes);
    ASSERT_TRUE(said.ok());
    EXPECT_EQ(notes, (std::vector<std::string>{"health tells how Kueue itself is set up, and is not used here",
                                               "clientConnection tells how Kueue itself is set up, and is not used "
                                               "here"}));
}

struct Refusal {
    const char* name;
    const char* body;
    const char* says;
    const char* version = "v1beta2";
};

const Refusal kRefusals[] = {
    {"an unknown field", "waitForPodReady: {}", "strict decoding error: unknown field \"waitForPodReady\""},
    {"an unknown field inside", "integrations: {podOption: {}}",
     "strict decoding error: unknown field \"integrations.podOption\""},
    {"a value of the wrong type", "manageJobsWithoutQueueName: often", "manageJobsWithoutQueueName"},
    {"a duration that is none", "waitForPodsReady: {timeout: soon}", "waitForPodsReady.timeout"},
    {"no timeout", "waitForPodsReady: {}", "waitForPodsReady.timeout: Required value: must be specified"},
    {"a negative timeout", "waitForPodsReady: {timeout: -1s}",
     "waitForPodsReady.timeout: Invalid value: \"-1s\": must be greater than or equal to 0"},
    {"a negative backoff", "waitForPodsReady: {timeout: 1s, requeuingStrategy: {backoffBaseSeconds: -1}}",
     "waitForPodsReady.requeuingStrategy.backoffBaseSeconds: Invalid value: -1"},
    {"an unknown timestamp", "waitForPodsReady: {timeout: 1s, requeuingStrategy: {timestamp: Start}}",
     "waitForPodsReady.requeuingStrategy.timestamp: Unsupported value: \"Start\""},
    {"the older version's switch", "fairSharing: {enable: true, preemptionStrategies: [LessThanInitialShare]}",
     "fairSharing.enable: Forbidden"},
    {"fair sharing without a strategy", "fairSharing: {}", "fairSharing.preemptionStrategies: Required value"},
    {"strategies in another order",
     "fairSharing: {preemptionStrategies: [LessThanInitialShare, LessThanOrEqualToFinalShare]}",
     "fairSharing.preemptionStrategies: Unsupported value"},
    {"a framework that is not here", "integrations: {frameworks: [batch/job, ray.io/rayjob]}",
     "integrations.frameworks[1]: Unsupported value: \"ray.io/rayjob\": supported values: \"batch/job\", \"pod\""},
    {"a framework twice", "integrations: {frameworks: [pod, pod]}",
     "integrations.frameworks[1]: Duplicate value: \"pod\""},
    {"frameworks of others", "integrations: {externalFrameworks: [Foo.v1.example.com]}",
     "integrations.externalFrameworks: Forbidden: is not supported by this server"},
    {"a label key that is none", "integrations: {labelKeysToCopy: ['a b']}",
     "integrations.labelKeysToCopy[0]: Invalid value: \"a b\""},
    {"a selector that is none",
     "integrations: {podOptions: {podSelector: {matchExpressions: [{key: a, operator: Is}]}}}",
     "integrations.podOptions.podSelector.matchExpressions[0].operator"},
    {"a selector with kube-system", "managedJobsNamespaceSelector: {}",
     "managedJobsNamespaceSelector: Invalid value: {}: should not match the \"kube-system\" namespace"},
    {"several clusters", "multiKueue: {origin: here}", "multiKueue: Forbidden: is not supported by this server"},
    {"sharing by past use", "admissionFairSharing: {usageHalfLifeTime: 1h}", "admissionFairSharing: Forbidden"},
    {"transformed resources", "resources: {transformations: [{input: a}]}", "resources.transformations: Forbidden"},
    {"retention", "objectRetentionPolicies: {workloads: {afterFinished: 1h}}", "objectRetentionPolicies: Forbidden"},
    {"gates", "featureGates: {PartialAdmission: true}", "featureGates: Forbidden"},
    {"another version", "", "apiVersion: must be config.kueue.x-k8s.io/v1beta2 or", "v1"},
};

TEST(QueueConfiguration, RefusesWithTheFieldsPath) {
    for (const Refusal& refusal : kRefusals) {
        const auto said = parse_queue_configuration(with_head(refusal.body, refusal.version));
        ASSERT_FALSE(said.ok()) << refusal.name;
        EXPECT_NE(said.error().message.find(refusal.says), std::string::npos)
            << refusal.name << ": " << said.error().message;
    }
    EXPECT_FALSE(parse_queue_configuration("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Job\n").ok());
    EXPECT_FALSE(parse_queue_configuration("a: [").ok());
}

TEST(QueueConfiguration, NamesEveryMistakeAtOnce) {
    const auto said = parse_queue_configuration(with_head("multiKueue: {a: 1}\nfairSharing: {}\n"));
    ASSERT_FALSE(said.ok());
    EXPECT_EQ(said.error().causes.size(), 2u);
    EXPECT_NE(said.error().message.find("; "), std::string::npos);
}

}  // namespace kueue_configuration_test
}  // namespace muster::api::kueue
