#include "api/validation/resource_quota.h"

#include <algorithm>

#include "api/validation/immutable.h"
#include "api/validation/metadata.h"

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
constexpr std::string_view kScopes[] = {
    "Terminating",           "NotTerminating", "BestEffort",
    "NotBestEffort",         "PriorityClass",  "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
};

template <std::size_t kSize>
bool contains(const std::string_view (&names)[kSize], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_huge_pages(std::string_view name) {
    return name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
}

void check_amounts(const Map<Quantity>& amounts, const FieldPath& path, FieldErrors& errors) {
    for (const auto& [name, amount] : amounts) {
        const FieldPath at = path.key(name);
        errors.add_problems(at, name, is_qualified_name(name));
        const bool has_domain = name.view().find('/') != std::string_view::npos;
        if (!has_domain && !contains(kCounted, name) && !contains(kMeasured, name) && !is_huge_pages(name))
            errors.add_invalid(at, name, "must be a standard resource for quota");
        if (amount.sign() < 0) errors.add_invalid(at, amount.text(), kNonNegativeSentence);
        if ((contains(kCounted, name) || has_domain) && !amount.is_integer())
            errors.add_invalid(at, amount.text(), "must be an integer");
    }
}

void check_scopes(const ResourceQuotaSpec& spec, const FieldPath& path, FieldErrors& errors) {
    const auto has = [&](std::string_view scope) {
        return std::find(spec.scopes.begin(), spec.scopes.end(), Text(scope)) != spec.scopes.end();
    };
    for (const Text& scope : spec.scopes)
        if (!errors.is_full() && !contains(kScopes, scope))
            errors.add_invalid(path, shown_json(spec.scopes), "unsupported scope");
    for (const auto& [one, other] : {std::pair{"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}})
        if (has(one) && has(other)) errors.add_invalid(path, shown_json(spec.scopes), "conflicting scopes");
}

void check_spec(const ResourceQuotaSpec& spec, FieldErrors& errors) {
    const FieldPath path("spec");
    check_amounts(spec.hard, path.child("hard"), errors);
    check_scopes(spec, path.child("scopes"), errors);
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
    check_immutable(now.spec.scopes, before.spec.scopes, FieldPath("spec").child("scopes"), errors);
    return errors;
}

FieldErrors validate_resource_quota_status_update(const ResourceQuota& now, const ResourceQuota&) {
    FieldErrors errors;
    check_amounts(now.status.hard, FieldPath("status").child("hard"), errors);
    check_amounts(now.status.used, FieldPath("status").child("used"), errors);
    return errors;
}

}  // namespace muster::api
