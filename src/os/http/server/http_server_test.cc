#include "os/http/server/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>
#include <thread>

#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/testing/http_fixture.h"

namespace muster::os {
namespace http_server_test {

using testing::HasSubstr;
using testing::Not;

TEST(HttpServer, AnswersRequestsOfOneConnectionInOrder) {
    HttpFixture fixture;
    fixture.start();
    RawClient client = fixture.connect();
    ASSERT_TRUE(client.connected()) << client.error();
    for (int i = 0; i < 3; ++i) {
        const auto response = client.get("/api/" + std::to_string(i));
        ASSERT_TRUE(response);
        EXPECT_EQ(response->status, 200);
        EXPECT_EQ(response->body, "GET /api/" + std::to_string(i) + " ");
        EXPECT_THAT(response->header("Date"), HasSubstr(" GMT"));
    }
    EXPECT_EQ(fixture.server->counts().requests, 3u);
    EXPECT_EQ(fixture.server->counts().accepted, 1u);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrderThoughTheLaterIsReadyFirst) {
    HttpFixture fixture;
    RealLoop loop;
    fixture.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        loop.post([&loop, held = std::move(exchange)]() mutable {
            const Duration delay = held->request.target == "/0" ? 30ms : 0ms;
            loop.after(delay, [held = std::move(held)] { held->respond(echo(held->request)); });
        });
    };
    ThreadWorker thread("loop");
    thread.run([&] { loop.run(); });
    fixture.start();
    RawClient client = fixture.connect();
    std::string requests;
    for (int i = 0; i < 20; ++i)
        requests += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
    client.send(requests);
    for (int i = 0; i < 20; ++i) {
        const auto response = client.read_response();
        ASSERT_TRUE(response);
        EXPECT_EQ(response->body, "POST /" + std::to_string(i) + " hi");
    }
    loop.stop();
}

TEST(HttpServer, GivesTheRequestAsItWasSentWithHeaderNamesInLowerCase) {
    HttpFixture fixture;
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
        const HttpRequest& request = exchange->request;
        EXPECT_EQ(request.method, "PATCH");
        EXPECT_EQ(request.target, "/apis/batch/v1/jobs?watch=1&x=%2F");
        EXPECT_EQ(request.header("x-odd"), "a: b");
        EXPECT_EQ(request.body, "hello world");
        EXPECT_EQ(request.peer.host, "127.0.0.1");
        EXPECT_FALSE(request.certificate);
        EXPECT_EQ(request.certificate_error, "");
        exchange->respond(echo(request));
    };
    fixture.start();
    RawClient client = fixture.connect();
    client.send(
        "PATCH /apis/batch/v1/jobs?watch=1&x=%2F HTTP/1.1\r\nhost: a\r\nX-ODD:   a: b \r\n"
        "Transfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n5;ext=1\r\nworld\r\n0\r\nAuthorization: no\r\n\r\n");
    EXPECT_EQ(client.read_response()->status, 200);
}

TEST(HttpServer, ShowsAVerifiedCertificate) {
    HttpFixture fixture;
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
        const auto& shown = exchange->request.certificate;
        exchange->respond(text_response(shown
                                            ? shown->common_name + "|" + testing::PrintToString(shown->organizations) +
                                                  "|" + std::to_string(shown->fingerprint.size())
                                            : exchange->request.certificate_error));
    };
    fixture.start();
    RawClient client = fixture.connect(fixture.authority.sign_client("ann", {"system:masters", "dev"}));
    EXPECT_EQ(client.get("/")->body, "ann|{ \"system:masters\", \"dev\" }|64");
}

struct BadCertificate {
    const char* name;
    std::function<TlsIdentity(const TestAuthority&)> make;
    const char* error;
};

