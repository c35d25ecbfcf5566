#include "client/remote/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "client/testing/scripted_server.h"
#include "os/loop/gather.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"
#include "os/testing/test_proxy.h"

namespace muster::client {
namespace transport_test {

using testing::ElementsAre;

TEST(RetryDelay, IsWhatTheServerAsksForAndALittleMore) {
    const struct {
        const char* sentence;
        int status;
        const char* retry_after;
        double chance;
        std::optional<Duration> delay;
    } cases[] = {
        {"too many requests", 429, "3", 0, 3s},
        {"with jitter", 429, "4", 1, 6s},
        {"not available now", 503, "1", 0, 1s},
        {"at least a second", 429, "0", 0, 1s},
        {"at most a minute", 503, "3600", 0, 60s},
        {"no word of how long", 503, "", 0, std::nullopt},
        {"a date", 503, "Wed, 21 Oct 2026 07:28:00 GMT", 0, std::nullopt},
        {"another refusal", 500, "1", 0, std::nullopt},
        {"a success", 200, "1", 0, std::nullopt},
    };
    for (const auto& each : cases) {
        os::HttpAnswerHead head;
        head.status = each.status;
        if (*each.retry_after) head.headers.push_back({"retry-after", each.retry_after});
        EXPECT_EQ(retry_delay(head, each.chance), each.delay) << each.sentence;
    }
}

struct TransportTest : testing::Test {
    void connect(const ServerAccess& access, TransportSettings settings = {}) {
        transport = Transport::make(loop, network, worker, access, std::move(settings)).value();
    }
    Result<os::HttpWholeAnswer> send(const char* method = "GET") {
        return loop.run(transport->send(os::HttpClientRequest(method, "/a"), RequestClass::kStatus));
    }
    ScriptedServer server;
    os::RealLoop loop;
    os::LinuxNetwork network{loop};
    os::ThreadWorker worker{"access"};
    std::unique_ptr<Transport> transport;
};

TEST_F(TransportTest, ARequestThatTheServerPutsOffIsSentAgain) {
    server.then({.status = 429, .headers = {{"Retry-After", "1"}}});
    server.then({.status = 201, .body = "made"});
    connect(server.access());
    const Duration begun = loop.uptime();
    const auto answer = send("POST");
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->body, "made");
    EXPECT_GE(loop.uptime() - begun, 1s);
    EXPECT_THAT(server.asked(), ElementsAre("POST /a", "POST /a"));
}

TEST_F(TransportTest, ItIsPutOffOnlySoOften) {
    TransportSettings settings;
    settings.retries_max = 1;
    server.answer_all = [](const os::HttpRequest&) {
        return ScriptedServer::Answer{.status = 503, .headers = {{"Retry-After", "1"}}};
    };
    connect(server.access(), std::move(settings));
    EXPECT_EQ(send()->head.status, 503);
    EXPECT_EQ(server.asked().size(), 2u);
}

TEST_F(TransportTest, ARequestWhoseAnswerIsLostIsNotRepeated) {
    server.then({.cut = true});
    server.then({.status = 201});
    connect(server.access());
    EXPECT_EQ(send("POST").error().code, Code::kUnavailable);
    EXPECT_EQ(server.asked().size(), 1u);
}

TEST_F(TransportTest, ATokenThatIsNotAcceptedIsReadAgainOnce) {
    std::atomic<int> reads = 0;
    TransportSettings settings;
    settings.read_file = [&reads](const std::string&) { return Result<std::string>("t" + std::to_string(++reads)); };
    server.answer_all = [](const os::HttpRequest& request) {
        return ScriptedServer::Answer{.status = request.header("authorization") == "Bearer t2" ? 200 : 401};
    };
    ServerAccess access = server.access();
    access.token_file = "/token";
    connect(access, std::move(settings));
    EXPECT_EQ(send()->head.status, 200);
    EXPECT_EQ(send()->head.status, 200);
    EXPECT_EQ(reads, 2);
    EXPECT_EQ(server.asked().size(), 3u);
}

TEST_F(TransportTest, AFixedTokenThatIsNotAcceptedIsTheEnd) {
    server.answer_all = [](const os::HttpRequest&) { return ScriptedServer::Answer{.status = 401}; };
    ServerAccess access = server.access();
    access.token = "t";
    connect(access);
    EXPECT_EQ(send()->head.status, 401);
    EXPECT_EQ(server.asked().size(), 1u);
}

// The authority's file, which changes.
struct TrustTest : TransportTest {
    void connect_with_file() {
        TransportSettings settings;
        settings.read_file = [this](const std::string&) {
            const std::lock_guard lock(mutex);
            return Result<std::string>(file);
        };
        ServerAccess access = server.access();
        access.ca_file = "/ca.crt";
        access.ca_certificates = write(server.fixture().authority.certificate());
        connect(access, std::move(settings));
        server.answer_all = [](const os::HttpRequest&) { return ScriptedServer::Answer{}; };
    }
    std::string write(std::string text) {
        const std::lock_guard lock(mutex);
        return file = std::move(text);
    }
    // The server gets a certificate of another authority, and its connections end.
    std::string rotate() {
        os::HttpFixture& fixture = server.fixture();
        fixture.options.listen = fixture.server->address();
        fixture.options.tls->identity = next.sign_server();
        fixture.server.reset();
        fixture.start();
        return next.certificate();
    }
    const os::TestAuthority next{"next-ca"};
    std::mutex mutex;  // guards the next
    std::string file;
};

TEST_F(TrustTest, AServerWithACertificateOfANewAuthorityIsTrustedWhenTheFileNamesIt) {
    connect_with_file();
    EXPECT_EQ(send()->head.status, 200);
    const std::string authority = rotate();
    EXPECT_EQ(send("POST").error().code, Code::kUnauthorized);
    EXPECT_EQ(server.asked().size(), 1u);
    write("half a certifica");
    EXPECT_EQ(send("POST").error().code, Code::kUnauthorized) << "it cannot be used, and the last one counts";
    write(authority);
    const auto answer = send("POST");
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->head.status, 200);
    EXPECT_EQ(server.asked().size(), 2u) << "a server that is not trusted gets no request";
}

