// The objects of an installation, part by part. Each function gives them in the order in which they can be applied;
// manifests.h puts the parts in order.
#pragma once

#include <vector>

#include "manifests/settings.h"
#include "manifests/tree.h"
#include "webhook/objects/configurations.h"

namespace muster::manifests {

using Objects = std::vector<Object>;

inline constexpr const char* kAppName = "muster-controllers";
inline constexpr const char* kMetricsService = "muster-metrics";
inline constexpr const char* kLeaseName = "muster-controllers";
inline constexpr int kWebhookPort = 9443;
inline constexpr int kHealthPort = 8081;
inline constexpr int kMetricsPort = 8443;

Objects namespace_objects(const Plan& plan);
Objects role_objects(const Plan& plan);        // service account, roles, bindings
Objects definition_objects(const Plan& plan);  // of the queueing kinds
Objects flow_objects(const Plan& plan);        // FlowSchemas
Objects network_objects(const Plan& plan);     // services, NetworkPolicy
Objects process_objects(const Plan& plan);     // Deployment, PodDisruptionBudget
Objects admission_objects(const Plan& plan);   // webhook configurations or policies
Objects monitoring_objects(const Plan& plan);  // ServiceMonitor, PrometheusRule, dashboard

// Who the process is in the cluster: its service account and the webhook's service.
webhook::Identity identity_of(const Plan& plan);
webhook::ConfigurationOptions webhook_options(const Plan& plan);

// apiVersion, kind and metadata with the labels that all objects have. Without a namespace when that is empty.
Object new_object(std::string_view api_version, std::string_view kind, std::string_view name,
                  std::string_view name_space = {});
// The labels that select the pods.
Object pod_labels();

// Dashboard for Grafana, as JSON text.
std::string dashboard_json();

}  // namespace muster::manifests
