// Over real HTTP: the endpoints on a loop of their own, and a client on this thread.
#include "endpoints/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "client/metrics.h"
#include "client/remote/remote_client.h"
#include "client/testing/scripted_server.h"
#include "os/loop/real_loop.h"
#include "os/testing/raw_client.h"
#include "os/testing/tls_certificates.h"

namespace muster::endpoints {
namespace endpoints_test {

using testing::HasSubstr;

// An API server that knows the token "prometheus", whose user may get /metrics alone.
client::ScriptedServer::Answer answer_review(const os::HttpRequest& request) {
    if (request.target.find("tokenreviews") != std::string::npos) {
        const bool known = request.body.find("\"token\":\"prometheus\"") != std::string::npos;
        return {201, known ? R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{},
                                 "status":{"authenticated":true,"user":{"username":"p","groups":["g"]}}})"
                           : R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{},"status":{}})"};
    }
    const bool allowed = request.body.find("\"path\":\"/metrics\"") != std::string::npos &&
                         request.body.find("\"groups\":[\"g\"]") != std::string::npos;
    return {201, std::string(R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{},)") +
                     R"("status":{"allowed":)" + (allowed ? "true" : "false") + "}}"};
}

class EndpointsTest : public testing::Test {
protected:
    void start(MetricsAuth auth = MetricsAuth::kToken) {
        server_.answer_all = answer_review;
        thread_ = std::thread([this, auth] {
            client::Metrics metrics;
            metrics.count({"muster_test_total", "A test."}, {}, 7);
            auto reviewer = client::RemoteClient::make(loop_, server_.access());
            EndpointsOptions options;
            options.health = os::Address("127.0.0.1", 0);
            options.metrics = os::Address("127.0.0.1", 0);
            options.auth = auth;
            options.identity = authority_.sign_server();
            options.metrics_text = [&metrics] { return metrics.format(); };
            options.inspect = [](std::string_view topic) {
                client::Inspection::Rows rows;
                if (topic == client::kQueuesTopic) rows.push_back({{"queue", "job"}, {"ready", 3}});
                return rows;
            };
            options.ready = {{"mirrors", [this] {
                                  return synced_ ? Result<>() : Result<>(Error{Code::kUnavailable, "not yet"});
                              }}};
            auto endpoints = Endpoints::start(loop_, reviewer->get(), std::move(options));
            ASSERT_TRUE(endpoints.ok()) << endpoints.error().message;
            health_ = *(*endpoints)->health_address();
            metrics_ = *(*endpoints)->metrics_address();
            started_.set();
            loop_.run();
        });
        ASSERT_TRUE(started_.wait());
    }
    ~EndpointsTest() override {
        if (!thread_.joinable()) return;
        loop_.stop();
        thread_.join();
    }

    os::RawResponse health(std::string_view target) {
        os::RawClient client(health_);
        return client.get(target).value_or(os::RawResponse());
    }
    os::RawResponse metrics(std::string_view target, std::string_view headers = {}) {
        os::RawClient client(metrics_, *os::make_client_context({.server_authorities = authority_.certificate()}));
        EXPECT_TRUE(client.connected()) << client.error();
        return client.get(target, headers).value_or(os::RawResponse());
    }

    os::TestAuthority authority_{"endpoints-ca"};
    client::ScriptedServer server_;
    os::RealLoop loop_;
    std::thread thread_;
    os::Signal started_;
    std::atomic<bool> synced_{false};
    os::Address health_;
    os::Address metrics_;
};

TEST_F(EndpointsTest, HealthIsPlainHttpForEveryone) {
    start();
    EXPECT_EQ(health("/livez").body, "ok");
    EXPECT_EQ(health("/readyz").status, 500);
    EXPECT_EQ(health("/readyz").body,
              "[+]ping ok\n[+]loop ok\n[-]mirrors failed: reason withheld\nreadyz check failed\n");
    EXPECT_EQ(health("/livez").status, 200) << "one that does not lead is alive";
    synced_ = true;
    EXPECT_EQ(health("/readyz").body, "ok");
    EXPECT_EQ(health("/healthz?verbose").body, "[+]ping ok\n[+]loop ok\n[+]mirrors ok\nhealthz check passed\n");
    EXPECT_EQ(health("/metrics").status, 404);
    EXPECT_EQ(health("/").status, 404);
}

