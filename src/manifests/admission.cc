// What stands at the door of the queues: webhook configurations, with cert-manager's objects where it makes the
// certificates, or admission policies. What they say is in webhook/objects.
#include <vector>

#include "assembly/permissions.h"
#include "manifests/objects.h"
#include "webhook/objects/policies.h"

namespace muster::manifests {
namespace {

constexpr const char* kCertManager = "cert-manager.io/v1";

// A certificate for the webhook's service, signed by itself, in the Secret that the pods mount.
Objects certificate_objects(const Plan& plan) {
    const webhook::Identity identity = identity_of(plan);
    Object issuer = new_object(kCertManager, "Issuer", identity.service, plan.home());
    issuer["spec"] = Object{{"selfSigned", Object{}}};
    const std::string host = identity.service + "." + plan.home() + ".svc";
    Object certificate = new_object(kCertManager, "Certificate", identity.service, plan.home());
    certificate["spec"] = Object{{"secretName", std::string(kWebhookSecret)},
                                 {"dnsNames", texts({host, host + ".cluster.local"})},
                                 {"issuerRef", {{"kind", "Issuer"}, {"name", identity.service}}}};
    return {issuer, certificate};
}

// The labels that all objects of an installation have.
void add_labels(Object& object) {
    Object& metadata = object["metadata"].as_object();
    if (!metadata.contains("labels")) metadata["labels"] = Object{};
    const Object labelled = new_object("", "", "");
    for (const auto& [key, value] : labelled.at("metadata").at("labels").as_object())
        metadata["labels"].as_object()[key] = value;
}

// The policy that gives Jobs to Muster, and its binding.
bool is_about_managers(const Object& object) {
    return object.at("metadata").at("name").as_string().starts_with("muster-jobs-managed-by");
}

}  // namespace

webhook::ConfigurationOptions webhook_options(const Plan& plan) {
    webhook::ConfigurationOptions options;
    options.identity = identity_of(plan);
    if (plan.certificates == Certificates::kCertManager)
        options.inject_authority_from = plan.home() + "/" + options.identity.service;
    return options;
}

Objects admission_objects(const Plan& plan) {
    Objects all;
    if (plan.has_policies()) {
        all = webhook::admission_policies({.identity = identity_of(plan)});
        if (!plan.queues()) std::erase_if(all, [](const Object& object) { return !is_about_managers(object); });
    } else {
        if (plan.certificates == Certificates::kCertManager) all = certificate_objects(plan);
        for (Object& object : webhook::webhook_configurations(webhook_options(plan))) all.push_back(std::move(object));
    }
    for (Object& object : all) add_labels(object);
    return all;
}

}  // namespace muster::manifests
