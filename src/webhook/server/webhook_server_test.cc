#include "webhook/server/webhook_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/remote/remote_client.h"
#include "client/testing/scripted_server.h"
#include "os/http/client/http_client.h"
#include "os/testing/tls_certificates.h"

namespace muster::webhook {
namespace webhook_server_test {

using client::ScriptedServer;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kEndOfList =
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}})"
    "\n";

// An API server with empty lists, and one Job that the mirrors do not show.
struct WebhookServerTest : testing::Test {
    WebhookServerTest() {
        api_server.answer_all = [this](const os::HttpRequest& request) -> ScriptedServer::Answer {
            if (request.target.find("watch=true") != std::string::npos) return {.body = kEndOfList, .stays_open = true};
            if (request.target == "/apis/batch/v1/namespaces/team/jobs/j") return job;
            return {.status = 404, .body = R"({"kind":"Status","reason":"NotFound","code":404})"};
        };
        reader = client::RemoteClient::make(loop, api_server.access(), {}).value();
    }

    void start(bool synced = true) {
        WebhookServerOptions options;
        options.listen = {"127.0.0.1", 0};
        options.review.own_user = "muster";
        server = WebhookServer::start(loop, *reader, metrics, options, authority.sign_server()).value();
        if (synced) loop.run(wait_ready(*server, loop));
        connect();
    }
    void connect() {
        os::HttpClientSettings settings;
        settings.origin = os::parse_origin("https://127.0.0.1:" + std::to_string(server->address().port)).value();
        settings.tls.server_authorities = trusted;
        peer = os::make_http_client(loop, network, worker, settings).value();
    }
    static os::Task<void> wait_ready(const WebhookServer& server, os::Loop& loop) {
        while (!server.ready()) co_await os::sleep_for(loop, 1ms);
    }
    // Status and body of the answer.
    std::string ask(const char* method, const char* target, std::string body, const char* type = "application/json") {
        os::HttpClientRequest request(method, target);
        request.headers.push_back({"Content-Type", type});
        request.body = std::move(body);
        const auto answer = loop.run(peer->send(std::move(request)));
        if (!answer.ok()) return format_error(answer.error());
        return std::to_string(answer->head.status) + " " + answer->body;
    }
    std::string ask_about_pod(const char* target, const char* more = "") {
        return ask("POST", target,
                   std::string(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1",)"
                               R"("kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"",)"
                               R"("version":"v1","resource":"pods"},"namespace":"team","operation":"CREATE",)"
                               R"("userInfo":{"username":"system:kube-controller-manager"},"object":{"metadata":)"
                               R"({"name":"p","namespace":"team","labels":{"kueue.x-k8s.io/queue-name":"q"})") +
                       more + R"(},"spec":{"containers":[{"name":"c"}]}}}})");
    }
    static constexpr const char* kOfJob =
        R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u-j","controller":true}])";

    ScriptedServer::Answer job{
        .body =
            R"({"metadata":{"name":"j","namespace":"team","uid":"u-j","labels":{"kueue.x-k8s.io/queue-name":"q"}}})"};
    os::TestAuthority authority{"webhook-ca"};
    std::string trusted = authority.certificate();
    ScriptedServer api_server;
    os::RealLoop loop;
    os::LinuxNetwork network{loop};
    os::ThreadWorker worker{"names"};
    client::Metrics metrics;
    std::unique_ptr<client::RemoteClient> reader;
    std::unique_ptr<WebhookServer> server;
    std::unique_ptr<os::HttpClient> peer;
};

TEST_F(WebhookServerTest, AnswersAReviewWithAPatch) {
    start();
    const std::string answer = ask_about_pod("/mutate?timeout=5s");
    EXPECT_THAT(answer, HasSubstr(R"(200 {"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",)"));
    EXPECT_THAT(answer, HasSubstr(R"("uid":"u1","allowed":true,"patch":")"));
    EXPECT_THAT(answer, HasSubstr(R"("patchType":"JSONPatch")"));
    EXPECT_THAT(ask_about_pod("/validate"), HasSubstr(R"("allowed":true)"));
}

TEST_F(WebhookServerTest, ReadsAnOwnerThatTheMirrorsDoNotShowYet) {
    start();
    EXPECT_THAT(ask_about_pod("/mutate", kOfJob), Not(HasSubstr("patch"))) << "the pod would be gated twice";
    EXPECT_THAT(api_server.asked(), Contains("GET /apis/batch/v1/namespaces/team/jobs/j"));
}

TEST_F(WebhookServerTest, AnswersThatItFailedWhenWhatItNeedsCannotBeRead) {
    job = {.status = 500, .body = R"({"kind":"Status","reason":"InternalError","code":500})"};
    start();
    EXPECT_THAT(ask_about_pod("/mutate", kOfJob), HasSubstr("500 an object that the review needs cannot be read: Job"));
}

TEST_F(WebhookServerTest, AnswersNoReviewBeforeItHasSeenTheCluster) {
    api_server.answer_all = [](const os::HttpRequest&) -> ScriptedServer::Answer {
        return {.body = "", .stays_open = true};
    };
    start(false);
    EXPECT_FALSE(server->ready());
    EXPECT_EQ(ask_about_pod("/mutate"), "500 Muster has not read the cluster's objects yet");
    // A conversion needs nothing of it.
    EXPECT_THAT(ask("POST", "/convert",
                    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u",)"
                    R"("desiredAPIVersion":"kueue.x-k8s.io/v1beta2","objects":[]}})"),
                HasSubstr(R"("status":"Success")"));
}

TEST_F(WebhookServerTest, RefusesWhatIsNoReview) {
    start();
    EXPECT_THAT(ask("GET", "/mutate", ""), HasSubstr("405 "));
    EXPECT_THAT(ask("POST", "/other", "{}"), HasSubstr("404 "));
    EXPECT_THAT(ask("POST", "/mutate", "{}", "text/plain"), HasSubstr("415 "));
    EXPECT_THAT(ask("POST", "/mutate", "{"), HasSubstr("400 "));
    EXPECT_THAT(ask("POST", "/mutate", R"({"kind":"Pod","apiVersion":"v1"})"),
                HasSubstr("400 the body is no AdmissionReview of admission.k8s.io/v1"));
}

TEST_F(WebhookServerTest, ServesWithARenewedCertificateWithoutARestart) {
    start();
    const os::TestAuthority renewed("renewed-ca");
    EXPECT_FALSE(server->replace_certificate({"no certificate", "no key"}).ok());
    ASSERT_TRUE(server->replace_certificate(renewed.sign_server()).ok());
    trusted = renewed.certificate();
    connect();
    EXPECT_THAT(ask_about_pod("/mutate"), HasSubstr(R"("allowed":true)"));
}

}  // namespace webhook_server_test
}  // namespace muster::webhook
