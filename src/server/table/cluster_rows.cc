// What makes up the cluster: nodes, namespaces, leases, priorities, budgets, and who may do what.
#include <set>

#include "api/kinds/coordination.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/node.h"
#include "api/kinds/policy.h"
#include "api/kinds/rbac.h"
#include "api/kinds/runtime.h"
#include "api/kinds/scheduling.h"
#include "server/table/print.h"

namespace muster::server {
namespace {

using api::coordination::Lease;
using api::core::Namespace;
using api::core::Node;
using api::policy::PodDisruptionBudget;
using api::rbac::ClusterRoleBinding;
using api::rbac::RoleBinding;
using api::runtime::RuntimeClass;
using api::scheduling::PriorityClass;

constexpr Column kNodeColumns[] = {
    kNameColumn,
    {"Status", "string", "Whether the node is ready, and whether it takes new pods."},
    {"Roles", "string", "What the node is for, by its labels."},
    kAgeColumn,
    {"Version", "string", "Version of the node's agent."},
    {"Internal-IP", "string", "Address of the node inside the cluster.", 1},
    {"External-IP", "string", "Address of the node outside the cluster.", 1},
    {"OS-Image", "string", "Operating system of the node.", 1},
    {"Kernel-Version", "string", "Kernel of the node.", 1},
    {"Container-Runtime", "string", "What runs the containers, and its version.", 1},
};
constexpr Column kNamespaceColumns[] = {
    kNameColumn, {"Status", "string", "Active, or Terminating while it is being emptied."}, kAgeColumn};
constexpr Column kLeaseColumns[] = {kNameColumn, {"Holder", "string", "Who holds the lease."}, kAgeColumn};
constexpr Column kPriorityColumns[] = {
    kNameColumn,
    {"Value", "integer", "The priority that pods of this class get."},
    {"Global-Default", "boolean", "Whether pods that name no class get this one."},
    kAgeColumn,
    {"PreemptionPolicy", "string", "Whether pods of this class may push others off a node.", 1},
};
constexpr Column kRuntimeColumns[] = {
    kNameColumn, {"Handler", "string", "What the node's runtime calls it."}, kAgeColumn};
constexpr Column kBudgetColumns[] = {
    kNameColumn,
    {"Min Available", "string", "How many pods must stay."},
    {"Max Unavailable", "string", "How many pods may be missing."},
    {"Allowed Disruptions", "integer", "How many pods may be evicted now."},
    kAgeColumn,
};
constexpr Column kBindingColumns[] = {
    kNameColumn,
    {"Role", "string", "The role that is granted."},
    kAgeColumn,
    {"Users", "string", "Users that are granted the role.", 1},
    {"Groups", "string", "Groups that are granted the role.", 1},
    {"ServiceAccounts", "string", "Service accounts that are granted the role.", 1},
};

std::string node_status(const Node& node) {
    std::string status = "Unknown";
    for (const auto& condition : node.status.conditions)
        if (condition.type == "Ready") status = condition.status == "True" ? "Ready" : "NotReady";
    return node.spec.unschedulable ? status + ",SchedulingDisabled" : status;
}

std::string node_roles(const Node& node) {
    static constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
    std::set<std::string_view> roles;
    for (const auto& label : node.metadata.labels) {
        const std::string_view key = label.key;
        if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) roles.insert(key.substr(kPrefix.size()));
        if (key == "kubernetes.io/role" && !label.value.empty()) roles.insert(label.value);
    }
    return roles.empty() ? "<none>" : join(roles, ",", [](std::string_view role) { return role; });
}

std::string_view node_address(const Node& node, std::string_view type) {
    for (const auto& address : node.status.addresses)
        if (address.type == type) return address.address;
    return "<none>";
}

void print_node(const Node& node, Row& row) {
    const auto& info = node.status.node_info;
    row.text(node.metadata.name)
        .text(node_status(node))
        .text(node_roles(node))
        .age(node.metadata.creation_timestamp)
        .text(info.kubelet_version)
        .text(node_address(node, "InternalIP"))
        .text(node_address(node, "ExternalIP"))
        .text(or_else(info.os_image, "<unknown>"))
        .text(or_else(info.kernel_version, "<unknown>"))
        .text(or_else(info.container_runtime_version, "<unknown>"));
}

void print_namespace(const Namespace& object, Row& row) {
    row.text(object.metadata.name).text(object.status.phase).age(object.metadata.creation_timestamp);
}

void print_lease(const Lease& lease, Row& row) {
    row.text(lease.metadata.name)
        .text(lease.spec.holder_identity ? lease.spec.holder_identity->view() : "")
        .age(lease.metadata.creation_timestamp);
}

void print_priority_class(const PriorityClass& object, Row& row) {
    row.text(object.metadata.name)
        .number(object.value)
        .boolean(object.global_default)
        .age(object.metadata.creation_timestamp)
        .text(object.preemption_policy ? object.preemption_policy->view() : "");
}

void print_runtime_class(const RuntimeClass& object, Row& row) {
    row.text(object.metadata.name).text(object.handler).age(object.metadata.creation_timestamp);
}

void print_budget(const PodDisruptionBudget& budget, Row& row) {
    row.text(budget.metadata.name)
        .text(budget.spec.min_available ? budget.spec.min_available->text() : "N/A")
        .text(budget.spec.max_unavailable ? budget.spec.max_unavailable->text() : "N/A")
        .number(budget.status.disruptions_allowed)
        .age(budget.metadata.creation_timestamp);
}

std::string subjects_of(const List<api::rbac::Subject>& subjects, std::string_view kind) {
    std::string out;
    for (const auto& subject : subjects) {
        if (subject.kind != kind) continue;
        if (!out.empty()) out += ", ";
        if (kind == "ServiceAccount") out += subject.namespace_ + "/";
        out += subject.name.view();
    }
    return out;
}

template <class Binding>
void print_binding(const Binding& binding, Row& row) {
    row.text(binding.metadata.name)
        .text(binding.role_ref.kind + ("/" + binding.role_ref.name))
        .age(binding.metadata.creation_timestamp)
        .text(subjects_of(binding.subjects, "User"))
        .text(subjects_of(binding.subjects, "Group"))
        .text(subjects_of(binding.subjects, "ServiceAccount"));
}

}  // namespace

Printer node_printer() { return make_printer<Node, print_node>(kNodeColumns); }
Printer namespace_printer() { return make_printer<Namespace, print_namespace>(kNamespaceColumns); }
Printer lease_printer() { return make_printer<Lease, print_lease>(kLeaseColumns); }
Printer priority_class_printer() { return make_printer<PriorityClass, print_priority_class>(kPriorityColumns); }
Printer runtime_class_printer() { return make_printer<RuntimeClass, print_runtime_class>(kRuntimeColumns); }
Printer disruption_budget_printer() { return make_printer<PodDisruptionBudget, print_budget>(kBudgetColumns); }
Printer role_binding_printer() { return make_printer<RoleBinding, print_binding<RoleBinding>>(kBindingColumns); }
Printer cluster_role_binding_printer() {
    return make_printer<ClusterRoleBinding, print_binding<ClusterRoleBinding>>(kBindingColumns);
}

}  // namespace muster::server
