// The parts of webhook configurations and of CustomResourceDefinitions that name an authority and an address.
// The rest of these objects is kept as it was read (api/schema/residue.h). Muster's own server does not have these
// kinds.
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"

namespace muster::webhook::registration {

inline constexpr const char* kPackage = "io.k8s.api.admissionregistration.v1";
inline constexpr const char* kGroup = "admissionregistration.k8s.io";
inline constexpr const char* kVersion = "v1";

struct ServiceReference {
    TYPE(ServiceReference, "A Service in front of a webhook.")
    FIELD(1, Text, namespace_, "Its namespace.", .required = true)
    FIELD(2, Text, name, "Its name.", .required = true)
};

struct ClientConfig {
    TYPE(ClientConfig, "Where a webhook is, and the authority of its certificate.")
    FIELD(1, Box<ServiceReference>, service, "The Service, when it is one.")
    FIELD(2, api::Bytes, ca_bundle, "The authorities, as PEM.")
    FIELD(3, std::optional<Text>, url, "The address, when it is no Service.")
};

struct Webhook {
    TYPE(Webhook, "One webhook.")
    FIELD(1, Text, name, "Its name.", .required = true)
    FIELD(2, ClientConfig, client_config, "Where it is.", .required = true)
};

struct MutatingWebhookConfiguration {
    KIND(MutatingWebhookConfiguration, "Webhooks that change writes.", .plural = "mutatingwebhookconfigurations",
         .namespaced = false)
    FIELD(1, api::meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, List<Webhook>, webhooks, "The webhooks.", .patch = api::Patch::kMerge, .merge_key = "name",
          .list = api::ListKind::kMap)
};

struct ValidatingWebhookConfiguration {
    KIND(ValidatingWebhookConfiguration, "Webhooks that refuse writes.", .plural = "validatingwebhookconfigurations",
         .namespaced = false)
    FIELD(1, api::meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, List<Webhook>, webhooks, "The webhooks.", .patch = api::Patch::kMerge, .merge_key = "name",
          .list = api::ListKind::kMap)
};

}  // namespace muster::webhook::registration

namespace muster::webhook::definition {

inline constexpr const char* kPackage = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
inline constexpr const char* kGroup = "apiextensions.k8s.io";
inline constexpr const char* kVersion = "v1";

struct WebhookConversion {
    TYPE(WebhookConversion, "The webhook that converts.")
    FIELD(2, Box<registration::ClientConfig>, client_config, "Where it is.")
};

struct CustomResourceConversion {
    TYPE(CustomResourceConversion, "How objects are converted between versions.")
    FIELD(1, Text, strategy, "None or Webhook.", .required = true)
    FIELD(2, Box<WebhookConversion>, webhook, "The webhook that converts.")
};

struct CustomResourceDefinitionSpec {
    TYPE(CustomResourceDefinitionSpec, "What the kind is like.")
    FIELD(9, Box<CustomResourceConversion>, conversion, "How objects are converted between versions.")
};

struct CustomResourceDefinition {
    KIND(CustomResourceDefinition, "A kind that is defined at run time.", .plural = "customresourcedefinitions",
         .namespaced = false)
    FIELD(1, api::meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, CustomResourceDefinitionSpec, spec, "What the kind is like.", .required = true)
};

}  // namespace muster::webhook::definition
