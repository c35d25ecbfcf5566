// The namespace, and the process in it: the Deployment with its PodDisruptionBudget.
#include "assembly/permissions.h"
#include "manifests/objects.h"

namespace muster::manifests {
namespace {

constexpr int kUser = 65532;
constexpr const char* kCertificateDirectory = "/etc/muster/webhook";

Array arguments(const Plan& plan) {
    const Settings& settings = plan.settings;
    std::vector<std::string> all{"controllers",
                                 "--controllers=" + settings.controllers,
                                 "--job-mode=" + settings.job_mode,
                                 "--log-format=" + settings.log_format,
                                 "--leader-elect-resource-name=" + std::string(kLeaseName),
                                 "--health-bind-address=:" + std::to_string(kHealthPort)};
    if (plan.is_local()) {
        all.push_back("--namespace=" + settings.only_namespace);
        all.emplace_back("--metrics-bind-address=0");
    } else {
        all.push_back("--metrics-bind-address=:" + std::to_string(kMetricsPort));
    }
    if (plan.has_webhook()) {
        all.push_back("--webhook-bind-address=:" + std::to_string(kWebhookPort));
        const bool self = plan.certificates == Certificates::kSelf;
        all.push_back(std::string("--webhook-cert-dir=") + (self ? "self" : kCertificateDirectory));
    } else if (plan.queues()) {
        all.emplace_back("--webhook-bind-address=0");
    }
    return texts(all);
}

Object probe(const char* path, int period) {
    return {{"httpGet", {{"path", path}, {"port", "health"}}}, {"periodSeconds", period}, {"timeoutSeconds", 5}};
}

Array ports(const Plan& plan) {
    Array all = one({{"name", "health"}, {"containerPort", kHealthPort}});
    if (!plan.is_local()) all.push_back({{"name", "metrics"}, {"containerPort", kMetricsPort}});
    if (plan.has_webhook()) all.push_back({{"name", "webhook"}, {"containerPort", kWebhookPort}});
    return all;
}

Object container(const Plan& plan) {
    Object made{
        {"name", "controllers"},
        {"image", plan.settings.image},
        {"args", arguments(plan)},
        {"ports", ports(plan)},
        {"livenessProbe", probe("/livez", 10)},
        {"readinessProbe", probe("/readyz", 5)},
        {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "128Mi"}}}, {"limits", Object{{"memory", "1Gi"}}}}},
        {"securityContext",
         {{"allowPrivilegeEscalation", false},
          {"readOnlyRootFilesystem", true},
          {"capabilities", Object{{"drop", texts({"ALL"})}}}}},
    };
    if (plan.has_webhook() && plan.certificates == Certificates::kCertManager)
        made["volumeMounts"] = one({{"name", "certificate"}, {"mountPath", kCertificateDirectory}, {"readOnly", true}});
    return made;
}

Object pod_spec(const Plan& plan) {
    Object spec{
        {"serviceAccountName", identity_of(plan).account},
        {"automountServiceAccountToken", true},
        {"enableServiceLinks", false},
        {"terminationGracePeriodSeconds", 15},
        {"containers", one(container(plan))},
        {"nodeSelector", {{"kubernetes.io/arch", "amd64"}, {"kubernetes.io/os", "linux"}}},
        {"securityContext",
         {{"runAsNonRoot", true},
          {"runAsUser", kUser},
          {"runAsGroup", kUser},
          {"fsGroup", kUser},
          {"seccompProfile", Object{{"type", "RuntimeDefault"}}}}},
        {"topologySpreadConstraints", one({{"maxSkew", 1},
                                           {"topologyKey", "kubernetes.io/hostname"},
                                           {"whenUnsatisfiable", "ScheduleAnyway"},
                                           {"labelSelector", Object{{"matchLabels", pod_labels()}}}})},
    };
    if (!plan.settings.priority_class.empty()) spec["priorityClassName"] = plan.settings.priority_class;
    if (plan.has_webhook() && plan.certificates == Certificates::kCertManager)
        spec["volumes"] =
            one({{"name", "certificate"}, {"secret", Object{{"secretName", std::string(kWebhookSecret)}}}});
    return spec;
}

}  // namespace

Object pod_labels() { return {{"app.kubernetes.io/name", "muster"}, {"app.kubernetes.io/component", "controllers"}}; }

webhook::Identity identity_of(const Plan& plan) {
    webhook::Identity identity;
    identity.namespace_ = plan.home();
    return identity;
}

Object new_object(std::string_view api_version, std::string_view kind, std::string_view name,
                  std::string_view name_space) {
    Object metadata{{"name", name},
                    {"labels", {{"app.kubernetes.io/name", "muster"}, {"app.kubernetes.io/part-of", "muster"}}}};
    if (!name_space.empty()) metadata["namespace"] = name_space;
    return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", metadata}};
}

Objects namespace_objects(const Plan& plan) {
    Object made = new_object("v1", "Namespace", plan.home());
    Object& labels = made["metadata"].as_object()["labels"].as_object();
    for (const char* mode : {"enforce", "audit", "warn"})
        labels["pod-security.kubernetes.io/" + std::string(mode)] = "restricted";
    return {made};
}

Objects process_objects(const Plan& plan) {
    Object labels = pod_labels();
    labels["app.kubernetes.io/part-of"] = "muster";
    Object deployment = new_object("apps/v1", "Deployment", kAppName, plan.home());
    deployment["spec"] = Object{
        {"replicas", plan.settings.replicas},
        {"selector", Object{{"matchLabels", pod_labels()}}},
        {"strategy", {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxUnavailable", 0}, {"maxSurge", 1}}}}},
        {"template", {{"metadata", Object{{"labels", labels}}}, {"spec", pod_spec(plan)}}},
    };
    Objects all{deployment};
    if (plan.settings.replicas < 2) return all;  // with one pod it would only keep nodes from being drained
    Object budget = new_object("policy/v1", "PodDisruptionBudget", kAppName, plan.home());
    budget["spec"] = Object{{"minAvailable", 1}, {"selector", Object{{"matchLabels", pod_labels()}}}};
    all.push_back(budget);
    return all;
}

}  // namespace muster::manifests
