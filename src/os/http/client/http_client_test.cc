#include "os/http/client/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "os/http/client/http_response_reader.h"
#include "os/http/http_gzip.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"
#include "os/testing/http_fixture.h"

namespace muster::os {
namespace http_client_test {

using testing::HasSubstr;

// A server, and a client of it on a loop of its own.
struct Pair : HttpFixture {
    Pair() {
        settings.tls.server_authorities = authority.certificate();
        settings.origin.host = "127.0.0.1";
    }
    void start_both() {
        start();
        make_client();
    }
    void make_client() {
        settings.origin.port = server->address().port;
        client = make_http_client(loop, network, worker, settings).value();
    }
    Result<HttpWholeAnswer> send(HttpClientRequest request) { return loop.run(client->send(std::move(request))); }
    Result<HttpWholeAnswer> get(const std::string& target) { return send(HttpClientRequest("GET", target)); }

    RealLoop loop;
    LinuxNetwork network{loop};
    ThreadWorker worker{"resolve"};
    HttpClientSettings settings;
    std::unique_ptr<HttpClient> client;
};

TEST(HttpClient, AsksAndUsesItsConnectionAgain) {
    Pair pair;
    pair.start_both();
    for (int i = 0; i < 5; ++i) {
        const auto answer = pair.get("/x" + std::to_string(i));
        ASSERT_TRUE(answer) << answer.error().message;
        EXPECT_EQ(answer->head.status, 200);
        EXPECT_EQ(answer->head.header("content-type"), "text/plain");
        EXPECT_EQ(answer->body, "GET /x" + std::to_string(i) + " ");
    }
    EXPECT_EQ(pair.server->counts().accepted, 1u);
}

TEST(HttpClient, SendsBodyHeadersAndToken) {
    Pair pair;
    pair.settings.bearer_token = "secret";
    pair.settings.origin.prefix = "/prefix";
    pair.answer = [](std::unique_ptr<HttpExchange> exchange) {
        EXPECT_EQ(exchange->request.header("authorization"), "Bearer secret");
        EXPECT_EQ(exchange->request.header("x-other"), "1");
        EXPECT_EQ(exchange->request.header("user-agent"), "muster");
        exchange->respond(echo(exchange->request));
    };
    pair.start_both();
    HttpClientRequest request("POST", "/a");
    request.headers.push_back({"X-Other", "1"});
    request.body = std::string(1'000'000, 'b');
    const auto answer = pair.send(request);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "POST /prefix/a " + request.body);
}

TEST(HttpClient, ShowsItsCertificate) {
    Pair pair;
    pair.settings.tls.identity = pair.authority.sign_client("ann", {"dev"});
    pair.answer = [](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(text_response(exchange->request.certificate.value().common_name));
    };
    pair.start_both();
    EXPECT_EQ(pair.get("/")->body, "ann");
}

TEST(HttpClient, FindsAServerByItsName) {
    Pair pair;
    pair.settings.origin.host = "localhost";
    pair.start_both();
    const auto answer = pair.get("/");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->head.status, 200);
}

TEST(HttpClient, SpeaksPlainHttp) {
    Pair pair;
    pair.start_plain();
    pair.settings.origin.tls = false;
    pair.make_client();
    EXPECT_EQ(pair.get("/p")->body, "GET /p ");
}