TEST_F(EndpointsTest, LivezIsAnsweredWithoutTheLoop) {
    start();
    os::Signal hangs;
    os::Signal goes_on;
    os::Signal done;
    loop_.post([&] {
        hangs.set();
        goes_on.wait();
        done.set();
    });
    ASSERT_TRUE(hangs.wait());
    EXPECT_EQ(health("/livez").body, "ok") << "ten seconds have not passed, and the answer comes all the same";
    goes_on.set();
    ASSERT_TRUE(done.wait()) << "the loop uses the signals until then";
}

TEST_F(EndpointsTest, MetricsAreForWhoMayReadThem) {
    start();
    const os::RawResponse read = metrics("/metrics", "Authorization: Bearer prometheus\r\n");
    EXPECT_EQ(read.status, 200);
    EXPECT_THAT(read.body, HasSubstr("muster_test_total 7"));
    EXPECT_THAT(read.header("Content-Type"), HasSubstr("text/plain; version=0.0.4"));
    EXPECT_EQ(metrics("/metrics").status, 401);
    EXPECT_EQ(metrics("/metrics").header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(metrics("/metrics", "Authorization: Bearer stolen\r\n").status, 401);
    EXPECT_EQ(metrics("/debug/queues", "Authorization: Bearer prometheus\r\n").status, 403);
    EXPECT_EQ(metrics("/debug/secrets", "Authorization: Bearer prometheus\r\n").status, 404);
}

TEST_F(EndpointsTest, WithoutAuthorizationEveryoneMayRead) {
    start(MetricsAuth::kNone);
    EXPECT_EQ(metrics("/metrics").status, 200);
    EXPECT_THAT(metrics("/debug/queues").body, HasSubstr("\"items\":[\n{\"queue\":\"job\",\"ready\":3}\n]}"));
    EXPECT_THAT(metrics("/debug/unseen").body, HasSubstr("\"items\":[]}"));
    EXPECT_TRUE(server_.asked().empty());
}

TEST_F(EndpointsTest, OnlyReadsAreServedAndBodiesAreNotTaken) {
    start(MetricsAuth::kNone);
    os::RawClient poster(health_);
    poster.send("POST /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(poster.read_response()->status, 405);
    os::RawClient large(health_);
    large.send("POST /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n");
    EXPECT_EQ(large.read_response()->status, 413) << "before any of the body";
    EXPECT_TRUE(large.closed_by_peer());
}

TEST_F(EndpointsTest, ManySlowClientsHoldUpNoOne) {
    start();
    std::vector<std::unique_ptr<os::RawClient>> slow;
    for (int i = 0; i < 60; ++i) {
        slow.push_back(std::make_unique<os::RawClient>(health_));
        slow.back()->send("GET /livez HT");
    }
    EXPECT_EQ(health("/livez").body, "ok");
}

TEST(EndpointsOptions, FlagsThatSayNothingSensibleAreNamed) {
    EXPECT_EQ(parse_metrics_auth("basic").error().message, "--metrics-auth is token or none, not \"basic\"");
    EXPECT_EQ(*parse_metrics_auth("none"), MetricsAuth::kNone);
    EXPECT_FALSE(*parse_bind_address("--health-bind-address", "0"));
    EXPECT_FALSE(*parse_bind_address("--health-bind-address", ""));
    EXPECT_EQ((*parse_bind_address("--health-bind-address", ":8081"))->port, 8081);
    EXPECT_EQ((*parse_bind_address("--health-bind-address", "127.0.0.1:81"))->host, "127.0.0.1");
    EXPECT_THAT(parse_bind_address("--health-bind-address", "here").error().message,
                testing::StartsWith("--health-bind-address: "));
}

}  // namespace endpoints_test
}  // namespace muster::endpoints
