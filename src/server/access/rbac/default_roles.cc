#include "server/access/rbac/default_roles.h"

#include <algorithm>
#include <string>

#include "api/kinds/kind_list.h"
#include "server/access/rbac/aggregation.h"
#include "server/identity/user.h"

namespace muster::server {
namespace {

using api::rbac::ClusterRole;
using api::rbac::ClusterRoleBinding;
using api::rbac::PolicyRule;
using api::rbac::Role;
using api::rbac::RoleBinding;
using api::rbac::Subject;

using PolicyRules = List<PolicyRule>;
using Words = List<Text>;

const Words kRead{"get", "list", "watch"};
const Words kWrite{"create", "update", "patch", "delete", "deletecollection"};
const Words kReadWrite{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"};
const Words kReadUpdate{"get", "list", "watch", "update", "patch"};

constexpr const char* kCore = "";
constexpr const char* kBatch = "batch";
constexpr const char* kEvents = "events.k8s.io";
constexpr const char* kLeases = "coordination.k8s.io";
constexpr const char* kPolicy = "policy";
constexpr const char* kAuthentication = "authentication.k8s.io";
constexpr const char* kAuthorization = "authorization.k8s.io";
constexpr const char* kStorage = "storage.k8s.io";
constexpr const char* kResource = "resource.k8s.io";
constexpr const char* kQueueing = "kueue.x-k8s.io";

PolicyRule rule(Words verbs, Words groups, Words resources, Words names = {}) {
    PolicyRule made;
    made.verbs = std::move(verbs);
    made.api_groups = std::move(groups);
    made.resources = std::move(resources);
    if (!names.empty()) made.resource_names = std::move(names);
    return made;
}

PolicyRule path_rule(Words verbs, Words paths) {
    PolicyRule made;
    made.verbs = std::move(verbs);
    made.non_resource_urls = std::move(paths);
    return made;
}

PolicyRule events_rule() { return rule({"create", "update", "patch"}, {kCore, kEvents}, {"events"}); }

template <class K>
K marked(Text name) {
    K made;
    made.metadata.name = std::move(name);
    made.metadata.labels.set("kubernetes.io/bootstrapping", "rbac-defaults");
    made.metadata.annotations.set("rbac.authorization.kubernetes.io/autoupdate", "true");
    return made;
}

ClusterRole role(Text name, PolicyRules rules) {
    ClusterRole made = marked<ClusterRole>(std::move(name));
    made.rules = std::move(rules);
    return made;
}

constexpr const char* kAggregateTo = "rbac.authorization.k8s.io/aggregate-to-";

ClusterRole feeding(ClusterRole made, std::string_view aggregated) {
    made.metadata.labels.set(kAggregateTo + std::string(aggregated), "true");
    return made;
}

ClusterRole aggregated(Text name) {
    ClusterRole made = marked<ClusterRole>(name);
    api::meta::LabelSelector selector;
    selector.match_labels.set(kAggregateTo + name.str(), "true");
    made.aggregation_rule.edit().cluster_role_selectors = {selector};
    return made;
}

// One rule for each group with kinds of that access: their resources and, when asked for, the status of those that have
// one. The roles of the queueing group are Kueue's own, below.
void add_kinds(PolicyRules& rules, const Words& verbs, std::initializer_list<api::Access> any_of, bool and_status) {
    std::vector<std::pair<std::string_view, Words>> groups;
    api::for_each_kind<api::Joined<api::StoredKinds, api::ViewKinds>>([&]<class K>() {
        const api::KindInfo& kind = api::kind_info<K>();
        if (std::find(any_of.begin(), any_of.end(), kind.options.access) == any_of.end()) return;
        if (kind.group == std::string_view(kQueueing)) return;
        const auto is_its = [&](const auto& one) { return one.first == kind.group; };
        auto found = std::find_if(groups.begin(), groups.end(), is_its);
        if (found == groups.end()) found = groups.insert(found, {kind.group, {}});
        found->second.edit().emplace_back(kind.options.plural);
        if (and_status && kind.type().find("status"))
            found->second.edit().emplace_back(std::string(kind.options.plural) + "/status");
    });
    for (const auto& [group, resources] : groups) rules.edit().push_back(rule(verbs, {Text(group)}, resources));
}

PolicyRules view_rules() {
    PolicyRules rules;
    // In a namespace the right to read namespaces is the right to read that one, by which others see where one has
    // rights.
    add_kinds(rules, kRead, {api::Access::kView, api::Access::kEdit}, true);
    rules.edit().push_back(rule(kRead, {kCore}, {"bindings", "pods/log"}));
    // Lists that are always empty here, and that clients read all the same.
    rules.edit().push_back(rule(kRead, {kCore}, {"endpoints", "replicationcontrollers"}));
    rules.edit().push_back(
        rule(kRead, {"apps"}, {"controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"}));
    rules.edit().push_back(rule(kRead, {"autoscaling"}, {"horizontalpodautoscalers"}));
    rules.edit().push_back(rule(kRead, {"networking.k8s.io"}, {"ingresses", "networkpolicies"}));
    return rules;
}

// Secrets and impersonation are in edit and not in view, because both allow acting as another user.
PolicyRules edit_rules() {
    PolicyRules rules;
    add_kinds(rules, kWrite, {api::Access::kEdit}, false);
    add_kinds(rules, kReadWrite, {api::Access::kWrite}, false);
    rules.edit().push_back(rule(kReadWrite, {kCore}, {"pods/attach", "pods/proxy", "pods/exec", "pods/portforward"}));
    rules.edit().push_back(rule({"impersonate"}, {kCore}, {"serviceaccounts"}));
    rules.edit().push_back(rule({"create"}, {kCore}, {"pods/eviction", "serviceaccounts/token"}));
    return rules;
}

PolicyRules admin_rules() {
    PolicyRules rules;
    add_kinds(rules, kReadWrite, {api::Access::kAdmin}, false);
    rules.edit().push_back(rule({"create"}, {kAuthorization}, {"localsubjectaccessreviews"}));
    return rules;
}

void add_user_roles(std::vector<ClusterRole>& all) {
    all.push_back(role("cluster-admin", {rule({"*"}, {"*"}, {"*"}), path_rule({"*"}, {"*"})}));
    all.push_back(role("system:discovery",
                       {path_rule({"get"}, {"/livez", "/readyz", "/healthz", "/version", "/version/", "/openapi",
                                            "/openapi/*", "/api", "/api/*", "/apis", "/apis/*"})}));
    all.push_back(role("system:monitoring", {path_rule({"get"}, {"/metrics", "/metrics/slis", "/livez", "/readyz",
                                                                 "/healthz", "/livez/*", "/readyz/*", "/healthz/*"}),
                                             rule({"get"}, {kCore}, {"nodes/metrics"})}));
    all.push_back(role("system:basic-user",
                       {rule({"create"}, {kAuthorization}, {"selfsubjectaccessreviews", "selfsubjectrulesreviews"}),
                        rule({"create"}, {kAuthentication}, {"selfsubjectreviews"})}));
    all.push_back(role("system:public-info-viewer",
                       {path_rule({"get"}, {"/livez", "/readyz", "/healthz", "/version", "/version/"})}));
    all.push_back(aggregated("admin"));
    all.push_back(feeding(aggregated("edit"), "admin"));
    all.push_back(feeding(aggregated("view"), "edit"));
    all.push_back(feeding(role("system:aggregate-to-admin", admin_rules()), "admin"));
    all.push_back(feeding(role("system:aggregate-to-edit", edit_rules()), "edit"));
    all.push_back(feeding(role("system:aggregate-to-view", view_rules()), "view"));
    all.push_back(role("system:auth-delegator", {rule({"create"}, {kAuthentication}, {"tokenreviews"}),
                                                 rule({"create"}, {kAuthorization}, {"subjectaccessreviews"})}));
    all.push_back(role("system:service-account-issuer-discovery",
                       {path_rule({"get"}, {"/.well-known/openid-configuration", "/.well-known/openid-configuration/",
                                            "/openid/v1/jwks", "/openid/v1/jwks/"})}));
}

constexpr const char* kQueueingRole = "rbac.kueue.x-k8s.io/";

ClusterRole feeding_batch(ClusterRole made, bool users_too) {
    made.metadata.labels.set(kQueueingRole + std::string("batch-admin"), "true");
    if (users_too) made.metadata.labels.set(kQueueingRole + std::string("batch-user"), "true");
    return made;
}

ClusterRole aggregated_batch(const char* name, const char* label) {
    ClusterRole made = marked<ClusterRole>(name);
    api::meta::LabelSelector selector;
    selector.match_labels.set(kQueueingRole + std::string(label), "true");
    made.aggregation_rule.edit().cluster_role_selectors = {selector};
    return made;
}

// Which kinds of queueing have roles of their own, as Kueue installs them.
enum class QueueRoles { kNone, kEditorAndViewer };
template <class K>
constexpr QueueRoles queue_roles_of() = delete;
template <>
constexpr QueueRoles queue_roles_of<api::kueue::AdmissionCheck>() {
    return QueueRoles::kNone;
}
template <>
constexpr QueueRoles queue_roles_of<api::kueue::ClusterQueue>() {
    return QueueRoles::kEditorAndViewer;
}
template <>
constexpr QueueRoles queue_roles_of<api::kueue::Cohort>() {
    return QueueRoles::kEditorAndViewer;
}
template <>
constexpr QueueRoles queue_roles_of<api::kueue::LocalQueue>() {
    return QueueRoles::kEditorAndViewer;
}
template <>
constexpr QueueRoles queue_roles_of<api::kueue::ResourceFlavor>() {
    return QueueRoles::kEditorAndViewer;
}
template <>
constexpr QueueRoles queue_roles_of<api::kueue::Workload>() {
    return QueueRoles::kEditorAndViewer;
}
template <>
constexpr QueueRoles queue_roles_of<api::kueue::WorkloadPriorityClass>() {
    return QueueRoles::kNone;
}

const Words kQueueEdit{"create", "delete", "get", "list", "patch", "update", "watch"};

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

void add_queueing_kind(const api::KindInfo& kind, std::vector<ClusterRole>& all) {
    const std::string name = "kueue-" + lower_case(kind.kind);
    const Text plural = kind.options.plural;
    const PolicyRule see_status = rule({"get"}, {kQueueing}, {plural.str() + "/status"});
    all.push_back(
        feeding_batch(role(name + "-editor-role", {rule(kQueueEdit, {kQueueing}, {plural}), see_status}), false));
    ClusterRole viewer = role(name + "-viewer-role", {rule(kRead, {kQueueing}, {plural}), see_status});
    const bool users_see = kind.options.access == api::Access::kView;  // in their namespaces
    if (users_see)
        for (const char* into : {"view", "edit", "admin"}) viewer = feeding(std::move(viewer), into);
    all.push_back(feeding_batch(std::move(viewer), users_see));
}

// Who may set queues up, and who may use them: the roles that Kueue installs, under its names.
void add_queueing_roles(std::vector<ClusterRole>& all) {
    all.push_back(aggregated_batch("kueue-batch-admin-role", "batch-admin"));
    all.push_back(aggregated_batch("kueue-batch-user-role", "batch-user"));
    api::for_each_kind<api::StoredKinds>([&]<class K>() {
        if constexpr (std::string_view(K::kKindGroup) == kQueueing)
            if constexpr (queue_roles_of<K>() == QueueRoles::kEditorAndViewer)
                add_queueing_kind(api::kind_info<K>(), all);
    });
    all.push_back(feeding_batch(
        role("kueue-job-editor-role", {rule(kQueueEdit, {kBatch}, {"jobs"}), rule({"get"}, {kBatch}, {"jobs/status"})}),
        true));
}

PolicyRules node_rules() {
    return {rule({"create"}, {kAuthentication}, {"tokenreviews"}),
            rule({"create"}, {kAuthorization}, {"subjectaccessreviews", "localsubjectaccessreviews"}),
            rule(kRead, {kCore}, {"services"}),
            rule({"create", "get", "list", "watch"}, {kCore}, {"nodes"}),
            rule({"update", "patch"}, {kCore}, {"nodes/status"}),
            rule({"update", "patch"}, {kCore}, {"nodes"}),
            events_rule(),
            rule(kRead, {kCore}, {"pods"}),
            rule({"create", "delete"}, {kCore}, {"pods"}),
            rule({"update", "patch"}, {kCore}, {"pods/status"}),
            rule({"create"}, {kCore}, {"pods/eviction"}),
            rule(kRead, {kCore}, {"secrets", "configmaps"}),
            rule({"get"}, {kCore}, {"persistentvolumeclaims", "persistentvolumes"}),
            rule({"get", "create", "update", "patch", "delete"}, {kLeases}, {"leases"}),
            rule({"create"}, {kCore}, {"serviceaccounts/token"}),
            rule({"get"}, {kCore}, {"serviceaccounts"}),
            rule({"get", "update", "patch"}, {kCore}, {"persistentvolumeclaims/status"}),
            rule(kRead, {"node.k8s.io"}, {"runtimeclasses"})};
}

// Upstream's scheduler too: it lists resources that are always empty here.
PolicyRules scheduler_rules() {
    return {events_rule(),
            rule({"create"}, {kLeases}, {"leases"}),
            rule({"get", "update", "list", "watch"}, {kLeases}, {"leases"}, {"kube-scheduler"}),
            rule(kReadWrite, {kLeases}, {"leasecandidates"}),
            rule(kRead, {kCore}, {"nodes"}),
            rule({"get", "list", "watch", "delete"}, {kCore}, {"pods"}),
            rule({"create"}, {kCore}, {"pods/binding", "bindings"}),
            rule({"patch", "update"}, {kCore}, {"pods/status"}),
            rule(kRead, {kCore}, {"services", "replicationcontrollers"}),
            rule(kRead, {"apps", "extensions"}, {"replicasets"}),
            rule(kRead, {"apps"}, {"statefulsets"}),
            rule(kRead, {kPolicy}, {"poddisruptionbudgets"}),
            rule(kRead, {kCore}, {"persistentvolumeclaims", "persistentvolumes"}),
            rule({"create"}, {kAuthentication}, {"tokenreviews"}),
            rule({"create"}, {kAuthorization}, {"subjectaccessreviews"}),
            rule(kRead, {kStorage}, {"csinodes"}),
            rule(kRead, {kStorage}, {"volumeattachments"}),
            rule(kRead, {kCore}, {"namespaces"}),
            rule(kRead, {kStorage}, {"csidrivers"}),
            rule(kRead, {kStorage}, {"csistoragecapacities"}),
            rule(kRead, {kResource}, {"deviceclasses"}),
            rule(kReadUpdate, {kResource}, {"resourceclaims"}),
            rule(kReadUpdate, {kResource}, {"resourceclaims/status"}),
            rule({"update"}, {kCore}, {"pods/finalizers"}),
            rule(kRead, {kResource}, {"resourceslices"}),
            rule(kRead, {"scheduling.k8s.io"}, {"priorityclasses"})};
}

void add_component_roles(std::vector<ClusterRole>& all) {
    all.push_back(role("system:node", node_rules()));
    all.push_back(role("system:kube-scheduler", scheduler_rules()));
    all.push_back(role("system:volume-scheduler",
                       {rule(kReadUpdate, {kCore}, {"persistentvolumes"}), rule(kRead, {kStorage}, {"storageclasses"}),
                        rule(kReadUpdate, {kCore}, {"persistentvolumeclaims"})}));
    all.push_back(
        role("system:kube-controller-manager",
             {events_rule(), rule({"create"}, {kLeases}, {"leases"}),
              rule({"get", "update"}, {kLeases}, {"leases"}, {"kube-controller-manager"}),
              rule({"create"}, {kCore}, {"secrets", "serviceaccounts"}), rule({"delete"}, {kCore}, {"secrets"}),
              rule({"get"}, {kCore}, {"namespaces", "secrets", "serviceaccounts", "configmaps"}),
              rule({"update"}, {kCore}, {"secrets", "serviceaccounts"}),
              rule({"create"}, {kAuthentication}, {"tokenreviews"}),
              rule({"create"}, {kAuthorization}, {"subjectaccessreviews"}), rule({"list", "watch"}, {"*"}, {"*"}),
              rule({"create"}, {kCore}, {"serviceaccounts/token"})}));
}

// Each is bound to the service account of its name in kube-system.
std::vector<ClusterRole> controller_roles() {
    const auto controller = [](const char* name, PolicyRules rules) {
        return role("system:controller:" + std::string(name), std::move(rules));
    };
    return {
        controller("job-controller",
                   {rule({"get", "list", "watch", "update", "patch"}, {kBatch}, {"jobs"}),
                    rule({"update"}, {kBatch}, {"jobs/status"}), rule({"update"}, {kBatch}, {"jobs/finalizers"}),
                    rule({"list", "watch", "create", "delete", "patch"}, {kCore}, {"pods"}), events_rule()}),
        controller(
            "cronjob-controller",
            {rule({"get", "list", "watch", "update"}, {kBatch}, {"cronjobs"}),
             rule({"get", "list", "watch", "create", "update", "delete", "patch"}, {kBatch}, {"jobs"}),
             rule({"update"}, {kBatch}, {"cronjobs/status"}), rule({"update"}, {kBatch}, {"cronjobs/finalizers"}),
             rule({"list", "watch", "delete"}, {kCore}, {"pods"}), events_rule()}),
        controller("ttl-after-finished-controller",
                   {rule({"get", "list", "watch", "delete"}, {kBatch}, {"jobs"}), events_rule()}),
        controller("generic-garbage-collector",
                   {rule({"get", "list", "watch", "patch", "update", "delete"}, {"*"}, {"*"}), events_rule()}),
        controller("pod-garbage-collector",
                   {rule({"list", "watch", "delete"}, {kCore}, {"pods"}), rule(kRead, {kCore}, {"nodes"}),
                    rule({"patch"}, {kCore}, {"pods/status"})}),
        controller("namespace-controller",
                   {rule({"get", "list", "watch", "delete"}, {kCore}, {"namespaces"}),
                    rule({"update"}, {kCore}, {"namespaces/finalize", "namespaces/status"}),
                    rule({"get", "list", "watch", "delete", "deletecollection"}, {"*"}, {"*"})}),
        controller(
            "queue-controller",
            {rule(kReadWrite, {kQueueing}, {"workloads"}), rule(kReadUpdate, {kQueueing}, {"*"}),
             rule({"get", "list", "watch", "update", "patch"}, {kBatch}, {"jobs", "jobs/status"}),
             rule({"get", "list", "watch", "update", "patch", "delete"}, {kCore}, {"pods"}),
             rule({"update", "patch"}, {kCore}, {"pods/status"}), rule(kRead, {kCore}, {"namespaces", "limitranges"}),
             rule(kRead, {"scheduling.k8s.io"}, {"priorityclasses"}), rule(kRead, {"node.k8s.io"}, {"runtimeclasses"}),
             events_rule()}),
        controller("node-controller", {rule({"get", "list", "watch", "update", "delete", "patch"}, {kCore}, {"nodes"}),
                                       rule({"patch", "update"}, {kCore}, {"nodes/status"}),
                                       rule({"patch", "update"}, {kCore}, {"pods/status"}),
                                       rule({"list", "watch", "get", "delete"}, {kCore}, {"pods"}), events_rule()}),
        controller("resourcequota-controller", {rule({"list", "watch"}, {"*"}, {"*"}),
                                                rule({"update"}, {kCore}, {"resourcequotas/status"}), events_rule()}),
        controller(
            "disruption-controller",
            {rule(kRead, {kPolicy}, {"poddisruptionbudgets"}),
             rule({"update"}, {kPolicy}, {"poddisruptionbudgets/status"}), rule({"list", "watch"}, {kCore}, {"pods"}),
             rule({"patch", "update"}, {kCore}, {"pods/status"}), rule({"get"}, {"*"}, {"*/scale"}), events_rule()}),
        controller("service-account-controller", {rule({"create"}, {kCore}, {"serviceaccounts"}), events_rule()}),
        controller("clusterrole-aggregation-controller", {rule({"escalate", "get", "list", "watch", "update", "patch"},
                                                               {api::rbac::kGroup}, {"clusterroles"})}),
    };
}

Subject subject(const char* kind, std::string_view name, std::string_view namespace_ = {}) {
    Subject made;
    made.kind = kind;
    made.name = name;
    made.namespace_ = namespace_;
    if (namespace_.empty()) made.api_group = api::rbac::kGroup;
    return made;
}
Subject group(std::string_view name) { return subject("Group", name); }
Subject user(std::string_view name) { return subject("User", name); }
Subject account(std::string_view name) { return subject("ServiceAccount", name, "kube-system"); }

template <class K>
K binding(Text name, const char* role_kind, Text role_name, List<Subject> subjects) {
    K made = marked<K>(std::move(name));
    made.role_ref.api_group = api::rbac::kGroup;
    made.role_ref.kind = role_kind;
    made.role_ref.name = std::move(role_name);
    if (!subjects.empty()) made.subjects = std::move(subjects);
    return made;
}

ClusterRoleBinding cluster_binding(const char* name, List<Subject> subjects) {
    return binding<ClusterRoleBinding>(name, "ClusterRole", name, std::move(subjects));
}

std::vector<ClusterRoleBinding> cluster_bindings(const std::vector<ClusterRole>& controllers) {
    std::vector<ClusterRoleBinding> all{
        cluster_binding("cluster-admin", {group(kMastersGroup)}),
        cluster_binding("system:monitoring", {group("system:monitoring")}),
        cluster_binding("system:discovery", {group(kAuthenticatedGroup)}),
        cluster_binding("system:basic-user", {group(kAuthenticatedGroup)}),
        cluster_binding("system:public-info-viewer", {group(kAuthenticatedGroup), group(kUnauthenticatedGroup)}),
        cluster_binding("system:kube-controller-manager", {user("system:kube-controller-manager")}),
        cluster_binding("system:kube-scheduler", {user("system:kube-scheduler")}),
        cluster_binding("system:volume-scheduler", {user("system:kube-scheduler")}),
        cluster_binding("system:service-account-issuer-discovery", {group(kServiceAccountsGroup)}),
        // Without subjects, as in Kubernetes: the role can read every secret.
        cluster_binding("system:node", {})};
    for (const ClusterRole& controller : controllers) {
        const Text& name = controller.metadata.name;
        const std::string_view own = name.view().substr(name.view().rfind(':') + 1);
        all.push_back(binding<ClusterRoleBinding>(name, "ClusterRole", name, {account(own)}));
    }
    return all;
}

template <class K>
K in_kube_system(K made) {
    made.metadata.namespace_ = "kube-system";
    return made;
}

void add_system_namespace_roles(DefaultRoles& all) {
    Role reader = in_kube_system(marked<Role>("extension-apiserver-authentication-reader"));
    reader.rules = {rule(kRead, {kCore}, {"configmaps"}, {"extension-apiserver-authentication"})};
    all.roles.push_back(reader);
    for (const char* component : {"kube-controller-manager", "kube-scheduler"}) {
        const std::string name = "system::leader-locking-" + std::string(component);
        Role locking = in_kube_system(marked<Role>(name));
        locking.rules = {rule({"get", "watch", "list", "create", "update"}, {kLeases}, {"leases"}),
                         rule({"get", "watch", "list", "create", "update"}, {kLeases}, {"leasecandidates"})};
        all.roles.push_back(locking);
        all.role_bindings.push_back(in_kube_system(
            binding<RoleBinding>(name, "Role", name, {user("system:" + std::string(component)), account(component)})));
    }
    all.role_bindings.push_back(in_kube_system(binding<RoleBinding>(
        "system::extension-apiserver-authentication-reader", "Role", "extension-apiserver-authentication-reader",
        {user("system:kube-controller-manager"), user("system:kube-scheduler")})));
}

}  // namespace

DefaultRoles default_roles() {
    DefaultRoles all;
    add_user_roles(all.cluster_roles);
    add_component_roles(all.cluster_roles);
    add_queueing_roles(all.cluster_roles);
    const std::vector<ClusterRole> controllers = controller_roles();
    all.cluster_roles.insert(all.cluster_roles.end(), controllers.begin(), controllers.end());
    all.cluster_role_bindings = cluster_bindings(controllers);
    add_system_namespace_roles(all);

    std::vector<const ClusterRole*> roles;
    for (const ClusterRole& each : all.cluster_roles) roles.push_back(&each);
    const AggregatedRules decided = decide_aggregation(roles);
    for (ClusterRole& each : all.cluster_roles)
        if (const auto found = decided.find(each.metadata.name.str()); found != decided.end())
            each.rules = found->second;
    return all;
}

}  // namespace muster::server
