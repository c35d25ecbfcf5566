#include "webhook/certificates/decide.h"

#include <gtest/gtest.h>

namespace muster::webhook {
namespace certificates_decide_test {

const Instant kStart = Instant::from_unix_seconds(1'800'000'000);
constexpr Duration kYear = 8760h;

KeptCertificates fresh() {
    return apply_certificate_step(CertificateStep::kMakeAll, {}, serving_names_of({}), kStart).value();
}

TEST(WebhookCertificates, AreRenewedWhenAThirdOfTheirLifeIsLeft) {
    const KeptCertificates kept = fresh();
    const KeptCertificates other = fresh();
    KeptCertificates later = kept;  // the authority is nine years old, the serving pair is new
    later.serving = server::issue_serving_certificate(kept.authority, serving_names_of({}), kStart + 9 * kYear).value();
    struct Row {
        const char* sentence;
        KeptCertificates kept;
        Instant now;
        CertificateStep step;
    };
    const Row rows[] = {
        {"nothing is there: all is made", {}, kStart, CertificateStep::kMakeAll},
        {"new ones are kept", kept, kStart + 1h, CertificateStep::kKeep},
        {"they are kept for half a year", kept, kStart + kYear / 2, CertificateStep::kKeep},
        {"after two thirds of a year the pair is issued again", kept, kStart + kYear * 7 / 10, CertificateStep::kIssue},
        {"a pair that has expired is issued again", kept, kStart + 2 * kYear, CertificateStep::kIssue},
        {"after two thirds of ten years the authority is renewed", later, kStart + 9 * kYear,
         CertificateStep::kRenewAuthority},
        {"an authority that has expired is of no use", kept, kStart + 11 * kYear, CertificateStep::kMakeAll},
        {"a pair of another authority is issued again",
         {kept.authority, other.serving},
         kStart + 1h,
         CertificateStep::kIssue},
        {"an authority without its key is of no use",
         {{kept.authority.certificate, other.authority.key}, kept.serving},
         kStart + 1h,
         CertificateStep::kMakeAll},
        {"a key that is not the pair's",
         {kept.authority, {kept.serving.certificate, other.serving.key}},
         kStart + 1h,
         CertificateStep::kIssue},
        {"text that is no certificate", {{"x", "y"}, {"x", "y"}}, kStart, CertificateStep::kMakeAll},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.sentence);
        const CertificatePlan plan = decide_certificates(row.kept, serving_names_of({}), row.now);
        EXPECT_EQ(plan.step, row.step);
        // After the step there is nothing left to do.
        const auto made = apply_certificate_step(plan.step, row.kept, serving_names_of({}), row.now);
        ASSERT_TRUE(made.ok());
        const CertificatePlan next = decide_certificates(*made, serving_names_of({}), row.now);
        EXPECT_EQ(next.step, CertificateStep::kKeep);
        EXPECT_GT(next.look_again_at, row.now);
    }
}

TEST(WebhookCertificates, AreIssuedAgainForAnotherService) {
    Identity moved;
    moved.namespace_ = "queues";
    EXPECT_EQ(decide_certificates(fresh(), serving_names_of(moved), kStart + 1h).step, CertificateStep::kIssue);
}

TEST(WebhookCertificates, OfARenewedAuthorityAreTrustedByThoseThatTrustTheOldOne) {
    const KeptCertificates kept = fresh();
    const KeptCertificates renewed =
        apply_certificate_step(CertificateStep::kRenewAuthority, kept, serving_names_of({}), kStart + 7 * kYear)
            .value();
    EXPECT_NE(renewed.authority.certificate, kept.authority.certificate);
    EXPECT_TRUE(server::is_signed_by(renewed.serving.certificate, kept.authority.certificate));
}

TEST(WebhookCertificates, GoThroughTheSecret) {
    const KeptCertificates kept = fresh();
    api::core::Secret secret;
    EXPECT_EQ(read_kept(secret), KeptCertificates());
    write_kept(kept, secret);
    EXPECT_EQ(read_kept(secret), kept);
}

registration::Webhook hook(const char* name, const char* service, const char* bundle) {
    registration::Webhook out;
    out.name = name;
    out.client_config.service.edit().namespace_ = "muster-system";
    out.client_config.service.edit().name = service;
    out.client_config.ca_bundle.bytes = bundle;
    return out;
}

TEST(WebhookAuthority, GoesIntoWebhooksThatPointToMusterAndNoOthers) {
    registration::MutatingWebhookConfiguration configuration;
    configuration.webhooks.edit().push_back(hook("a", "muster-webhook", ""));
    configuration.webhooks.edit().push_back(hook("b", "another", "theirs"));
    const auto changed = with_authority(configuration, {}, "PEM");
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->webhooks[0].client_config.ca_bundle.bytes, "PEM");
    EXPECT_EQ(changed->webhooks[1].client_config.ca_bundle.bytes, "theirs");
    EXPECT_FALSE(with_authority(*changed, {}, "PEM")) << "it is there";
}

TEST(WebhookAuthority, GoesIntoConversionsThatPointToMuster) {
    definition::CustomResourceDefinition definition;
    EXPECT_FALSE(with_authority(definition, {}, "PEM")) << "it needs no conversion";
    registration::ClientConfig& config = definition.spec.conversion.edit().webhook.edit().client_config.edit();
    config.service.edit().namespace_ = "kueue-system";
    config.service.edit().name = "kueue-webhook-service";
    EXPECT_FALSE(with_authority(definition, {}, "PEM")) << "it is Kueue's";
    config.service = {};
    config.url = Text("https://127.0.0.1:9443/convert");
    Identity outside;
    outside.url = "https://127.0.0.1:9443";
    const auto changed = with_authority(definition, outside, "PEM");
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->spec.conversion->webhook->client_config->ca_bundle.bytes, "PEM");
}

}  // namespace certificates_decide_test
}  // namespace muster::webhook
