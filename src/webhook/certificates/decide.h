// What is to be done with the certificates that Muster manages itself: an authority of ten years and a serving pair of
// one, both in one Secret, each renewed when a third of its life is left. And which webhooks must trust that authority.
// Pure functions; `now` is an argument. Making keys is apply_certificate_step's, which needs OpenSSL's entropy.
#pragma once

#include <optional>
#include <string_view>

#include "api/kinds/core/config.h"
#include "server/identity/certificate_authority.h"
#include "webhook/certificates/kinds.h"
#include "webhook/objects/names.h"

namespace muster::webhook {

// What the Secret holds, under tls.crt, tls.key, ca.crt and ca.key; empty texts where it does not.
struct KeptCertificates {
    server::Certificate authority{};
    server::Certificate serving{};
    bool operator==(const KeptCertificates&) const = default;
};
KeptCertificates read_kept(const api::core::Secret& secret);
void write_kept(const KeptCertificates& kept, api::core::Secret& secret);

enum class CertificateStep {
    kKeep,
    kIssue,           // a serving pair by the authority that is there
    kRenewAuthority,  // with its key, so that what it signed stays good; then kIssue
    kMakeAll,         // there is nothing that could be used
};
struct CertificatePlan {
    CertificateStep step = CertificateStep::kKeep;
    Instant look_again_at{};  // when the next renewal is due, if the step is kKeep
};
// `names`: what the serving certificate must be good for.
CertificatePlan decide_certificates(const KeptCertificates& kept, const server::ServingNames& names, Instant now);
Result<KeptCertificates> apply_certificate_step(CertificateStep step, const KeptCertificates& kept,
                                                const server::ServingNames& names, Instant now);

// The names of a Service in front of the webhook servers.
server::ServingNames serving_names_of(const Identity& identity);

// The object with the authority in those of its webhooks that are Muster's; nothing when all of them have it.
std::optional<registration::MutatingWebhookConfiguration> with_authority(
    const registration::MutatingWebhookConfiguration& configuration, const Identity& identity,
    std::string_view authority);
std::optional<registration::ValidatingWebhookConfiguration> with_authority(
    const registration::ValidatingWebhookConfiguration& configuration, const Identity& identity,
    std::string_view authority);
std::optional<definition::CustomResourceDefinition> with_authority(
    const definition::CustomResourceDefinition& definition, const Identity& identity, std::string_view authority);

}  // namespace muster::webhook