os::Task<Result<void>> send_one(Transport& transport) {
    auto answer = co_await transport.send(os::HttpClientRequest("GET", "/a"), RequestClass::kCreates);
    if (!answer.ok()) co_return answer.error();
    co_return Result<void>();
}

TEST_F(TransportTest, ABurstGoesThroughAsManyConnectionsAsAreAllowed) {
    TransportSettings settings;
    settings.connections = 4;
    connect(server.access(), std::move(settings));
    server.answer_all = [](const os::HttpRequest&) { return ScriptedServer::Answer{}; };
    std::vector<os::Task<Result<void>>> burst;
    for (int i = 0; i < 200; ++i) burst.push_back(send_one(*transport));
    const auto answers = loop.run(os::gather(loop, std::move(burst)));
    for (const auto& answer : answers) EXPECT_TRUE(answer.ok());
    EXPECT_LE(server.fixture().server->counts().accepted, 4u);
}

TEST_F(TransportTest, AConnectionCanGoThroughAProxy) {
    const os::TestProxy proxy;
    server.then({.body = "through"});
    ServerAccess access = server.access();
    access.proxy_url = "http://u:p@" + proxy.place();
    connect(access);
    const auto answer = send();
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->body, "through");
    transport.reset();
    const std::string head = proxy.heads().at(0);
    EXPECT_EQ(head.substr(0, head.find('\r')), "CONNECT " + access.server.substr(8) + " HTTP/1.1");
    EXPECT_NE(head.find("Proxy-Authorization: Basic dTpw\r\n"), std::string::npos);
}

TEST_F(TransportTest, AProxyWithTlsIsTrustedByTheAuthorityOfTheServer) {
    const os::TestAuthority& authority = server.fixture().authority;
    const os::TestProxy proxy(os::make_server_context({.identity = authority.sign_server()}).value());
    server.then({.body = "through"});
    ServerAccess access = server.access();
    access.proxy_url = "https://" + proxy.place();
    connect(access);
    const auto answer = send();
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->body, "through");
    transport.reset();
}

}  // namespace transport_test
}  // namespace muster::client
