#include "server/access/rbac/reconcile_roles.h"

#include <algorithm>

#include "server/access/rbac/rule_coverage.h"
#include "server/kind_object/kind_object.h"
#include "server/kind_object/uid.h"

namespace muster::server {
namespace {

using api::rbac::ClusterRole;
using api::rbac::ClusterRoleBinding;
using api::rbac::Role;
using api::rbac::RoleBinding;

constexpr std::string_view kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

bool is_protected(const api::meta::ObjectMeta& metadata) {
    const Text* value = metadata.annotations.find(kAutoUpdate);
    return value && *value == "false";
}

// What is there already stays as it is.
bool add_missing(Map<Text>& to, const Map<Text>& from) {
    bool changed = false;
    for (const auto& entry : from) {
        if (to.contains(entry.key)) continue;
        to.set(entry.key, entry.value);
        changed = true;
    }
    return changed;
}

bool add_missing_marks(api::meta::ObjectMeta& to, const api::meta::ObjectMeta& from) {
    const bool annotations = add_missing(to.annotations, from.annotations);
    return add_missing(to.labels, from.labels) || annotations;
}

template <class K>
bool add_missing_rules(K& role, const K& expected) {
    const Rules missing = uncovered_rules(Rules(role.rules.begin(), role.rules.end()),
                                          Rules(expected.rules.begin(), expected.rules.end()));
    if (missing.empty()) return false;
    for (const api::rbac::PolicyRule& rule : missing) role.rules.edit().push_back(rule);
    return true;
}

bool reconcile_aggregation(ClusterRole& role, const ClusterRole& expected) {
    if (!expected.aggregation_rule) {
        const bool had = static_cast<bool>(role.aggregation_rule);
        role.aggregation_rule.reset();
        return had;
    }
    bool changed = false;
    for (const api::meta::LabelSelector& selector : expected.aggregation_rule->cluster_role_selectors) {
        if (role.aggregation_rule) {
            const auto& has = role.aggregation_rule->cluster_role_selectors;
            if (std::find(has.begin(), has.end(), selector) != has.end()) continue;
        }
        role.aggregation_rule.edit().cluster_role_selectors.edit().push_back(selector);
        changed = true;
    }
    return changed;
}
bool reconcile_aggregation(Role&, const Role&) { return false; }

bool is_aggregated(const ClusterRole& role) { return static_cast<bool>(role.aggregation_rule); }
bool is_aggregated(const Role&) { return false; }

template <class K>
std::optional<K> reconciled_role(const K& existing, const K& expected) {
    if (is_protected(existing.metadata)) return {};
    K role = existing;
    bool changed = add_missing_marks(role.metadata, expected.metadata);
    changed = reconcile_aggregation(role, expected) || changed;
    // An aggregated role's rules are put together from others, whatever those are by now.
    if (!is_aggregated(expected)) changed = add_missing_rules(role, expected) || changed;
    if (!changed) return {};
    return role;
}

template <class K>
std::optional<K> reconciled_binding(const K& existing, const K& expected) {
    if (is_protected(existing.metadata)) return {};
    if (!(existing.role_ref == expected.role_ref)) return expected;
    K binding = existing;
    bool changed = add_missing_marks(binding.metadata, expected.metadata);
    for (const api::rbac::Subject& subject : expected.subjects) {
        if (std::find(binding.subjects.begin(), binding.subjects.end(), subject) != binding.subjects.end()) continue;
        binding.subjects.edit().push_back(subject);
        changed = true;
    }
    if (!changed) return {};
    return binding;
}

std::optional<ClusterRole> reconcile(const ClusterRole& existing, const ClusterRole& expected) {
    return reconcile_role(existing, expected);
}
std::optional<Role> reconcile(const Role& existing, const Role& expected) { return reconcile_role(existing, expected); }
std::optional<ClusterRoleBinding> reconcile(const ClusterRoleBinding& existing, const ClusterRoleBinding& expected) {
    return reconcile_binding(existing, expected);
}
std::optional<RoleBinding> reconcile(const RoleBinding& existing, const RoleBinding& expected) {
    return reconcile_binding(existing, expected);
}

// The list is of this very moment, so no write can fail.
template <class K>
void ensure(store::Store& store, const K& expected, Instant now, Prng& random) {
    const std::string key = object_key(api::kind_info<K>(), expected.metadata.namespace_, expected.metadata.name);
    const std::optional<store::Stored> stored = store.get(key);
    std::optional<K> wanted = expected;
    if (stored) wanted = reconcile(static_cast<const TypedObject<K>&>(*stored->object).value, expected);
    if (!wanted) return;
    auto draft = std::make_shared<TypedObject<K>>(std::move(*wanted));
    if (!draft->value.metadata.uid.empty()) {
        (void)store.update(key, std::move(draft)).value();
        return;
    }
    draft->value.metadata.uid = make_uid(random);
    draft->value.metadata.creation_timestamp = api::Time::from_instant(now);
    if (stored) (void)store.remove(key).value();
    (void)store.create(key, std::move(draft)).value();
}

}  // namespace

std::optional<ClusterRole> reconcile_role(const ClusterRole& existing, const ClusterRole& expected) {
    return reconciled_role(existing, expected);
}
std::optional<Role> reconcile_role(const Role& existing, const Role& expected) {
    return reconciled_role(existing, expected);
}
std::optional<ClusterRoleBinding> reconcile_binding(const ClusterRoleBinding& existing,
                                                    const ClusterRoleBinding& expected) {
    return reconciled_binding(existing, expected);
}
std::optional<RoleBinding> reconcile_binding(const RoleBinding& existing, const RoleBinding& expected) {
    return reconciled_binding(existing, expected);
}

void ensure_default_roles(store::Store& store, const DefaultRoles& defaults, Instant now, Prng& random) {
    for (const ClusterRole& role : defaults.cluster_roles) ensure(store, role, now, random);
    for (const Role& role : defaults.roles) ensure(store, role, now, random);
    for (const ClusterRoleBinding& binding : defaults.cluster_role_bindings) ensure(store, binding, now, random);
    for (const RoleBinding& binding : defaults.role_bindings) ensure(store, binding, now, random);
}

}  // namespace muster::server
