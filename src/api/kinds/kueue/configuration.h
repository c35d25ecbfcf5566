// The file of `muster up --config`, in the shape of Kueue's Configuration (config.kueue.x-k8s.io, v1beta1 and v1beta2).
// Everything that Kueue knows there is declared, so that a misspelled field is told from one that has no meaning here;
// api/configuration/kueue_configuration.h makes of it what controllers use.
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/value/span.h"

namespace muster::api::kueue::config {

inline constexpr const char* kPackage = "io.x-k8s.kueue.config.v1beta2";
inline constexpr const char* kGroup = "config.kueue.x-k8s.io";
inline constexpr const char* kVersion = "v1beta2";

struct RequeuingStrategy {
    TYPE(RequeuingStrategy, "How a workload whose pods were not ready in time is queued again.")
    FIELD(1, std::optional<Text>, timestamp,
          "Eviction puts it behind those that came before its eviction, Creation back to its old place. Eviction by "
          "default.",
          .one_of = "Creation|Eviction")
    FIELD(2, std::optional<std::int32_t>, backoff_limit_count,
          "How often it is queued again before it is deactivated. Without it there is no limit.")
    FIELD(3, std::optional<std::int32_t>, backoff_base_seconds, "Seconds before the first time. 60 by default.")
    FIELD(4, std::optional<std::int32_t>, backoff_max_seconds, "The most seconds before any time. 3600 by default.")
};

struct WaitForPodsReady {
    TYPE(WaitForPodsReady, "Takes an admitted workload's quota back when its pods do not become ready in time.")
    FIELD(1, std::optional<bool>, enable, "Whether it is on. Only in v1beta1; in v1beta2 it is when it is there.")
    FIELD(2, std::optional<Span>, timeout, "How long the pods may take from admission. 5m by default in v1beta1.")
    FIELD(3, std::optional<bool>, block_admission,
          "Whether nothing else is admitted meanwhile. False by default, and true in v1beta1.")
    FIELD(4, Box<RequeuingStrategy>, requeuing_strategy, "How it is queued again.")
    FIELD(5, std::optional<Span>, recovery_timeout,
          "How long pods that were ready once may take to become so again. As timeout by default; 0s for ever.")
};

struct PodOptions {
    TYPE(PodOptions, "Which plain pods are queued, beyond what managedJobsNamespaceSelector says.")
    FIELD(1, Box<meta::LabelSelector>, namespace_selector, "Namespaces whose pods may be. All by default.")
    FIELD(2, Box<meta::LabelSelector>, pod_selector, "Pods that may be. All by default.")
};

struct Integrations {
    TYPE(Integrations, "What is queued.")
    FIELD(1, List<Text>, frameworks, "Kinds of work: batch/job, pod. Both by default.")
    FIELD(2, List<Text>, external_frameworks, "Kinds whose own controllers queue them. Not supported.")
    FIELD(3, List<Text>, label_keys_to_copy, "Labels of a job or pod that its Workload gets as well.")
    FIELD(4, Box<PodOptions>, pod_options, "Which plain pods are queued.")
};

struct FairSharing {
    TYPE(FairSharing, "Shares what is unused in a cohort by weight.")
    FIELD(1, std::optional<bool>, enable, "Whether it is on. Only in v1beta1; in v1beta2 it is when it is there.")
    FIELD(2, List<Text>, preemption_strategies,
          "When a workload may be preempted for another queue's share, in the order in which they are tried: "
          "LessThanOrEqualToFinalShare, LessThanInitialShare, or both in this order.")
};

struct Resources {
    TYPE(Resources, "How requests are counted.")
    FIELD(1, std::optional<Text>, quota_check_strategy,
          "Whether resources that no queue covers stop a workload. Only BlockUndeclared is supported.",
          .one_of = "BlockUndeclared|IgnoreUndeclared")
    FIELD(2, List<Text>, exclude_resource_prefixes, "Resources to leave out. Not supported.")
    FIELD(3, RawJson, transformations, "Resources to count as others. Not supported.")
    FIELD(4, RawJson, device_class_mappings, "Devices to count as resources. Not supported.")
};

struct Configuration {
    KIND(Configuration, "How queueing works in this cluster.")
    FIELD(1, std::optional<Text>, namespace_, "The namespace of Kueue itself, which is never queued.",
          .json = "namespace")
    FIELD(2, bool, manage_jobs_without_queue_name,
          "Whether work without a queue name waits as well, until it gets one. False by default.")
    FIELD(3, Box<meta::LabelSelector>, managed_jobs_namespace_selector,
          "Namespaces whose pods are queued at all, and whose Jobs are without a queue name. By default all but "
          "kube-system and kueue-system.")
    FIELD(4, Box<WaitForPodsReady>, wait_for_pods_ready, "What happens when pods do not become ready.")
    FIELD(5, Box<Integrations>, integrations, "What is queued.")
    FIELD(6, Box<FairSharing>, fair_sharing, "Shares what is unused in a cohort by weight.")
    FIELD(7, Box<Resources>, resources, "How requests are counted.")
    // Behaviour that is not here.
    FIELD(8, RawJson, multi_kueue, "Work on several clusters. Not supported.")
    FIELD(9, RawJson, admission_fair_sharing, "Sharing by past use. Not supported.")
    FIELD(10, RawJson, object_retention_policies, "When finished workloads are deleted. Not supported.")
    FIELD(11, Map<bool>, feature_gates, "Kueue's own feature gates. Not supported.")
    FIELD(12, RawJson, queue_visibility, "Lists of waiting workloads in a queue's status. Not supported.")
    // How Kueue is set up, which has no meaning here.
    FIELD(13, RawJson, webhook, "Where Kueue's webhooks listen.")
    FIELD(14, RawJson, leader_election, "Who of several Kueues is at work.")
    FIELD(15, RawJson, metrics, "Where Kueue's metrics are.")
    FIELD(16, RawJson, health, "Where Kueue's health is asked.")
    FIELD(17, Text, pprof_bind_address, "Where Kueue can be profiled.")
    FIELD(18, RawJson, controller, "How many of each kind Kueue looks at together.")
    FIELD(19, RawJson, tls, "How Kueue's listeners encrypt.")
    FIELD(20, RawJson, internal_cert_management, "How Kueue makes its certificates.")
    FIELD(21, RawJson, client_connection, "How fast Kueue may ask the API server.")
    FIELD(22, RawJson, visibility_server, "Where Kueue lists waiting workloads.")
};

}  // namespace muster::api::kueue::config
