#include "api/validation/rbac.h"

#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using rbac::ClusterRole;
using rbac::ClusterRoleBinding;
using rbac::PolicyRule;
using rbac::Role;
using rbac::RoleBinding;
using rbac::Subject;

void check_rule(const PolicyRule& rule, bool namespaced, const FieldPath& path, FieldErrors& errors) {
    if (rule.verbs.empty()) errors.add_required(path.child("verbs"), "");
    if (!rule.non_resource_urls.empty()) {
        const FieldPath at = path.child("nonResourceURLs");
        if (namespaced) {
            errors.add_invalid(at, shown_json(rule.non_resource_urls),
                               "namespaced rules cannot apply to non-resource URLs");
        }
        if (!rule.api_groups.empty() || !rule.resources.empty() || !rule.resource_names.empty()) {
            errors.add_invalid(at, shown_json(rule.non_resource_urls),
                               "rules cannot apply to both regular resources and non-resource URLs");
        }
        return;
    }
    if (rule.api_groups.empty())
        errors.add_required(path.child("apiGroups"), "resource rules must supply at least one api group");
    if (rule.resources.empty())
        errors.add_required(path.child("resources"), "resource rules must supply at least one resource");
}

void check_aggregation(const Role&, FieldErrors&) {}
void check_aggregation(const ClusterRole& role, FieldErrors& errors) {
    if (!role.aggregation_rule) return;
    const FieldPath path = FieldPath("aggregationRule").child("clusterRoleSelectors");
    const auto& selectors = role.aggregation_rule->cluster_role_selectors;
    if (selectors.empty())
        errors.add_required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    for (std::size_t i = 0; i < selectors.size(); ++i) check_label_selector(selectors[i], path.index(i), errors);
}

template <class K>
void check_role(const K& role, FieldErrors& errors) {
    constexpr bool kNamespaced = K::kKindOptions.namespaced;
    check_metadata(role.metadata, kNamespaced, is_path_segment_name, kMetadata, errors);
    for (std::size_t i = 0; i < role.rules.size(); ++i)
        check_rule(role.rules[i], kNamespaced, FieldPath("rules").index(i), errors);
    check_aggregation(role, errors);
}

void check_subject(const Subject& subject, bool namespaced, const FieldPath& path, FieldErrors& errors) {
    if (subject.name.empty()) errors.add_required(path.child("name"), "");
    if (subject.kind == "ServiceAccount") {
        if (!subject.name.empty())
            errors.add_problems(path.child("name"), subject.name, is_dns1123_subdomain(subject.name));
        if (!subject.api_group.empty()) errors.add_not_supported(path.child("apiGroup"), subject.api_group, {""});
        if (!namespaced && subject.namespace_.empty()) errors.add_required(path.child("namespace"), "");
    } else if (subject.kind == "User" || subject.kind == "Group") {
        if (!(subject.api_group == rbac::kGroup))
            errors.add_not_supported(path.child("apiGroup"), subject.api_group, {rbac::kGroup});
    } else {
        errors.add_not_supported(path.child("kind"), subject.kind, {"ServiceAccount", "User", "Group"});
    }
}

template <class K>
void check_binding(const K& binding, FieldErrors& errors) {
    constexpr bool kNamespaced = K::kKindOptions.namespaced;
    check_metadata(binding.metadata, kNamespaced, is_path_segment_name, kMetadata, errors);
    const FieldPath ref("roleRef");
    if (!(binding.role_ref.api_group == rbac::kGroup))
        errors.add_not_supported(ref.child("apiGroup"), binding.role_ref.api_group, {rbac::kGroup});
    const Text& kind = binding.role_ref.kind;
    if (kNamespaced && !(kind == "Role") && !(kind == "ClusterRole"))
        errors.add_not_supported(ref.child("kind"), kind, {"Role", "ClusterRole"});
    if (!kNamespaced && !(kind == "ClusterRole")) errors.add_not_supported(ref.child("kind"), kind, {"ClusterRole"});
    if (binding.role_ref.name.empty()) {
        errors.add_required(ref.child("name"), "");
    } else {
        errors.add_problems(ref.child("name"), binding.role_ref.name, is_path_segment_name(binding.role_ref.name));
    }
    for (std::size_t i = 0; i < binding.subjects.size(); ++i)
        check_subject(binding.subjects[i], kNamespaced, FieldPath("subjects").index(i), errors);
}

template <class K>
FieldErrors role_errors(const K& now) {
    FieldErrors errors;
    check_role(now, errors);
    return errors;
}

template <class K>
FieldErrors binding_errors(const K& now, const K* before) {
    FieldErrors errors;
    check_binding(now, errors);
    if (!before) return errors;
    if (!(now.role_ref == before->role_ref))
        errors.add_invalid(FieldPath("roleRef"), shown_json(now.role_ref), "cannot change roleRef");
    return errors;
}

}  // namespace

Problems is_path_segment_name(std::string_view name) {
    if (name == "." || name == "..") return {"may not be '" + std::string(name) + "'"};
    Problems problems;
    for (const char c : {'/', '%'})
        if (name.find(c) != std::string_view::npos) problems.push_back("may not contain '" + std::string(1, c) + "'");
    return problems;
}

FieldErrors validate_role_create(const Role& role) { return role_errors(role); }
FieldErrors validate_role_create(const ClusterRole& role) { return role_errors(role); }
FieldErrors validate_role_update(const Role& now, const Role&) { return role_errors(now); }
FieldErrors validate_role_update(const ClusterRole& now, const ClusterRole&) { return role_errors(now); }
FieldErrors validate_role_binding_create(const RoleBinding& binding) {
    return binding_errors<RoleBinding>(binding, nullptr);
}
FieldErrors validate_role_binding_create(const ClusterRoleBinding& binding) {
    return binding_errors<ClusterRoleBinding>(binding, nullptr);
}
FieldErrors validate_role_binding_update(const RoleBinding& now, const RoleBinding& before) {
    return binding_errors(now, &before);
}
FieldErrors validate_role_binding_update(const ClusterRoleBinding& now, const ClusterRoleBinding& before) {
    return binding_errors(now, &before);
}

}  // namespace muster::api
