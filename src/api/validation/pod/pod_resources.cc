// Rules of resources: names, amounts, requests within limits, sums of a whole pod, claims.
#include "api/defaults/pod_resources.h"

#include <algorithm>
#include <set>

#include "api/validation/pod/pod_rules.h"
#include "api/validation/pod/resource_names.h"

namespace muster::api {
namespace {

constexpr std::string_view kHugePages = "hugepages-";

bool is_counted(std::string_view name) {
    return is_one_of(name, {"pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
                            "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"}) ||
           is_extended_resource(name);
}

void check_pod_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
    if (check_resource_name(name, path, errors) && !is_pod_level_resource(name))
        errors.add_not_supported(path, name, {"cpu", "hugepages-", "memory"});
}

bool is_whole_pages(std::string_view name, const Quantity& quantity) {
    const Result<Quantity> page = Quantity::parse(name.substr(kHugePages.size()));
    if (!page.ok() || page->sign() <= 0 || !page->is_integer()) return false;
    return quantity.value() % page->value() == 0;
}

void check_amount(std::string_view name, const Quantity& quantity, const FieldPath& path, FieldErrors& errors) {
    if (quantity.sign() < 0) errors.add_invalid(path, quantity.text(), kNonNegativeSentence);
    if (is_counted(name) && !quantity.is_integer()) errors.add_invalid(path, quantity.text(), "must be an integer");
    if (is_huge_pages(name) && !is_whole_pages(name, quantity))
        errors.add_invalid(path, quantity.text(),
                           quantity.text() + " is not positive integer multiple of " + std::string(name));
}

void check_request_within_limit(std::string_view name, const Quantity& request, const Quantity* limit,
                                const FieldPath& requests, const FieldPath& limits, FieldErrors& errors) {
    if (!limit) {
        if (!may_overcommit(name)) errors.add_required(limits, "Limit must be set for non overcommitable resources");
    } else if (request != *limit && !may_overcommit(name)) {
        errors.add_invalid(requests, request.text(),
                           "must be equal to " + std::string(name) + " limit of " + limit->text());
    } else if (request > *limit) {
        errors.add_invalid(requests, request.text(),
                           "must be less than or equal to " + std::string(name) + " limit of " + limit->text());
    }
}

using ResourceNameRule = void (*)(std::string_view, const FieldPath&, FieldErrors&);

void check_requirements(const core::ResourceRequirements& resources, ResourceNameRule rule, const FieldPath& path,
                        FieldErrors& errors) {
    const FieldPath limits = path.child("limits");
    const FieldPath requests = path.child("requests");
    bool compute = false;
    bool huge_pages = false;
    const auto note = [&](std::string_view name) {
        compute |= name == "cpu" || name == "memory";
        huge_pages |= is_huge_pages(name);
    };
    for (const auto& [name, quantity] : resources.limits) {
        rule(name, limits.key(name), errors);
        check_amount(name, quantity, limits.key(name), errors);
        note(name);
    }
    for (const auto& [name, quantity] : resources.requests) {
        rule(name, requests.key(name), errors);
        check_amount(name, quantity, requests.key(name), errors);
        check_request_within_limit(name, quantity, resources.limits.find(name), requests, limits, errors);
        note(name);
    }
    if (huge_pages && !compute) errors.add_forbidden(path, "HugePages require cpu or memory");
}

void check_claim_is_of_pod(const Text& name, const List<core::PodResourceClaim>& pod_claims, const FieldPath& path,
                           FieldErrors& errors) {
    std::set<std::string_view> known;
    for (const core::PodResourceClaim& claim : pod_claims)
        if (!claim.name.empty()) known.insert(claim.name);
    if (known.contains(name.view())) return;
    std::string listed;
    for (std::string_view one : known) listed.append(listed.empty() ? ": " : ", ").append(one);
    errors.add_not_found(path, name,
                         "must be one of the names in pod.spec.resourceClaims" +
                             (listed.empty() ? std::string(" which is empty") : listed));
}

// Two entries overlap when they name the same request, or when one of them means all requests of the claim.
void check_used_claims(const List<core::ResourceClaim>& claims, const List<core::PodResourceClaim>& pod_claims,
                       const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const core::ResourceClaim& claim = claims[i];
        const FieldPath at = path.index(i);
        if (claim.name.empty()) {
            errors.add_required(at, "");
            continue;
        }
        if (!claim.request.empty())
            errors.add_problems(at.child("request"), claim.request, is_dns1123_label(claim.request));
        for (const core::ResourceClaim* other = claims.begin(); other != claims.begin() + i; ++other) {
            if (!(other->name == claim.name)) continue;
            if (other->request.empty() || claim.request.empty()) {
                errors.add_duplicate(at, claim.name);
                break;
            }
            if (other->request == claim.request) {
                errors.add_duplicate(at, claim.name.str() + "/" + claim.request.str());
                break;
            }
        }
        check_claim_is_of_pod(claim.name, pod_claims, at, errors);
    }
}

