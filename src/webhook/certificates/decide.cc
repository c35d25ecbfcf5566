#include "webhook/certificates/decide.h"

#include <algorithm>

namespace muster::webhook {
namespace {

using api::core::Secret;
using server::Certificate;

constexpr const char* kServingCertificate = "tls.crt";
constexpr const char* kServingKey = "tls.key";
constexpr const char* kAuthorityCertificate = "ca.crt";
constexpr const char* kAuthorityKey = "ca.key";

std::string entry_of(const Secret& secret, const char* key) {
    const api::Bytes* found = secret.data.find(key);
    return found ? found->bytes.str() : std::string();
}

bool is_usable_authority(const Certificate& authority, Instant now) {
    const auto facts = server::read_certificate(authority.certificate);
    return facts.ok() && facts->is_authority && facts->not_before <= now && now < facts->not_after &&
           server::is_pair(authority);
}

bool is_our_service(const registration::ClientConfig& config, const Identity& identity) {
    return config.service && config.service->namespace_ == identity.namespace_ &&
           config.service->name == identity.service;
}
// Of a configuration of our name: a URL is that of a process outside the cluster.
bool is_our_hook(const registration::ClientConfig& config, const Identity& identity) {
    return config.service ? is_our_service(config, identity) : config.url.has_value();
}
bool is_our_conversion(const registration::ClientConfig& config, const Identity& identity) {
    if (config.service) return is_our_service(config, identity);
    return config.url && !identity.url.empty() && config.url->view().starts_with(identity.url + "/");
}

bool trusts(const registration::ClientConfig& config, std::string_view authority) {
    return config.ca_bundle.bytes == authority;
}

template <class Configuration>
std::optional<Configuration> configuration_with(const Configuration& configuration, const Identity& identity,
                                                std::string_view authority) {
    const auto lacks = [&](const registration::Webhook& hook) {
        return is_our_hook(hook.client_config, identity) && !trusts(hook.client_config, authority);
    };
    if (std::none_of(configuration.webhooks.begin(), configuration.webhooks.end(), lacks)) return std::nullopt;
    Configuration changed = configuration;
    for (registration::Webhook& hook : changed.webhooks.edit())
        if (lacks(hook)) hook.client_config.ca_bundle.bytes = Text(authority);
    return changed;
}

}  // namespace

KeptCertificates read_kept(const Secret& secret) {
    return {{entry_of(secret, kAuthorityCertificate), entry_of(secret, kAuthorityKey)},
            {entry_of(secret, kServingCertificate), entry_of(secret, kServingKey)}};
}

void write_kept(const KeptCertificates& kept, Secret& secret) {
    secret.data.set(kAuthorityCertificate, api::Bytes{Text(kept.authority.certificate)});
    secret.data.set(kAuthorityKey, api::Bytes{Text(kept.authority.key)});
    secret.data.set(kServingCertificate, api::Bytes{Text(kept.serving.certificate)});
    secret.data.set(kServingKey, api::Bytes{Text(kept.serving.key)});
}

CertificatePlan decide_certificates(const KeptCertificates& kept, const server::ServingNames& names, Instant now) {
    if (!is_usable_authority(kept.authority, now)) return {CertificateStep::kMakeAll, {}};
    if (server::needs_renewal(kept.authority.certificate, now)) return {CertificateStep::kRenewAuthority, {}};
    const std::string& serving = kept.serving.certificate;
    const bool good = !server::needs_renewal(serving, now) && server::is_pair(kept.serving) &&
                      server::is_signed_by(serving, kept.authority.certificate) && server::has_names(serving, names);
    if (!good) return {CertificateStep::kIssue, {}};
    const auto due = [](const std::string& pem) { return server::renewal_time(server::read_certificate(pem).value()); };
    return {CertificateStep::kKeep, std::min(due(serving), due(kept.authority.certificate))};
}

Result<KeptCertificates> apply_certificate_step(CertificateStep step, const KeptCertificates& kept,
                                                const server::ServingNames& names, Instant now) {
    if (step == CertificateStep::kKeep) return kept;
    KeptCertificates made = kept;
    if (step == CertificateStep::kMakeAll) made.authority = server::make_authority("muster-webhook-ca", now);
    if (step == CertificateStep::kRenewAuthority) {
        TRY_ASSIGN(made.authority, server::renew_authority(kept.authority, now));
    }
    TRY_ASSIGN(made.serving, server::issue_serving_certificate(made.authority, names, now));
    return made;
}

server::ServingNames serving_names_of(const Identity& identity) {
    server::ServingNames names;
    names.of_api_server = false;
    names.common_name = "muster-webhook";
    const std::string full = identity.service + "." + identity.namespace_ + ".svc";
    names.host_names = {identity.service + "." + identity.namespace_, full, full + ".cluster.local"};
    return names;
}

std::optional<registration::MutatingWebhookConfiguration> with_authority(
    const registration::MutatingWebhookConfiguration& configuration, const Identity& identity,
    std::string_view authority) {
    return configuration_with(configuration, identity, authority);
}

std::optional<registration::ValidatingWebhookConfiguration> with_authority(
    const registration::ValidatingWebhookConfiguration& configuration, const Identity& identity,
    std::string_view authority) {
    return configuration_with(configuration, identity, authority);
}

std::optional<definition::CustomResourceDefinition> with_authority(
    const definition::CustomResourceDefinition& definition, const Identity& identity, std::string_view authority) {
    const auto& conversion = definition.spec.conversion;
    if (!conversion || !conversion->webhook || !conversion->webhook->client_config) return std::nullopt;
    const registration::ClientConfig& config = *conversion->webhook->client_config;
    if (!is_our_conversion(config, identity) || trusts(config, authority)) return std::nullopt;
    definition::CustomResourceDefinition changed = definition;
    changed.spec.conversion.edit().webhook.edit().client_config.edit().ca_bundle.bytes = Text(authority);
    return changed;
}

}  // namespace muster::webhook
