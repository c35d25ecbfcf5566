#include "server/objects/security_admission.h"

#include "api/kinds/batch.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/pod.h"
#include "api/security/pod_security.h"
#include "server/objects/objects.h"

namespace muster::server {
namespace {

using api::NamespaceSecurity;
using api::SecurityFindings;
using api::SecurityLevel;
using api::SecurityPolicy;
using api::core::Namespace;
using api::core::Pod;
using api::core::PodTemplate;

// What is looked at: a pod, or a template of pods.
struct PodShape {
    const api::meta::ObjectMeta* metadata;
    const api::core::PodSpec* spec;
};

PodShape shape_of(const api::core::PodTemplateSpec& of) { return {&of.metadata, &of.spec}; }

// Empty for kinds without a template.
std::optional<PodShape> find_template(const KindObject& object) {
    if (&object.kind() == &api::kind_info<api::batch::Job>())
        return shape_of(as<api::batch::Job>(object).spec.template_);
    if (&object.kind() == &api::kind_info<api::batch::CronJob>())
        return shape_of(as<api::batch::CronJob>(object).spec.job_template.spec.template_);
    if (&object.kind() == &api::kind_info<PodTemplate>()) return shape_of(as<PodTemplate>(object).template_);
    return std::nullopt;
}

std::string violation(const char* verb, const SecurityPolicy& policy, const SecurityFindings& findings) {
    return std::string(verb) + " PodSecurity \"" + policy.text() + "\": " + api::format_details(findings);
}

void note(const AdmissionRequest& request, const char* key, std::string value) {
    if (request.audit) request.audit->emplace_back(std::string("pod-security.kubernetes.io/") + key, std::move(value));
}

// Notes and warnings, which refuse nothing.
void tell(const AdmissionRequest& request, const NamespaceSecurity& security, const PodShape& shape) {
    if (request.audit && !security.errors.empty())
        note(request, "error",
             "Failed to parse policy: " +
                 api::invalid_object(api::kind_info<Namespace>(), request.namespace_, security.errors).message);
    if (request.audit) {
        const auto found = api::check_pod_security(security.audit, *shape.metadata, *shape.spec);
        if (!found.empty()) note(request, "audit-violations", violation("would violate", security.audit, found));
    }
    if (!request.warnings) return;
    const auto found = api::check_pod_security(security.warn, *shape.metadata, *shape.spec);
    if (!found.empty()) request.warnings->push_back(violation("would violate", security.warn, found));
}

NamespaceSecurity security_of(const AdmissionRequest& request, const Objects& objects) {
    const auto space = objects.get({api::kind_info<Namespace>(), "", request.namespace_});
    return space.ok() ? api::parse_security_labels((*space)->metadata().labels) : NamespaceSecurity();
}

Result<> check_pod(AdmissionRequest& request, const Objects& objects) {
    const Pod& pod = as<Pod>(*request.object);
    if (request.before && !api::is_security_update(pod.spec, as<Pod>(*request.before).spec)) return {};
    const NamespaceSecurity security = security_of(request, objects);
    if (request.audit) note(request, "enforce-policy", security.enforce.text());
    const auto found = api::check_pod_security(security.enforce, pod.metadata, pod.spec);
    if (found.empty()) {
        tell(request, security, {&pod.metadata, &pod.spec});
        return {};
    }
    AdmissionRequest refused = request;
    refused.warnings = nullptr;  // the refusal says it all
    tell(refused, security, {&pod.metadata, &pod.spec});
    return refuse_request(request, violation("violates", security.enforce, found));
}

std::vector<std::string> warn_of_standing_pods(const AdmissionRequest& request, const SecurityPolicy& enforce,
                                               const Objects& objects) {
    const auto listing = objects.store().list(list_prefix(api::kind_info<Pod>(), request.name));
    std::vector<const Pod*> pods;
    if (listing.ok())
        for (const store::Stored& item : listing->items)
            pods.push_back(&as<Pod>(static_cast<const KindObject&>(*item.object)));
    return api::check_standing_pods(enforce, request.name, pods);
}

Result<> check_namespace_labels(AdmissionRequest& request, const Objects& objects) {
    const NamespaceSecurity now = api::parse_security_labels(request.object->metadata().labels);
    const NamespaceSecurity before =
        request.before ? api::parse_security_labels(request.before->metadata().labels) : NamespaceSecurity();
    // Labels that were wrong before do not keep other changes from being made.
    if (!now.errors.empty() && !(now.errors.causes() == before.errors.causes()))
        return api::invalid_object(request.kind, request.name, now.errors);
    const bool relaxed = now.enforce.minor == before.enforce.minor && now.enforce.level <= before.enforce.level;
    if (!request.before || !request.warnings || relaxed || now.enforce.level == SecurityLevel::kPrivileged) return {};
    for (std::string& warning : warn_of_standing_pods(request, now.enforce, objects))
        request.warnings->push_back(std::move(warning));
    return {};
}

}  // namespace

Result<> check_security(AdmissionRequest& request, const Objects& objects) {
    if (!request.object || request.subresource == "status") return {};
    if (has_type<Pod>(request.kind)) return check_pod(request, objects);
    if (!request.subresource.empty()) return {};
    if (has_type<Namespace>(request.kind)) return check_namespace_labels(request, objects);
    if (!request.warnings && !request.audit) return {};
    if (const std::optional<PodShape> found = find_template(*request.object))
        tell(request, security_of(request, objects), *found);
    return {};
}

}  // namespace muster::server