TEST(HttpServer, ACertificateThatDoesNotCountIsNamedAndTheConnectionGoesOn) {
    const BadCertificate cases[] = {
        {"signed by another authority",
         [](const TestAuthority&) { return TestAuthority("other").sign_client("ann", {}); }, "issuer"},
        {"expired",
         [](const TestAuthority& authority) {
             return authority.sign({.common_name = "ann", .valid_from = -2h, .valid_until = -1h});
         },
         "expired"},
        {"not valid yet",
         [](const TestAuthority& authority) { return authority.sign({.common_name = "ann", .valid_from = 30min}); },
         "not yet valid"},
        {"for servers only", [](const TestAuthority& authority) { return authority.sign_server(); }, "purpose"},
    };
    for (const BadCertificate& bad : cases) {
        SCOPED_TRACE(bad.name);
        HttpFixture fixture;
        fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
            EXPECT_FALSE(exchange->request.certificate);
            exchange->respond(text_response(exchange->request.certificate_error));
        };
        fixture.start();
        RawClient client = fixture.connect(bad.make(fixture.authority));
        ASSERT_TRUE(client.connected()) << client.error();
        EXPECT_THAT(client.get("/")->body, HasSubstr(bad.error));
    }
}

TEST(HttpServer, ACertificateWithoutAnExtendedUsageCounts) {
    HttpFixture fixture;
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(text_response(exchange->request.certificate ? "yes" : "no"));
    };
    fixture.start();
    RawClient client = fixture.connect(fixture.authority.sign({.common_name = "ann"}));
    EXPECT_EQ(client.get("/")->body, "yes");
}

TEST(HttpServer, ACertificateThatExpiresDuringTheConnectionCountsNoMore) {
    HttpFixture fixture;
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(text_response(exchange->request.certificate ? "yes" : exchange->request.certificate_error));
    };
    fixture.start();
    RawClient client = fixture.connect(fixture.authority.sign({.common_name = "ann", .valid_until = 2s}));
    EXPECT_EQ(client.get("/")->body, "yes");
    std::string body = "yes";
    for (int i = 0; i < 500 && body == "yes"; ++i) {
        std::this_thread::sleep_for(10ms);
        body = client.get("/")->body;
    }
    EXPECT_THAT(body, HasSubstr("expired"));
}

TEST(HttpServer, ReplacesItsCertificateWhileConnectionsLive) {
    HttpFixture fixture;
    fixture.start();
    RawClient old = fixture.connect();
    EXPECT_EQ(old.get("/")->status, 200);

    const TestAuthority next("next-ca");
    ASSERT_TRUE(
        fixture.server->replace_tls({.identity = next.sign_server(), .client_authorities = next.certificate()}));
    EXPECT_EQ(old.get("/")->status, 200);
    EXPECT_FALSE(fixture.connect().connected());
    TlsClientSettings settings;
    settings.server_authorities = next.certificate();
    RawClient fresh(fixture.server->address(), make_client_context(settings).value());
    EXPECT_EQ(fresh.get("/")->status, 200);

    EXPECT_EQ(fixture.server->replace_tls({.identity = {.certificate_chain = "x", .key = "y"}}).error().code,
              Code::kBadRequest);
    EXPECT_EQ(fresh.get("/")->status, 200);
}

TEST(HttpServer, AnswersHeadWithoutABody) {
    HttpFixture fixture;
    fixture.start();
    RawClient client = fixture.connect();
    client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto response = client.read_response(true);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->header("Content-Length"), "8");
    EXPECT_EQ(client.get("/y")->body, "GET /y ");
}

TEST(HttpServer, AnswersExpectContinueBeforeTheBodyIsSent) {
    HttpFixture fixture;
    fixture.start();
    RawClient client = fixture.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    EXPECT_EQ(client.read_response()->status, 100);
    client.send("hello");
    EXPECT_EQ(client.read_response()->body, "POST / hello");
}

TEST(HttpServer, ClosesWhenAskedAndFor10) {
    HttpFixture fixture;
    fixture.start();
    RawClient client = fixture.connect();
    const auto response = client.get("/", "Connection: close\r\n");
    EXPECT_EQ(response->header("Connection"), "close");
    EXPECT_TRUE(client.closed_by_peer());
    RawClient old = fixture.connect();
    old.send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_EQ(old.read_response()->body, "GET / ");
    EXPECT_TRUE(old.closed_by_peer());
}