void check_pod_level_sums(const core::PodSpec& spec, const FieldPath& path, FieldErrors& errors) {
    const core::ResourceRequirements& own = *spec.resources;
    for (const auto& [name, sum] : container_requests(spec)) {
        const Quantity* request = own.requests.find(name);
        if (request && sum > *request)
            errors.add_invalid(path.child("requests").key(name), request->text(),
                               "must be greater than or equal to aggregate container requests of " + sum.text());
    }
    for (const auto& [name, sum] : container_limits(spec)) {
        const Quantity* limit = own.limits.find(name);
        if (limit && is_huge_pages(name) && sum > *limit)
            errors.add_invalid(path.child("limits").key(name), limit->text(),
                               "must be greater than or equal to aggregate container limits of " + sum.text());
    }
    for (std::size_t i = 0; i < spec.containers.size(); ++i) {
        for (const auto& [name, quantity] : spec.containers[i].resources.limits) {
            const Quantity* limit = own.limits.find(name);
            if (limit && quantity > *limit)
                errors.add_invalid(path.child("containers").index(i).key(name).child("limits"), quantity.text(),
                                   "must be less than or equal to pod limits of " + limit->text());
        }
    }
}

void check_resource_claim(const PodSurroundings& pod, std::size_t index, const FieldPath& at, FieldErrors& errors) {
    const core::PodResourceClaim& claim = pod.spec.resource_claims[index];
    const core::PodResourceClaim* earlier = pod.spec.resource_claims.begin();
    if (claim.name.empty()) {
        errors.add_required(at.child("name"), "");
    } else if (std::any_of(earlier, earlier + index, [&](const auto& one) { return one.name == claim.name; })) {
        errors.add_duplicate(at.child("name"), claim.name);
    } else {
        errors.add_problems(at.child("name"), claim.name, is_dns1123_label(claim.name));
    }
    if (claim.resource_claim_name && claim.resource_claim_template_name)
        errors.add_invalid(at, shown_json(claim),
                           "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    if (!claim.resource_claim_name && !claim.resource_claim_template_name)
        errors.add_invalid(at, shown_json(claim),
                           "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    if (claim.resource_claim_name)
        errors.add_problems(at.child("resourceClaimName"), *claim.resource_claim_name,
                            is_dns1123_subdomain(*claim.resource_claim_name));
    if (claim.resource_claim_template_name)
        errors.add_problems(at.child("resourceClaimTemplateName"), *claim.resource_claim_template_name,
                            is_dns1123_subdomain(*claim.resource_claim_template_name));
}

}  // namespace

void check_positive_storage(const Quantity& quantity, const FieldPath& path, FieldErrors& errors) {
    if (quantity.sign() <= 0) errors.add_invalid(path, quantity.text(), "must be greater than zero");
}

void check_container_resources(const core::ResourceRequirements& resources, const core::PodSpec& spec,
                               const FieldPath& path, FieldErrors& errors) {
    check_requirements(resources, check_container_resource_name, path, errors);
    check_used_claims(resources.claims, spec.resource_claims, path.child("claims"), errors);
}

void check_pod_resources(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    if (!spec.resources) return;
    const FieldPath path = spec_path.child("resources");
    if (spec.os && spec.os->name == "windows") return errors.add_forbidden(path, "may not be set for a windows pod");
    if (!spec.resources->claims.is_null())
        errors.add_forbidden(path.child("claims"), "claims may not be set for Resources at pod-level");
    check_requirements(*spec.resources, check_pod_resource_name, path, errors);
    check_used_claims(spec.resources->claims, spec.resource_claims, path.child("claims"), errors);
    check_pod_level_sums(spec, path, errors);
}

void check_resource_claims(const PodSurroundings& pod, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < pod.spec.resource_claims.size(); ++i) {
        if (pod.metadata && pod.metadata->annotations.contains(kMirrorAnnotation)) {
            errors.add_forbidden(FieldPath(), "static pods do not support resource claims");
        } else {
            check_resource_claim(pod, i, path.index(i), errors);
        }
    }
}

}  // namespace muster::api