TEST(HttpClient, HeadHasAnEmptyBody) {
    Pair pair;
    pair.start_both();
    const auto answer = pair.send(HttpClientRequest("HEAD", "/abc"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->head.header("content-length"), "10");
    EXPECT_EQ(answer->body, "");
    EXPECT_EQ(pair.get("/")->body, "GET / ");
}

TEST(HttpClient, SaysWhyItCannotConnect) {
    const TestAuthority stranger("stranger");
    const struct {
        const char* name;
        std::function<void(Pair&)> change;
        Code code;
        const char* message;
    } cases[] = {
        {"no listener",
         [](Pair& pair) {
             pair.make_client();
             pair.server.reset();
         },
         Code::kUnavailable, "cannot connect to 127.0.0.1:"},
        {"an unknown name",
         [](Pair& pair) {
             pair.settings.origin.host = "no-such-host.invalid";
             pair.make_client();
         },
         Code::kUnavailable, "cannot look up no-such-host.invalid"},
        {"another authority",
         [&](Pair& pair) {
             pair.settings.tls.server_authorities = stranger.certificate();
             pair.make_client();
         },
         Code::kUnauthorized, "the server's certificate is not trusted: "},
        {"another name",
         [](Pair& pair) {
             pair.settings.server_name = "other.example";
             pair.make_client();
         },
         Code::kUnauthorized, "the server's certificate is not trusted: hostname mismatch"},
        {"another address",
         [](Pair& pair) {
             pair.settings.server_name = "10.0.0.1";
             pair.make_client();
         },
         Code::kUnauthorized, "the server's certificate is not trusted: IP address mismatch"},
        {"no TLS there",
         [](Pair& pair) {
             pair.start_plain();
             pair.make_client();
         },
         Code::kUnauthorized, "wrong version number"},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.name);
        Pair pair;
        pair.start();
        each.change(pair);
        const auto answer = pair.get("/");
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, each.code) << answer.error().message;
        EXPECT_THAT(answer.error().message, HasSubstr(each.message));
    }
}

TEST(HttpClient, TrustsAnyServerWhenToldTo) {
    Pair pair;
    pair.settings.tls.server_authorities.clear();
    pair.settings.tls.verify_server = false;
    pair.start_both();
    EXPECT_EQ(pair.get("/")->head.status, 200);
}

TEST(HttpClient, GivesUpOnAServerThatDoesNotAnswer) {
    Pair pair;
    std::vector<std::unique_ptr<HttpExchange>> held;
    pair.answer = [&](std::unique_ptr<HttpExchange> exchange) { held.push_back(std::move(exchange)); };
    pair.settings.answer_timeout = 50ms;
    pair.start_both();
    const auto answer = pair.get("/");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kTimeout);
    pair.server.reset();
}

TEST(HttpClient, GivesUpOnAServerThatDoesNotShakeHands) {
    RealLoop loop;
    LinuxNetwork network(loop);
    ThreadWorker worker("resolve");
    const auto listener = network.listen(Address("127.0.0.1", 0)).value();
    HttpClientSettings settings;
    settings.origin.host = "127.0.0.1";
    settings.origin.port = listener->address().port;
    settings.connect_timeout = 50ms;
    const auto client = make_http_client(loop, network, worker, settings).value();
    const auto answer = loop.run(client->send(HttpClientRequest("GET", "/")));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kTimeout);
}

TEST(HttpClient, NoticesThatAKeptConnectionHasEnded) {
    Pair pair;
    pair.start_both();
    EXPECT_EQ(pair.get("/")->head.status, 200);
    // A new server at the same address.
    pair.options.listen = pair.server->address();
    pair.server.reset();
    pair.start();
    const auto answer = pair.send(HttpClientRequest("POST", "/"));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->head.status, 200);
}

TEST(HttpClient, AnAnswerThatBreaksOffIsAnError) {
    Pair pair;
    pair.answer = [](std::unique_ptr<HttpExchange> exchange) {
        auto stream = exchange->stream({});
        stream->write(std::make_shared<std::string>("part"));
    };
    pair.start_both();
    const auto answer = pair.get("/");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kUnavailable);
}

TEST(HttpClient, TakesTheAnswerOfAServerThatRefusesTheBody) {
    Pair pair;
    pair.start_both();
    HttpClientRequest request("POST", "/");
    request.body = std::string(8u << 20, 'x');
    const auto answer = pair.send(request);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->head.status, 413);
}

