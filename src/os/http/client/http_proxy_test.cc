// The HTTP client through proxies of every sort.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/http/client/http_client.h"
#include "os/loop/thread_worker.h"
#include "os/testing/http_fixture.h"
#include "os/testing/test_proxy.h"

namespace muster::os {
namespace http_proxy_test {

using testing::HasSubstr;

struct HttpProxyTest : testing::Test {
    HttpProxyTest() {
        fixture.start();
        settings.origin.host = "127.0.0.1";
        settings.origin.port = fixture.server->address().port;
        settings.tls.server_authorities = fixture.authority.certificate();
        settings.proxy_tls.server_authorities = proxy_authority.certificate();
    }
    TlsContext proxy_context() const {
        return make_server_context(TlsServerSettings{.identity = proxy_authority.sign_server()}).value();
    }
    void use(const std::string& url) {
        settings.proxy = parse_proxy(url).value();
        client = make_http_client(loop, network, worker, settings).value();
    }
    Result<HttpWholeAnswer> get(const std::string& target) {
        return loop.run(client->send(HttpClientRequest("GET", target)));
    }
    std::string server() const { return host_and_port(settings.origin); }

    HttpFixture fixture;
    TestAuthority proxy_authority{"proxy-ca"};
    RealLoop loop;
    LinuxNetwork network{loop};
    ThreadWorker worker{"resolve"};
    HttpClientSettings settings;
    std::unique_ptr<HttpClient> client;
};

TEST_F(HttpProxyTest, AServerWithTlsIsReachedByATunnel) {
    TestProxy proxy;
    use("http://" + proxy.place());
    for (int i = 0; i < 3; ++i) {
        const auto answer = get("/a");
        ASSERT_TRUE(answer.ok()) << answer.error().message;
        EXPECT_EQ(answer->body, "GET /a ");
    }
    ASSERT_EQ(proxy.heads().size(), 1u) << "the connection is used again";
    EXPECT_EQ(proxy.heads()[0],
              "CONNECT " + server() + " HTTP/1.1\r\nHost: " + server() + "\r\nUser-Agent: muster\r\n\r\n");
    client.reset();
}

TEST_F(HttpProxyTest, AProxyIsToldUserAndPasswordAndTheServerIsNot) {
    TestProxy proxy;
    use("http://Aladdin:open%20sesame@" + proxy.place());
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(text_response(std::string(exchange->request.header("proxy-authorization"))));
    };
    const auto answer = get("/a");
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->body, "");
    EXPECT_THAT(proxy.heads().at(0), HasSubstr("\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"));
    client.reset();
}

TEST_F(HttpProxyTest, AProxyMayItselfBeReachedOverTls) {
    TestProxy proxy(proxy_context());
    use("https://u:p@" + proxy.place());
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(text_response(std::string(1'000'000, 'x')));
    };
    for (int i = 0; i < 2; ++i) {
        const auto answer = get("/a");
        ASSERT_TRUE(answer.ok()) << answer.error().message;
        EXPECT_EQ(answer->body, std::string(1'000'000, 'x'));
    }
    EXPECT_EQ(proxy.heads().size(), 1u);
    EXPECT_THAT(proxy.heads().at(0), HasSubstr("Proxy-Authorization: Basic dTpw\r\n"));
    client.reset();
}

TEST_F(HttpProxyTest, AProxyThatIsNotTrustedGetsNoRequest) {
    TestProxy proxy(proxy_context());
    settings.proxy_tls.server_authorities = settings.tls.server_authorities;
    use("https://u:p@" + proxy.place());
    const auto answer = get("/a");
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::kUnauthorized);
    EXPECT_THAT(answer.error().message, HasSubstr("cannot connect to the proxy " + proxy.place() + ": "));
    EXPECT_TRUE(proxy.heads().empty());
    settings.proxy_tls.verify_server = false;
    use("https://u:p@" + proxy.place());
    EXPECT_TRUE(get("/a").ok());
    client.reset();
}

TEST_F(HttpProxyTest, ARequestToAServerWithoutTlsIsGivenToTheProxyItself) {
    for (const bool tls : {false, true}) {
        TestProxy proxy(tls ? proxy_context() : nullptr);
        settings.origin.tls = false;
        settings.origin.prefix = "/prefix";
        use((tls ? "https://u:p@" : "http://u:p@") + proxy.place());
        EXPECT_EQ(get("/a")->body, TestProxy::kOwnAnswer);
        EXPECT_EQ(get("/b")->body, TestProxy::kOwnAnswer);
        ASSERT_EQ(proxy.heads().size(), 2u);
        EXPECT_THAT(proxy.heads()[1], testing::StartsWith("GET http://" + server() + "/prefix/b HTTP/1.1\r\n"));
        EXPECT_THAT(proxy.heads()[1], HasSubstr("Proxy-Authorization: Basic dTpw\r\n"));
        client.reset();
    }
}

TEST_F(HttpProxyTest, ARefusalOfTheProxyIsAnErrorThatSaysSo) {
    const TestProxy proxy(nullptr, "HTTP/1.1 407 Proxy Authentication Required");
    use("http://" + proxy.place());
    const auto answer = get("/a");
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::kUnavailable);
    EXPECT_EQ(answer.error().message, "the proxy " + proxy.place() + " refuses to connect to " + server() +
                                          ": HTTP/1.1 407 Proxy Authentication Required");
}

TEST_F(HttpProxyTest, AProxyThatIsNotThereIsNamed) {
    std::string place;
    {
        const TestProxy proxy;
        place = proxy.place();
    }
    use("http://" + place);
    const auto answer = get("/a");
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::kUnavailable);
    EXPECT_THAT(answer.error().message, HasSubstr("the proxy " + place + ": cannot connect to "));
}

}  // namespace http_proxy_test
}  // namespace muster::os
