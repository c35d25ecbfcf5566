#include "api/validation/resource_quota.h"

#include <algorithm>
#include <set>

#include "api/validation/pod/resource_names.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using core::ResourceQuota;
using core::ResourceQuotaSpec;

constexpr std::string_view kCounted[] = {
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers",
};
constexpr std::string_view kMeasured[] = {
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
};
constexpr std::string_view kComputed[] = {"cpu",        "memory",        "requests.cpu",
                                          "limits.cpu", "limits.memory", "requests.memory"};
constexpr std::string_view kScopes[] = {
    "Terminating",           "NotTerminating", "BestEffort",
    "NotBestEffort",         "PriorityClass",  "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
};

template <std::size_t kSize>
bool contains(const std::string_view (&names)[kSize], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_quota_huge_pages(std::string_view name) {
    return name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
}

bool is_quota_resource(std::string_view name) {
    return contains(kCounted, name) || contains(kMeasured, name) || is_quota_huge_pages(name);
}

void check_amounts(const Map<Quantity>& amounts, const FieldPath& path, FieldErrors& errors) {
    for (const auto& [name, amount] : amounts) {
        const FieldPath at = path.key(name);
        check_resource_name(name, at, errors);
        if (name.view().find('/') == std::string_view::npos && !is_quota_resource(name))
            errors.add_invalid(at, name, "must be a standard resource for quota");
        if (amount.sign() < 0) errors.add_invalid(at, amount.text(), kNonNegativeSentence);
        if ((contains(kCounted, name) || is_extended_resource(name)) && !amount.is_integer())
            errors.add_invalid(at, amount.text(), "must be an integer");
    }
}

// What a scope selects is pods, or claims: only what they use can be limited with it.
bool fits_scope(std::string_view scope, std::string_view resource) {
    if (scope == "BestEffort") return resource == "pods";
    if (scope == "VolumeAttributesClass") return resource == "persistentvolumeclaims" || resource == "requests.storage";
    return resource == "pods" || contains(kComputed, resource) || !contains(kScopes, scope);
}

template <class Value>
void check_resources_fit(std::string_view scope, const ResourceQuotaSpec& spec, const Value& shown,
                         const FieldPath& path, FieldErrors& errors) {
    for (const auto& [name, amount] : spec.hard)
        if (!errors.is_full() && is_quota_resource(name) && !fits_scope(scope, name))
            errors.add_invalid(path, shown_json(shown), "unsupported scope applied to resource");
}

void check_conflicts(const std::set<std::string_view>& scopes, const ResourceQuotaSpec& spec, const FieldPath& path,
                     FieldErrors& errors) {
    for (const auto& [one, other] : {std::pair{"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}})
        if (scopes.contains(one) && scopes.contains(other))
            errors.add_invalid(path, shown_json(spec.scopes), "conflicting scopes");
}

void check_scopes(const ResourceQuotaSpec& spec, const FieldPath& path, FieldErrors& errors) {
    std::set<std::string_view> scopes;
    for (const Text& scope : spec.scopes) {
        if (errors.is_full()) return;
        if (!contains(kScopes, scope)) errors.add_invalid(path, shown_json(spec.scopes), "unsupported scope");
        check_resources_fit(scope, spec, spec.scopes, path, errors);
        scopes.insert(scope.view());
    }
    check_conflicts(scopes, spec, path, errors);
}

void check_demand(const core::ScopedResourceSelectorRequirement& demand, const FieldPath& path, FieldErrors& errors) {
    const std::string_view scope = demand.scope_name;
    const std::string_view how = demand.operator_;
    const bool takes_names = scope == "PriorityClass" || scope == "VolumeAttributesClass";
    if (contains(kScopes, scope) && !takes_names && how != "Exists")
        errors.add_invalid(path.child("operator"), how,
                           "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                           "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                           "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity");
    if (how == "In" || how == "NotIn") {
        if (demand.values.empty())
            errors.add_required(path.child("values"),
                                "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    } else if (how == "Exists" || how == "DoesNotExist") {
        if (!demand.values.empty())
            errors.add_invalid(path.child("values"), shown_json(demand.values),
                               "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
    } else {
        errors.add_invalid(path.child("operator"), how, "not a valid selector operator");
    }
}

void check_selector(const ResourceQuotaSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (!spec.scope_selector) return;
    std::set<std::string_view> scopes;
    for (const core::ScopedResourceSelectorRequirement& demand : spec.scope_selector->match_expressions) {
        if (errors.is_full()) return;
        if (!contains(kScopes, demand.scope_name))
            errors.add_invalid(path.child("scopeName"), demand.scope_name, "unsupported scope");
        check_resources_fit(demand.scope_name, spec, *spec.scope_selector, path, errors);
        check_demand(demand, path, errors);
        scopes.insert(demand.scope_name.view());
    }
    check_conflicts(scopes, spec, path, errors);
}

void check_spec(const ResourceQuotaSpec& spec, FieldErrors& errors) {
    const FieldPath path("spec");
    check_amounts(spec.hard, path.child("hard"), errors);
    check_scopes(spec, path.child("scopes"), errors);
    check_selector(spec, path.child("scopeSelector", "matchExpressions"), errors);
}

std::set<std::string_view> set_of(const List<Text>& names) {
    std::set<std::string_view> out;
    for (const Text& name : names) out.insert(name.view());
    return out;
}

}  // namespace

FieldErrors validate_resource_quota_create(const ResourceQuota& quota) {
    FieldErrors errors;
    check_metadata(quota.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    check_spec(quota.spec, errors);
    return errors;
}

FieldErrors validate_resource_quota_update(const ResourceQuota& now, const ResourceQuota& before) {
    FieldErrors errors;
    check_spec(now.spec, errors);
    if (set_of(now.spec.scopes) != set_of(before.spec.scopes))
        errors.add_invalid(FieldPath("spec").child("scopes"), shown_json(now.spec.scopes), kImmutableSentence);
    return errors;
}

FieldErrors validate_resource_quota_status_update(const ResourceQuota& now, const ResourceQuota&) {
    FieldErrors errors;
    check_amounts(now.status.hard, FieldPath("status").child("hard"), errors);
    check_amounts(now.status.used, FieldPath("status").child("used"), errors);
    return errors;
}

}  // namespace muster::api
