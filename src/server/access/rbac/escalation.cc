#include "server/access/rbac/escalation.h"

#include <set>

#include "api/schema/walk.h"
#include "api/value/quote.h"
#include "server/access/rbac/rule_coverage.h"

namespace muster::server {
namespace {

using api::rbac::ClusterRole;
using api::rbac::PolicyRule;
using api::rbac::Role;

template <class K>
const char* resource_of() {
    return api::kind_info<K>().options.plural;
}

// The garbage collector changes owners and finalizers. They grant no rights.
template <class K>
bool only_garbage_fields_differ(const K& now, const K* before) {
    if (!before) return false;
    K alike = now;
    alike.metadata.owner_references = before->metadata.owner_references;
    alike.metadata.finalizers = before->metadata.finalizers;
    alike.metadata.self_link = before->metadata.self_link;
    alike.metadata.managed_fields = before->metadata.managed_fields;
    return api::is_equal(K::info(), &alike, before);
}

// `user "ann" (groups=["a" "b"]) is attempting to grant …`, or nothing when they hold it all.
std::string escalation_of(const RoleView& roles, const User& user, std::string_view namespace_,
                          const List<PolicyRule>& wanted) {
    const RuleList held = rules_for(roles, user, namespace_);
    const Rules missing = uncovered_rules(held.rules, Rules(wanted.begin(), wanted.end()));
    if (missing.empty()) return {};
    std::set<std::string> lines;
    for (const PolicyRule& rule : compact_rules(missing)) lines.insert(describe_rule(rule));
    std::string text = "user " + api::in_quotes(user.name) + " (groups=[";
    for (std::size_t i = 0; i < user.groups.size(); ++i)
        text.append(i ? " " : "").append(api::in_quotes(user.groups[i]));
    text += "]) is attempting to grant RBAC permissions not currently held:";
    for (const std::string& line : lines) text.append("\n").append(line);
    if (!held.problems.empty()) text.append("; resolution errors: [").append(held.error()).append("]");
    return text;
}

template <class K>
bool may_escalate(const RoleView& roles, const User& user, const K& now, const K* before) {
    Attributes attributes{.verb = "escalate", .group = api::rbac::kGroup, .version = "*", .resource = resource_of<K>()};
    attributes.namespace_ = now.metadata.namespace_;
    if (before) attributes.name = now.metadata.name;  // a create's path has no name
    return authorize(roles, user, attributes).allowed;
}

template <class K>
Result<> check_rules(const RoleView& roles, const User& user, const K& now) {
    const std::string escalation = escalation_of(roles, user, now.metadata.namespace_, now.rules);
    if (escalation.empty()) return {};
    return forbidden_object(api::rbac::kGroup, resource_of<K>(), now.metadata.name, escalation);
}

bool aggregates(const ClusterRole& role) {
    return role.aggregation_rule && !role.aggregation_rule->cluster_role_selectors.empty();
}

List<PolicyRule> every_right() {
    PolicyRule resources;
    resources.verbs = {"*"};
    resources.api_groups = {"*"};
    resources.resources = {"*"};
    PolicyRule paths;
    paths.verbs = {"*"};
    paths.non_resource_urls = {"*"};
    return {resources, paths};
}

template <class K>
Result<> check_binding(const RoleView& roles, const User& user, const K& now, const K* before) {
    if (user.in_group(kMastersGroup) || only_garbage_fields_differ(now, before)) return {};
    const api::rbac::RoleRef& role = now.role_ref;
    const std::string_view namespace_ = now.metadata.namespace_;
    if (role.kind == "ClusterRole" || role.kind == "Role") {
        const Attributes attributes{.verb = "bind",
                                    .group = role.api_group,
                                    .version = "*",
                                    .resource = role.kind == "Role" ? "roles" : "clusterroles",
                                    .namespace_ = namespace_,
                                    .name = role.name};
        if (authorize(roles, user, attributes).allowed) return {};
    }
    TRY_ASSIGN(const List<PolicyRule> rules, roles.rules_of(role, namespace_));
    const std::string escalation = escalation_of(roles, user, namespace_, rules);
    if (escalation.empty()) return {};
    return forbidden_object(api::rbac::kGroup, resource_of<K>(), now.metadata.name, escalation);
}

}  // namespace

Result<> check_role_write(const RoleView& roles, const User& user, const Role& now, const Role* before) {
    if (user.in_group(kMastersGroup) || may_escalate(roles, user, now, before)) return {};
    if (only_garbage_fields_differ(now, before)) return {};
    return check_rules(roles, user, now);
}

Result<> check_role_write(const RoleView& roles, const User& user, const ClusterRole& now, const ClusterRole* before) {
    if (user.in_group(kMastersGroup) || may_escalate(roles, user, now, before)) return {};
    if (only_garbage_fields_differ(now, before)) return {};
    TRY(check_rules(roles, user, now));
    // It can gather anything, now or later.
    if ((aggregates(now) || (before && aggregates(*before))) && !escalation_of(roles, user, "", every_right()).empty())
        return forbidden_object(api::rbac::kGroup, "clusterroles", now.metadata.name,
                                "must have cluster-admin privileges to use the aggregationRule");
    return {};
}

Result<> check_binding_write(const RoleView& roles, const User& user, const api::rbac::RoleBinding& now,
                             const api::rbac::RoleBinding* before) {
    return check_binding(roles, user, now, before);
}

Result<> check_binding_write(const RoleView& roles, const User& user, const api::rbac::ClusterRoleBinding& now,
                             const api::rbac::ClusterRoleBinding* before) {
    return check_binding(roles, user, now, before);
}

}  // namespace muster::server
