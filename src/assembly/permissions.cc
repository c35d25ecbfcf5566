#include "assembly/permissions.h"

#include <algorithm>
#include <map>

namespace muster {
namespace {

using Permissions = std::vector<Permission>;

constexpr std::string_view kCore{};
constexpr std::string_view kBatch = "batch";
constexpr std::string_view kKueue = "kueue.x-k8s.io";
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kExtensions = "apiextensions.k8s.io";

Permission events() { return {kCore, "events", {"create", "patch"}}; }

// A controller's owner reference blocks the deletion of its owner: where the server enforces it
// (OwnerReferencesPermissionEnforcement), that needs the right to set the owner's finalizers.
Permission owners(std::string_view group, std::string_view resource_finalizers) {
    return {group, resource_finalizers, {"update"}};
}

Permissions job_permissions() {
    return {
        {kCore, "pods", {"get", "list", "watch", "create", "patch", "delete"}},
        {kBatch, "jobs", {"get", "list", "watch"}},
        {kBatch, "jobs/status", {"patch"}},
        owners(kBatch, "jobs/finalizers"),
        events(),
    };
}

Permissions cron_job_permissions() {
    return {
        {kBatch, "cronjobs", {"list", "watch"}},
        {kBatch, "cronjobs/status", {"patch"}},
        owners(kBatch, "cronjobs/finalizers"),
        {kBatch, "jobs", {"get", "list", "watch", "create", "delete"}},
        events(),
    };
}

Permissions ttl_permissions() {
    return {
        {kBatch, "jobs", {"get", "list", "watch", "delete"}},
        events(),
    };
}

Permissions pod_ttl_permissions() {
    return {
        {kCore, "pods", {"get", "list", "watch", "delete"}},
        events(),
    };
}

Permissions queue_permissions() {
    return {
        {kCore, "pods", {"list", "watch", "patch", "delete"}},
        {kCore, "pods/status", {"patch"}},
        owners(kCore, "pods/finalizers"),
        {kBatch, "jobs", {"list", "watch", "patch"}},
        {kBatch, "jobs/status", {"patch"}},
        owners(kBatch, "jobs/finalizers"),
        events(),
        // Finalizers of custom resources are read before they are written: get.
        {kKueue, "workloads", {"get", "list", "watch", "create", "patch", "delete"}},
        {kKueue, "workloads/status", {"patch"}},
        {kKueue, "localqueues", {"list", "watch"}},
        {kKueue, "localqueues/status", {"patch"}},
        {kKueue, "clusterqueues", {"get", "list", "watch", "patch"}, Reach::kCluster},
        {kKueue, "clusterqueues/status", {"patch"}, Reach::kCluster},
        {kKueue, "cohorts", {"list", "watch"}, Reach::kCluster},
        {kKueue, "cohorts/status", {"patch"}, Reach::kCluster},
        {kKueue, "resourceflavors", {"get", "list", "watch", "patch"}, Reach::kCluster},
        {kKueue, "admissionchecks", {"get", "list", "watch", "patch"}, Reach::kCluster},
        {kKueue, "workloadpriorityclasses", {"list", "watch"}, Reach::kCluster},
        {kCore, "namespaces", {"list", "watch"}, Reach::kCluster},
        {kCore, "limitranges", {"list", "watch"}},
        {"node.k8s.io", "runtimeclasses", {"list", "watch"}, Reach::kCluster},
        {"scheduling.k8s.io", "priorityclasses", {"list", "watch"}, Reach::kCluster},
        // Whether Kueue itself is at work.
        {"coordination.k8s.io", "leases", {"get"}, Reach::kOther, {kKueueLease}, kKueueNamespace, true},
        {kAdmission,
         "mutatingwebhookconfigurations",
         {"get"},
         Reach::kCluster,
         {"kueue-mutating-webhook-configuration"},
         {},
         true},
        {kAdmission,
         "validatingwebhookconfigurations",
         {"get"},
         Reach::kCluster,
         {"kueue-validating-webhook-configuration"},
         {},
         true},
    };
}

Permissions leader_election_permissions() {
    return {
        // A creation has no name that a rule could allow.
        {"coordination.k8s.io", "leases", {"create"}, Reach::kHome},
        {"coordination.k8s.io", "leases", {"get", "list", "watch", "patch"}, Reach::kHome, {kLeaseNamePlaceholder}},
        // Each process is another holder, so that no event of the lease happens again.
        {kCore, "events", {"create"}, Reach::kHome},
    };
}

Permissions webhook_permissions() {
    return {
        // On a miss of the mirrors: one live read (webhook/server/mirror_world.h).
        {kBatch, "jobs", {"get", "list", "watch"}},
        {kKueue, "workloads", {"get", "list", "watch"}},
        {kKueue, "localqueues", {"list", "watch"}},
        {kKueue, "workloadpriorityclasses", {"list", "watch"}, Reach::kCluster},
        {kCore, "namespaces", {"get", "list", "watch"}, Reach::kCluster},
        {kCore, "secrets", {"create"}, Reach::kHome},
        {kCore, "secrets", {"get", "patch"}, Reach::kHome, {kWebhookSecret}},
        {kAdmission, "mutatingwebhookconfigurations", {"get", "patch"}, Reach::kCluster, {kWebhookName}},
        {kAdmission, "validatingwebhookconfigurations", {"get", "patch"}, Reach::kCluster, {kWebhookName}},
        {kExtensions,
         "customresourcedefinitions",
         {"get", "patch"},
         Reach::kCluster,
         {"workloads.kueue.x-k8s.io", "localqueues.kueue.x-k8s.io", "clusterqueues.kueue.x-k8s.io",
          "cohorts.kueue.x-k8s.io"}},
    };
}

Permissions metrics_permissions() {
    return {
        {"authentication.k8s.io", "tokenreviews", {"create"}, Reach::kCluster},
        {"authorization.k8s.io", "subjectaccessreviews", {"create"}, Reach::kCluster},
    };
}

const std::map<std::string_view, Permissions>& permission_table() {
    static const std::map<std::string_view, Permissions> table{
        {"cron-job", cron_job_permissions()},
        {"job", job_permissions()},
        {"pod-ttl", pod_ttl_permissions()},
        {"queue", queue_permissions()},
        {"ttl", ttl_permissions()},
        {kLeaderElectionPart, leader_election_permissions()},
        {kMetricsPart, metrics_permissions()},
        {kWebhookPart, webhook_permissions()},
    };
    return table;
}

bool is_reading(std::string_view verb) { return verb == "get" || verb == "list" || verb == "watch"; }

bool same_objects(const Permission& a, const Permission& b) {
    return a.group == b.group && a.resource == b.resource && a.reach == b.reach && a.names == b.names &&
           a.namespace_ == b.namespace_ && a.optional == b.optional;
}

// Adds the row, or its verbs to the row of the same objects.
void add_permission(Permission row, Permissions& out) {
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const Permission& one) { return same_objects(one, row); });
    if (same == out.end()) return out.push_back(std::move(row));
    for (const std::string_view verb : row.verbs)
        if (std::find(same->verbs.begin(), same->verbs.end(), verb) == same->verbs.end()) same->verbs.push_back(verb);
}

}  // namespace

const std::vector<Permission>& permissions_of(std::string_view part) {
    static const Permissions none;
    const auto found = permission_table().find(part);
    return found == permission_table().end() ? none : found->second;
}

std::vector<std::string_view> permission_parts() {
    std::vector<std::string_view> parts;
    for (const auto& [part, rows] : permission_table()) parts.push_back(part);
    return parts;
}

std::vector<Permission> permissions_of(const std::set<std::string>& parts, bool observe) {
    Permissions all;
    for (const std::string& part : parts) {
        for (Permission row : permissions_of(part)) {
            if (observe) std::erase_if(row.verbs, [](std::string_view verb) { return !is_reading(verb); });
            if (!row.verbs.empty()) add_permission(std::move(row), all);
        }
    }
    return all;
}

}  // namespace muster