TEST(HttpServer, MakesTheBodyOnTheCarryingThreadAndSharesBytes) {
    HttpFixture fixture;
    const auto shared = std::make_shared<const std::string>(1'000'000, 's');
    fixture.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        HttpResponse response;
        if (exchange->request.target == "/made") {
            response.body = [] { return std::string(50'000, 'm'); };
        } else {
            response.body = shared;
        }
        exchange->respond(std::move(response));
    };
    fixture.start();
    RawClient client = fixture.connect();
    EXPECT_EQ(client.get("/made")->body, std::string(50'000, 'm'));
    EXPECT_EQ(client.get("/shared")->body, *shared);
}

std::string gunzip(const std::string& bytes, std::size_t size_max) {
    std::string out(size_max, '\0');
    z_stream stream{};
    inflateInit2(&stream, 16 + 15);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    inflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

TEST(HttpServer, CompressesLargeBodiesForThoseWhoAccept) {
    HttpFixture fixture;
    std::string large;
    while (large.size() < 200'000) large += "some words " + std::to_string(large.size());
    fixture.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(text_response(exchange->request.target == "/small" ? "small" : large));
    };
    fixture.start();
    RawClient client = fixture.connect();
    const auto packed = client.get("/", "Accept-Encoding: deflate, gzip\r\n");
    EXPECT_EQ(packed->header("Content-Encoding"), "gzip");
    EXPECT_EQ(packed->header("Vary"), "Accept-Encoding");
    EXPECT_EQ(gunzip(packed->body, large.size() + 1), large);
    EXPECT_EQ(client.get("/")->body, large);
    EXPECT_EQ(client.get("/", "Accept-Encoding: gzip;q=0\r\n")->body, large);
    EXPECT_EQ(client.get("/small", "Accept-Encoding: gzip\r\n")->body, "small");
}

TEST(HttpServer, AHeaderValueCannotBreakOutOfItsLine) {
    HttpFixture fixture;
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
        HttpResponse response;
        response.headers.push_back({"X", "a\r\nEvil: yes"});
        exchange->respond(std::move(response));
    };
    fixture.start();
    RawClient client = fixture.connect();
    const auto response = client.get("/");
    EXPECT_EQ(response->header("Evil"), "");
    EXPECT_EQ(response->header("X"), "a  Evil: yes");
}

TEST(HttpServer, AnExchangeDroppedWithoutAnAnswerClosesTheConnection) {
    HttpFixture fixture;
    fixture.answer = [](std::unique_ptr<HttpExchange>) {};
    fixture.start();
    RawClient client = fixture.connect();
    EXPECT_FALSE(client.get("/"));
    EXPECT_TRUE(fixture.await_connections(0));
}

TEST(HttpServer, TellsAPlainClientThatItSpeaksTls) {
    HttpFixture fixture;
    fixture.start();
    RawClient client(fixture.server->address());
    client.send("GET /version HTTP/1.1\r\nHost: a\r\n\r\n");
    const std::string answer = client.receive_all();
    EXPECT_THAT(answer, testing::StartsWith("HTTP/1.0 400 Bad Request\r\n"));
    EXPECT_THAT(answer, HasSubstr("Client sent an HTTP request to an HTTPS server."));
}

TEST(HttpServer, ServesAtAnotherAddressToo) {
    HttpFixture fixture;
    fixture.start_plain();
    const Address other{"127.0.0.2", fixture.server->address().port};
    ASSERT_TRUE(fixture.server->listen_also(other).ok());
    RawClient client(other);
    client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.receive_all(), HasSubstr("GET /x"));
    EXPECT_EQ(fixture.server->listen_also(other).error().code, Code::kAlreadyExists);
    EXPECT_EQ(fixture.server->counts().accepted, 1u);
    EXPECT_TRUE(fixture.stop());
}

TEST(HttpServer, ServesPlainHttpWithoutTls) {
    HttpFixture fixture;
    fixture.start_plain();
    RawClient client = fixture.connect();
    EXPECT_EQ(client.get("/x")->body, "GET /x ");
}

TEST(HttpServer, AnsweringAfterTheServerHasGoneDoesNothing) {
    auto fixture = std::make_unique<HttpFixture>();
    std::unique_ptr<HttpExchange> held;
    std::unique_ptr<HttpStream> stream;
    Signal arrived;
    fixture->answer = [&](std::unique_ptr<HttpExchange> exchange) {
        if (exchange->request.target == "/stream") {
            stream = exchange->stream({});
        } else {
            held = std::move(exchange);
            arrived.set();
        }
    };
    fixture->start();
    RawClient one = fixture->connect();
    RawClient two = fixture->connect();
    two.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
    two.receive_until("\r\n\r\n");
    one.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(arrived.wait());
    fixture.reset();
    bool told = false;
    held->when_gone([&] { told = true; });
    EXPECT_TRUE(told);
    held->respond({});
    stream->write(std::make_shared<std::string>("late"));
    EXPECT_EQ(stream->unsent(), 0u);
    stream.reset();
}

TEST(HttpServer, StoppingClosesIdleConnectionsAndLetsRunningAnswersEnd) {
    HttpFixture fixture;
    Signal arrived;
    std::unique_ptr<HttpExchange> held;
    fixture.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        if (exchange->request.target == "/quick") return exchange->respond(echo(exchange->request));
        held = std::move(exchange);
        arrived.set();
    };
    fixture.start();
    RawClient idle = fixture.connect();
    EXPECT_EQ(idle.get("/quick")->status, 200);
    RawClient busy = fixture.connect();
    busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(arrived.wait());

    Signal stopped;
    fixture.server->stop(10s, [&] { stopped.set(); });
    EXPECT_TRUE(idle.closed_by_peer());
    RawClient late(fixture.server->address());
    EXPECT_FALSE(late.connected());
    held->respond(echo(held->request));
    const auto response = busy.read_response();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "GET /slow ");
    EXPECT_TRUE(busy.closed_by_peer());
    busy.close();
    idle.close();
    EXPECT_TRUE(stopped.wait());
}

