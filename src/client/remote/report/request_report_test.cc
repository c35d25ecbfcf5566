#include "client/remote/report/request_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/remote/transport.h"
#include "client/testing/scripted_server.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"
#include "os/testing/log_capture.h"

namespace muster::client {
namespace request_report_test {

using testing::ElementsAre;
using testing::HasSubstr;

os::HttpClientRequest a_request() {
    os::HttpClientRequest request("PUT", "/api/v1/namespaces/x/secrets/s?fieldManager=muster");
    request.headers.push_back({"Authorization", "Bearer not-to-be-told"});
    request.body = "the-value-of-a-secret";
    return request;
}

TEST(RequestReport, LogsRequestsAsKubectlDoes) {
    RequestReport report(nullptr, "https://10.0.0.1:6443/");
    os::LogCapture log(6);
    report.answered(a_request(), 200, 12ms, 345);
    report.opened(a_request(), 410, 3ms);
    report.failed(a_request(), Error{Code::kTimeout, "too late"}, 60s);
    EXPECT_THAT(log.lines(),
                ElementsAre(R"(I "Response" verb="PUT" url="https://10.0.0.1:6443/api/v1/namespaces/x/secrets/s?)"
                            R"(fieldManager=muster" status="200 OK" milliseconds=12)",
                            R"(I "Response" verb="PUT" url="https://10.0.0.1:6443/api/v1/namespaces/x/secrets/s?)"
                            R"(fieldManager=muster" status="410 Gone" milliseconds=3)",
                            R"(I "Request failed" verb="PUT" url="https://10.0.0.1:6443/api/v1/namespaces/x/secrets/s?)"
                            R"(fieldManager=muster" err="too late" milliseconds=60000)"));
}

TEST(RequestReport, SizesComeWithVerbosityEightAndBodiesNever) {
    RequestReport report(nullptr, "https://10.0.0.1:6443");
    os::LogCapture log(10);
    report.answered(a_request(), 200, 12ms, 345);
    ASSERT_EQ(log.lines().size(), 1u);
    EXPECT_THAT(log.lines()[0], HasSubstr("milliseconds=12 requestBytes=21 responseBytes=345"));
    EXPECT_FALSE(log.has("the-value-of-a-secret"));
    EXPECT_FALSE(log.has("not-to-be-told"));
}

TEST(RequestReport, AServersUrlIsShownWithoutUserAndPassword) {
    EXPECT_EQ(RequestReport::shown_server("https://me:secret@h:1/p/"), "https://h:1/p");
    EXPECT_EQ(RequestReport::shown_server("https://h:1"), "https://h:1");
    EXPECT_EQ(RequestReport::shown_server("https://h/a@b"), "https://h/a@b");
}

TEST(RequestReport, CountsUnderTheNamesOfClientGo) {
    Metrics metrics;
    RequestReport report(&metrics, "https://10.0.0.1:6443/prefix");
    report.waited("PUT", 200ms);
    report.answered(a_request(), 200, 12ms, 345);
    report.answered(a_request(), 200, 300ms, 345);
    report.opened(a_request(), 200, 3ms);
    report.failed(a_request(), Error{Code::kTimeout, "too late"}, 60s);
    const std::string text = metrics.format();
    EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="200",host="10.0.0.1:6443",method="PUT"} 3)"));
    EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="<error>",host="10.0.0.1:6443",method="PUT"} 1)"));
    EXPECT_THAT(text, HasSubstr(R"(rest_client_request_duration_seconds_count{host="10.0.0.1:6443",verb="PUT"} 2)"));
    EXPECT_THAT(
        text,
        HasSubstr(R"(rest_client_request_duration_seconds_bucket{host="10.0.0.1:6443",verb="PUT",le="0.025"} 1)"));
    EXPECT_THAT(text,
                HasSubstr(R"(rest_client_rate_limiter_duration_seconds_count{host="10.0.0.1:6443",verb="PUT"} 1)"));
}

TEST(RequestReport, ATransportReportsEveryTryAndNoCredentials) {
    ScriptedServer server;
    os::RealLoop loop;
    os::LinuxNetwork network{loop};
    os::ThreadWorker worker{"access"};
    Metrics metrics;
    const os::LogCapture log(10);
    ServerAccess access = server.access();
    access.token = "not-to-be-told";
    TransportSettings settings;
    settings.metrics = &metrics;
    auto transport = Transport::make(loop, network, worker, access, std::move(settings)).value();
    EXPECT_EQ(transport->check_credentials().error().code, Code::kUnavailable);
    server.then({.status = 429, .headers = {{"Retry-After", "1"}}});
    server.then({.status = 201});
    ASSERT_TRUE(loop.run(transport->send(os::HttpClientRequest("POST", "/a"), RequestClass::kStatus)).ok());
    EXPECT_TRUE(transport->check_credentials().ok());
    server.answer_all = [](const os::HttpRequest&) { return ScriptedServer::Answer{.status = 401}; };
    ASSERT_TRUE(loop.run(transport->send(os::HttpClientRequest("GET", "/b"), RequestClass::kStatus)).ok());
    EXPECT_EQ(transport->check_credentials().error().code, Code::kUnauthorized);
    EXPECT_THAT(metrics.format(), HasSubstr("rest_client_requests_total{code=\"429\""));
    EXPECT_THAT(metrics.format(), HasSubstr("rest_client_requests_total{code=\"201\""));
    EXPECT_TRUE(log.has("status=\"201 Created\""));
    EXPECT_FALSE(log.has("not-to-be-told"));
}

}  // namespace request_report_test
}  // namespace muster::client