TEST(HttpClient, ABodyBeyondTheLimitIsAnError) {
    Pair pair;
    pair.settings.body_bytes_max = 1000;
    pair.answer = [](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(text_response(std::string(2000, 'x')));
    };
    pair.start_both();
    EXPECT_EQ(pair.get("/").error().code, Code::kTooLarge);
}

// What it was asked with, in the answer; long enough to be compressed.
HttpResponse encoding_asked_for(const HttpRequest& request) {
    return text_response("[" + std::string(request.header("accept-encoding")) + "]" + std::string(200'000, 'x'));
}

TEST(HttpClient, AsksForSmallerAnswersAndDecodesThem) {
    Pair pair;
    pair.settings.accepts_gzip = true;
    pair.answer = [](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(encoding_asked_for(exchange->request));
    };
    pair.start_both();
    const auto answer = pair.get("/");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "[gzip]" + std::string(200'000, 'x'));
    EXPECT_EQ(answer->head.header("vary"), "Accept-Encoding") << "the server has compressed it";
    EXPECT_EQ(answer->head.header("content-encoding"), "");
    EXPECT_EQ(answer->head.header("content-length"), "");
    EXPECT_THAT(pair.send(HttpClientRequest("POST", "/"))->body, testing::StartsWith("[]x"));
    auto stream = pair.loop.run(pair.client->open(HttpClientRequest("GET", "/watch"))).value();
    EXPECT_THAT(*pair.loop.run(stream->next()).value(), testing::StartsWith("[]x")) << "watches stay as they are";
    stream.reset();
    pair.settings.accepts_gzip = false;
    pair.make_client();
    EXPECT_THAT(pair.get("/")->body, testing::StartsWith("[]x"));
}

TEST(HttpClient, ACompressedAnswerThatCannotBeReadIsAnError) {
    const std::string packed = gzip(std::string(5000, 'x'));
    const struct {
        const char* sentence;
        const char* encoding;
        std::string body;
        Code code;
        const char* message;
    } cases[] = {
        {"it breaks off", "gzip", packed.substr(0, packed.size() - 3), Code::kUnavailable, "broke off in the middle"},
        {"it is something else", "gzip", "plain text", Code::kBadRequest, "it is not gzip"},
        {"it is longer than the bound", "gzip", gzip(std::string(20'000, 'x')), Code::kTooLarge, "too large"},
        {"it was not asked for", "br", "plain text", Code::kBadRequest, "it has the encoding br, not gzip"},
    };
    Pair pair;
    pair.settings.accepts_gzip = true;
    pair.settings.body_bytes_max = 10'000;
    HttpResponse response;
    pair.answer = [&](std::unique_ptr<HttpExchange> exchange) { exchange->respond(HttpResponse(response)); };
    pair.start_both();
    for (const auto& each : cases) {
        response = text_response(each.body);
        response.headers.push_back({"Content-Encoding", each.encoding});
        const auto answer = pair.get("/");
        ASSERT_FALSE(answer) << each.sentence;
        EXPECT_EQ(answer.error().code, each.code) << each.sentence;
        EXPECT_THAT(answer.error().message, HasSubstr(each.message));
    }
    response = text_response("");
    response.headers.push_back({"Content-Encoding", "gzip"});
    EXPECT_EQ(pair.get("/")->body, "") << "an answer without a body";
}

TEST(HttpClient, ARequestThatMustNotBeSentAnyMoreLeavesItsConnectionUnused) {
    Pair pair;
    pair.start_both();
    HttpClientRequest request("POST", "/");
    request.check = [&]() -> Result<> {
        EXPECT_TRUE(pair.await_connections(1)) << "the connection is there when it is asked";
        return Error{Code::kConflict, "too late"};
    };
    const auto refused = pair.send(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kConflict);
    EXPECT_EQ(refused.error().message, "too late");
    request.check = [] { return Result<>(); };
    EXPECT_EQ(pair.send(request)->head.status, 200);
    EXPECT_EQ(pair.server->counts().requests, 1u);
    EXPECT_EQ(pair.server->counts().accepted, 1u);
}

TEST(HttpClient, ALineEndInATargetHeaderOrTokenIsRefused) {
    Pair pair;
    pair.start_both();
    EXPECT_EQ(pair.get("/ HTTP/1.1\r\nEvil: 1").error().code, Code::kBadRequest);
    HttpClientRequest request("GET", "/");
    request.headers.push_back({"X", "a\r\nEvil: 1"});
    EXPECT_EQ(pair.send(request).error().code, Code::kBadRequest);
    EXPECT_EQ(pair.server->counts().requests, 0u);
}

Task<std::vector<std::string>> read_lines(HttpClient& client, Signal& first) {
    std::vector<std::string> lines;
    auto incoming = (co_await client.open(HttpClientRequest("GET", "/watch"))).value();
    lines.push_back(std::to_string(incoming->head().status));
    for (;;) {
        auto line = (co_await incoming->next_line()).value();
        if (!line) break;
        lines.push_back(std::move(*line));
        first.set();
    }
    co_return lines;
}

TEST(HttpClient, ReadsAWatchLineByLineAsItComes) {
    Pair pair;
    Signal first;
    std::thread writer;
    pair.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        writer = std::thread([&first, stream = exchange->stream({})] {
            stream->write(std::make_shared<std::string>("one\ntw"));
            EXPECT_TRUE(first.wait());
            stream->write(std::make_shared<std::string>("o\n\n"));
            stream->write(std::make_shared<std::string>(std::string(100'000, 'x') + "\nlast"));
            stream->finish();
        });
    };
    pair.settings.answer_timeout = 5s;
    pair.start_both();
    const auto lines = pair.loop.run(read_lines(*pair.client, first));
    writer.join();
    EXPECT_THAT(lines, testing::ElementsAre("200", "one", "two", "", std::string(100'000, 'x'), "last"));
    EXPECT_EQ(pair.get("/version")->head.status, 200);
    writer.join();
}

TEST(HttpClient, DroppingAWatchClosesItsConnection) {
    Pair pair;
    Signal gone;
    std::vector<std::unique_ptr<HttpStream>> streams;
    pair.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        exchange->when_gone([&] { gone.set(); });
        streams.push_back(exchange->stream({}));
    };
    pair.start_both();
    auto incoming = pair.loop.run(pair.client->open(HttpClientRequest("GET", "/watch"))).value();
    incoming.reset();
    EXPECT_TRUE(gone.wait());
    pair.server.reset();
}

TEST(ResponseReader, ReadsTheSameInWhateverPiecesItArrives) {
    const std::string bytes =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: t\r\n\r\n";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        ResponseReader reader(false);
        std::string kept;
        std::string body;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            kept += bytes.substr(at, piece);
            kept.erase(0, reader.consume(kept).value());
            body += reader.take_body();
        }
        EXPECT_TRUE(reader.done()) << piece;
        EXPECT_TRUE(reader.keeps_alive());
        EXPECT_EQ(reader.head().status, 200);
        EXPECT_EQ(reader.head().headers.size(), 2u);
        EXPECT_EQ(body, "hello world");
    }
}

TEST(ResponseReader, ABodyWithoutALengthEndsWithTheConnection) {
    ResponseReader reader(false);
    ASSERT_TRUE(reader.consume("HTTP/1.0 200 OK\r\n\r\nall of it"));
    EXPECT_FALSE(reader.done());
    EXPECT_TRUE(reader.end());
    EXPECT_TRUE(reader.done());
    EXPECT_EQ(reader.take_body(), "all of it");
    EXPECT_FALSE(reader.keeps_alive());
}

TEST(ResponseReader, RefusesWhatIsNotHttp) {
    for (const char* bytes : {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nbad\r\n\r\n"})
        EXPECT_EQ(ResponseReader(false).consume(bytes).error().code, Code::kBadRequest) << bytes;
}

}  // namespace http_client_test
}  // namespace muster::os