TEST(HttpServer, StoppingCutsWhatIsNotAnsweredInTime) {
    HttpFixture fixture;
    Signal arrived;
    Signal gone;
    std::unique_ptr<HttpExchange> held;
    fixture.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        held = std::move(exchange);
        held->when_gone([&] { gone.set(); });
        arrived.set();
    };
    fixture.start();
    RawClient client = fixture.connect();
    client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(arrived.wait());
    EXPECT_TRUE(fixture.stop(20ms));
    EXPECT_TRUE(gone.wait());
    EXPECT_TRUE(client.closed_by_peer());
}

TEST(HttpServer, SaysWhereItCannotListen) {
    HttpFixture one;
    one.start();
    one.options.listen = one.server->address();
    const auto failed = one.start_another();
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message, HasSubstr(format_address(one.server->address())));
}

TEST(HttpServer, ServesManyConnectionsFromManyThreads) {
    HttpFixture fixture;
    RealLoop loop;
    fixture.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        if (exchange->request.target == "/inline") return exchange->respond(echo(exchange->request));
        loop.post([held = std::move(exchange)] { held->respond(echo(held->request)); });
    };
    ThreadWorker thread("loop");
    thread.run([&] { loop.run(); });
    fixture.start();
    std::atomic<int> good = 0;
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
        clients.emplace_back([&] {
            RawClient client = fixture.connect();
            for (int k = 0; k < 50; ++k) {
                const auto response = client.get(k % 2 ? "/inline" : "/posted");
                if (response && response->status == 200) ++good;
            }
        });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(good, 400);
    loop.stop();
}

}  // namespace http_server_test
}  // namespace muster::os
