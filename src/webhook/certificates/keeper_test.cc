#include "webhook/certificates/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/base64.h"
#include "api/codec/encode.h"
#include "client/remote/remote_client.h"
#include "client/testing/scripted_server.h"

namespace muster::webhook {
namespace keeper_test {

using client::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kAbsent = R"({"kind":"Status","reason":"NotFound","code":404})";
constexpr const char* kHooks =
    R"({"metadata":{"name":"muster","resourceVersion":"7"},"webhooks":[{"name":"a","clientConfig":{"service":)"
    R"({"namespace":"muster-system","name":"muster-webhook","path":"/mutate"}},"rules":[{"x":1}]}]})";

struct KeeperTest : testing::Test {
    KeeperTest() {
        api_server.answer_all = [this](const os::HttpRequest& request) -> ScriptedServer::Answer {
            if (request.method == "POST" || request.method == "PATCH") return {.body = request.body};
            if (request.target.ends_with("/secrets/muster-webhook-certificate") && !secret.empty())
                return {.body = secret};
            if (request.target.ends_with("/mutatingwebhookconfigurations/muster")) return {.body = hooks};
            return {.status = 404, .body = kAbsent};
        };
        writer = client::RemoteClient::make(loop, api_server.access(), {}).value();
    }
    std::string body_of(std::string_view start) const {
        const std::vector<std::string> asked = api_server.asked();
        for (std::size_t i = 0; i < asked.size(); ++i)
            if (asked[i].starts_with(start)) return api_server.request(i).body;
        return {};
    }

    std::string secret;
    std::string hooks = kHooks;
    ScriptedServer api_server;
    os::RealLoop loop;
    std::unique_ptr<client::RemoteClient> writer;
};

TEST_F(KeeperTest, MakesTheSecretAndThenWritesTheAuthorityIntoTheWebhooks) {
    CertificateKeeper keeper(loop, *writer, {});
    const Result<> kept = loop.run(keeper.look_once());
    ASSERT_TRUE(kept.ok()) << kept.error().message;
    EXPECT_THAT(
        api_server.asked(),
        ElementsAre("GET /api/v1/namespaces/muster-system/secrets/muster-webhook-certificate",
                    StartsWith("POST /api/v1/namespaces/muster-system/secrets?"),
                    "GET /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/muster",
                    StartsWith("PATCH /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/muster?"),
                    "GET /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/muster",
                    "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterqueues.kueue.x-k8s.io",
                    "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/cohorts.kueue.x-k8s.io",
                    "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/localqueues.kueue.x-k8s.io",
                    "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/workloads.kueue.x-k8s.io"));
    EXPECT_THAT(body_of("POST"), HasSubstr(R"("tls.crt":)"));
    const std::string patch = body_of("PATCH");
    EXPECT_THAT(patch, HasSubstr(R"("caBundle":")"));
    EXPECT_THAT(patch, HasSubstr(R"("name":"a")"));
    EXPECT_THAT(patch, HasSubstr(R"("resourceVersion":"7")"));
    EXPECT_THAT(patch, Not(HasSubstr("rules"))) << "only what changes is sent";
}

TEST_F(KeeperTest, WritesNothingWhileAllIsWell) {
    const KeptCertificates made =
        apply_certificate_step(CertificateStep::kMakeAll, {}, serving_names_of({}), loop.now()).value();
    api::core::Secret kept;
    kept.metadata.name = kCertificateSecret;
    kept.metadata.namespace_ = "muster-system";
    write_kept(made, kept);
    secret = api::to_json(kept);
    std::string bundle;
    api::append_base64(made.authority.certificate, bundle);
    hooks.replace(hooks.find(R"("service")"), 0, R"("caBundle":")" + bundle + R"(",)");
    CertificateKeeper keeper(loop, *writer, {});
    ASSERT_TRUE(loop.run(keeper.look_once()).ok());
    for (const std::string& asked : api_server.asked()) EXPECT_THAT(asked, StartsWith("GET "));
}

}  // namespace keeper_test
}  // namespace muster::webhook
