// How others reach the process, and how the API server treats its requests: Services, a NetworkPolicy, FlowSchemas.
#include "manifests/objects.h"

namespace muster::manifests {
namespace {

Object service(const Plan& plan, const std::string& name, const char* port, int number) {
    Object made = new_object("v1", "Service", name, plan.home());
    made["spec"] =
        Object{{"selector", pod_labels()}, {"ports", one({{"name", port}, {"port", number}, {"targetPort", port}})}};
    return made;
}

Object flow_schema(const char* name, const char* level, int precedence, Object rules) {
    Object made = new_object("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", name);
    made["spec"] = Object{{"priorityLevelConfiguration", Object{{"name", level}}},
                          {"matchingPrecedence", precedence},
                          {"distinguisherMethod", Object{{"type", "ByNamespace"}}},
                          {"rules", one(std::move(rules))}};
    return made;
}

Array account(const Plan& plan) {
    return one({{"kind", "ServiceAccount"},
                {"serviceAccount", {{"name", identity_of(plan).account}, {"namespace", plan.home()}}}});
}

}  // namespace

Objects network_objects(const Plan& plan) {
    Objects all;
    Array open;
    if (!plan.is_local()) {
        all.push_back(service(plan, kMetricsService, "metrics", kMetricsPort));
        open.push_back({{"protocol", "TCP"}, {"port", "metrics"}});
    }
    if (plan.has_webhook()) {
        all.push_back(service(plan, identity_of(plan).service, "webhook", identity_of(plan).port));
        open.push_back({{"protocol", "TCP"}, {"port", "webhook"}});
    }
    // The API server calls from outside the pods' network, so the webhook's port is open to all; metrics are guarded
    // by the API server's own authorization. Nothing else is reached, probes of the kubelet apart.
    Object policy = new_object("networking.k8s.io/v1", "NetworkPolicy", kAppName, plan.home());
    Object spec{{"podSelector", Object{{"matchLabels", pod_labels()}}}, {"policyTypes", texts({"Ingress"})}};
    if (!open.empty()) spec["ingress"] = one(Object{{"ports", open}});
    policy["spec"] = spec;
    all.push_back(policy);
    return all;
}

// Without them a service account outside kube-system shares a level with all pods of the cluster, and its lease would
// be renewed behind its own requests.
Objects flow_objects(const Plan& plan) {
    Object leases{{"verbs", texts({"get", "create", "patch", "update"})},
                  {"apiGroups", texts({"coordination.k8s.io"})},
                  {"resources", texts({"leases"})},
                  {"namespaces", texts({plan.home()})}};
    Object everything{{"verbs", texts({"*"})},
                      {"apiGroups", texts({"*"})},
                      {"resources", texts({"*"})},
                      {"namespaces", texts({"*"})},
                      {"clusterScope", true}};
    Object paths{{"verbs", texts({"*"})}, {"nonResourceURLs", texts({"*"})}};
    return {flow_schema("muster-leases", "leader-election", 250,
                        {{"subjects", account(plan)}, {"resourceRules", one(leases)}}),
            flow_schema(
                "muster", "workload-high", 950,
                {{"subjects", account(plan)}, {"resourceRules", one(everything)}, {"nonResourceRules", one(paths)}})};
}

}  // namespace muster::manifests
