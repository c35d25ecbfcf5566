#include "os/http/http_limits.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

#include "os/network/socket_address.h"
#include "os/testing/http_fixture.h"

namespace muster::os {
namespace http_limits_test {

using testing::HasSubstr;

std::string post_of(std::size_t size) {
    return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

TEST(HttpLimits, ABodyOfTheGreatestSizeIsTakenAndOneByteMoreIsA413) {
    HttpFixture fixture;
    fixture.start();
    RawClient client = fixture.connect();
    const std::string body(3u << 20, 'b');
    client.send(post_of(body.size()) + body);
    EXPECT_EQ(client.read_response()->body.size(), body.size() + 7);

    client.send(post_of(body.size() + 1));
    const auto refused = client.read_response();
    EXPECT_EQ(refused->status, 413);
    EXPECT_EQ(refused->header("Content-Type"), "application/json");
    EXPECT_THAT(refused->body, HasSubstr(R"("reason":"RequestEntityTooLarge","code":413)"));
    EXPECT_TRUE(client.closed_by_peer());
}

TEST(HttpLimits, TheAnswerToATooLargeBodyArrivesThoughItIsBeingSent) {
    HttpFixture fixture;
    fixture.start();
    RawClient client = fixture.connect();
    const std::string body(8u << 20, 'b');
    std::thread sender([&] { client.send(post_of(body.size()) + body); });
    sender.join();
    EXPECT_EQ(client.read_response()->status, 413);
}

TEST(HttpLimits, AChunkedBodyMayNotGrowBeyondTheLimit) {
    HttpFixture fixture;
    fixture.options.limits.body_bytes_max = 10'000;
    fixture.start();
    RawClient client = fixture.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 11; ++i) client.send("3e8\r\n" + std::string(1000, 'x') + "\r\n");
    EXPECT_EQ(client.read_response()->status, 413);
    EXPECT_TRUE(client.closed_by_peer());
}

TEST(HttpLimits, TooMuchHeadIsRefused) {
    const struct {
        const char* name;
        std::string request;
        int status;
    } cases[] = {
        {"a long URI", "GET /" + std::string(20'000, 'u') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
        {"a URI without end", "GET /" + std::string(100'000, 'u'), 414},
        {"a long header", "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n", 431},
        {"a header without end", "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(100'000, 'x'), 431},
        {"many headers",
         [] {
             std::string request = "GET / HTTP/1.1\r\nHost: a\r\n";
             for (int i = 0; i < 300; ++i) request += "X: y\r\n";
             return request + "\r\n";
         }(),
         431},
    };
    for (const auto& refused : cases) {
        SCOPED_TRACE(refused.name);
        HttpFixture fixture;
        fixture.start();
        RawClient client = fixture.connect();
        client.send(refused.request);
        const auto response = client.read_response();
        ASSERT_TRUE(response);
        EXPECT_EQ(response->status, refused.status);
        EXPECT_TRUE(client.closed_by_peer());
    }
}

TEST(HttpLimits, ALongHeadWithinTheLimitsIsTaken) {
    HttpFixture fixture;
    fixture.start();
    RawClient client = fixture.connect();
    EXPECT_EQ(client.get("/" + std::string(16'000, 'u'), "X: " + std::string(45'000, 'x') + "\r\n")->status, 200);
}

TEST(HttpLimits, AChunkLineWithoutEndIsRefused) {
    HttpFixture fixture;
    fixture.start();
    RawClient client = fixture.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;" + std::string(100'000, 'x'));
    EXPECT_EQ(client.read_response()->status, 400);
}

TEST(HttpLimits, SlowSendersTimeOut) {
    const struct {
        const char* name;
        Duration HttpLimits::*limit;
        const char* sent;
        int status;  // 0: closed without a word
    } cases[] = {
        {"in the headers", &HttpLimits::head_timeout, "GET / HTTP/1.1\r\nHost:", 408},
        {"in the body", &HttpLimits::body_timeout, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhal", 408},
        {"between requests", &HttpLimits::idle_timeout, "", 0},
    };
    for (const auto& slow : cases) {
        SCOPED_TRACE(slow.name);
        HttpFixture fixture;
        fixture.options.limits.*slow.limit = 40ms;
        fixture.start();
        RawClient client = fixture.connect();
        client.send(slow.sent);
        const auto response = client.read_response();
        EXPECT_EQ(response ? response->status : 0, slow.status);
        EXPECT_TRUE(client.closed_by_peer());
        client.close();
        EXPECT_TRUE(fixture.await_connections(0));
    }
}

// One byte now and then must not put the end off.
TEST(HttpLimits, TricklingHeadersTimeOutToo) {
    HttpFixture fixture;
    fixture.options.limits.head_timeout = 50ms;
    fixture.start();
    RawClient client = fixture.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ");
    for (int i = 0; i < 2000 && fixture.server->counts().connections > 0; ++i) {
        client.send("x");
        std::this_thread::sleep_for(2ms);
    }
    EXPECT_EQ(fixture.server->counts().connections, 0u);
    EXPECT_EQ(fixture.server->counts().requests, 0u);
}

TEST(HttpLimits, AHandshakeThatDoesNotEndTimesOut) {
    for (const std::string& sent : {std::string(), std::string("\x16\x03\x01\x02", 4)}) {
        HttpFixture fixture;
        fixture.options.limits.handshake_timeout = 40ms;
        fixture.start();
        RawClient client(fixture.server->address());
        client.send(sent);
        EXPECT_TRUE(client.closed_by_peer());
        EXPECT_TRUE(fixture.await_connections(0));
    }
}

TEST(HttpLimits, APeerThatDoesNotTakeItsAnswerIsCut) {
    HttpFixture fixture;
    fixture.options.limits.send_timeout = 50ms;
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) {
        exchange->respond(text_response(std::string(30'000'000, 'x')));
    };
    fixture.start();
    RawClient client = fixture.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.receive_until("\r\n\r\n");
    EXPECT_TRUE(fixture.await_connections(0));
}

TEST(HttpLimits, TimeSpentAnsweringIsNotTheClients) {
    HttpFixture fixture;
    fixture.options.limits.head_timeout = fixture.options.limits.body_timeout = 20ms;
    fixture.options.limits.idle_timeout = fixture.options.limits.handshake_timeout = 5s;
    std::thread later;
    fixture.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        later = std::thread([held = std::move(exchange)] {
            std::this_thread::sleep_for(100ms);
            held->respond(echo(held->request));
        });
    };
    fixture.start();
    RawClient client = fixture.connect();
    EXPECT_EQ(client.get("/")->status, 200);
    later.join();
}

TEST(HttpLimits, ConnectionsBeyondTheLimitAreClosedAtOnceAndTheOthersServed) {
    HttpFixture fixture;
    std::string problem;
    fixture.options.limits.connections_max = 3;
    fixture.options.on_problem = [&](std::string_view text) { problem = text; };
    fixture.start();
    std::vector<RawClient> clients;
    for (int i = 0; i < 3; ++i) clients.push_back(fixture.connect());
    ASSERT_TRUE(fixture.await_connections(3));
    EXPECT_FALSE(fixture.connect().connected());
    EXPECT_FALSE(fixture.connect().connected());
    EXPECT_EQ(fixture.server->counts().refused, 2u);
    for (RawClient& client : clients) EXPECT_EQ(client.get("/")->status, 200);
    clients.pop_back();
    ASSERT_TRUE(fixture.await_connections(2));
    EXPECT_EQ(fixture.connect().get("/")->status, 200);
    fixture.server.reset();
    EXPECT_THAT(problem, HasSubstr("too many"));
}

TEST(HttpLimits, DescriptorsAreKeptForFiles) {
    const struct {
        const char* name;
        std::size_t limit;
        std::size_t connections;
        int first_reserved;
        bool is_short;
    } cases[] = {
        {"a high limit", 1'048'576, 16'384, 1'046'528, false}, {"just enough", 18'432, 16'384, 16'384, false},
        {"not enough", 18'431, 16'383, 16'383, true},          {"a usual hard limit", 4096, 3072, 3072, true},
        {"a usual soft limit", 1024, 768, 768, true},          {"few", 300, 150, 150, true},
    };
    for (const auto& each : cases) {
        const DescriptorPlan plan = plan_descriptors(each.limit, 16'384);
        EXPECT_EQ(plan.connections_max, each.connections) << each.name;
        EXPECT_EQ(plan.first_reserved, each.first_reserved) << each.name;
        EXPECT_EQ(!describe_shortage(each.limit, 16'384).empty(), each.is_short) << each.name;
    }
    EXPECT_EQ(describe_shortage(1024, 16'384),
              "this process may open 1024 files, so that it serves 768 connections at a time and not 16384; allow "
              "18432 (ulimit -n, LimitNOFILE=)");
}

TEST(HttpLimits, AConnectionThatWouldTakeAReservedDescriptorIsRefused) {
    HttpFixture fixture;
    // Sockets of this process have the lowest free numbers, the server's and the client's.
    Descriptor next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    fixture.options.limits.first_reserved_descriptor = next.number() + 60;
    next.close();
    std::string problem;
    fixture.options.on_problem = [&](std::string_view text) { problem = text; };
    fixture.start();
    std::vector<RawClient> clients;
    for (int i = 0; i < 40; ++i) clients.push_back(fixture.connect());
    EXPECT_FALSE(clients.back().connected());
    EXPECT_GT(fixture.server->counts().refused, 0u);
    EXPECT_EQ(clients.front().get("/")->status, 200);
    fixture.server.reset();
    EXPECT_THAT(problem, HasSubstr("for the store and the node"));
}

TEST(HttpLimits, IdleClientsThatAreNotKnownMakeRoomForOthers) {
    HttpFixture fixture;
    fixture.options.limits.connections_max = 4;
    fixture.options.limits.crowded_timeout = 20ms;
    fixture.on_head = [&](std::unique_ptr<HttpExchange> exchange) {
        exchange->belongs_to(1, exchange->request.target == "/known" ? 7 : 0);
        exchange->respond(echo(exchange->request));
    };
    fixture.start();
    RawClient known = fixture.connect();
    EXPECT_EQ(known.get("/known")->status, 200);
    std::vector<RawClient> strangers;
    for (int i = 0; i < 3; ++i) strangers.push_back(fixture.connect());
    strangers[0].send("GET / HTTP/1.1\r\n");
    bool is_served = false;
    for (int i = 0; i < 1000 && !is_served; ++i) {
        RawClient another = fixture.connect();
        const auto response = another.connected() ? another.get("/known") : std::nullopt;
        is_served = response && response->status == 200;
        if (!is_served) std::this_thread::sleep_for(10ms);
    }
    EXPECT_TRUE(is_served);
    EXPECT_EQ(known.get("/known")->status, 200) << "a client that is known stays";
}

Duration cpu_time() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST(HttpLimits, WithoutADescriptorLeftItRefusesAndDoesNotSpin) {
    HttpFixture fixture;
    fixture.start();
    RawClient served = fixture.connect();
    EXPECT_EQ(served.get("/")->status, 200);
    // The client's own sockets first, then all descriptors that are left.
    std::vector<Descriptor> sockets;
    for (int i = 0; i < 4; ++i) sockets.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit few{.rlim_cur = static_cast<rlim_t>(sockets.back().number() + 1), .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<Descriptor> filler;
    while (filler.empty() || filler.back()) filler.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));

    SocketAddress address = encode_address(fixture.server->address()).value();
    for (const Descriptor& socket : sockets) {
        ASSERT_EQ(::connect(socket.number(), address.get(), address.size), 0);
        char byte;
        EXPECT_LE(::recv(socket.number(), &byte, 1, 0), 0);  // closed by the server
    }
    EXPECT_EQ(served.get("/")->status, 200);
    const Duration start = cpu_time();
    std::this_thread::sleep_for(200ms);
    EXPECT_LT(cpu_time() - start, 100ms);

    filler.clear();
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(fixture.server->counts().refused, 4u);
    EXPECT_EQ(fixture.connect().get("/")->status, 200);
}

TEST(HttpLimits, PipelinedBytesBeyondTheLimitWaitInTheSocket) {
    HttpFixture fixture;
    fixture.options.limits.pipelined_bytes_max = 1000;
    Signal arrived;
    std::unique_ptr<HttpExchange> held;
    fixture.answer = [&](std::unique_ptr<HttpExchange> exchange) {
        if (exchange->request.target != "/first") return exchange->respond(echo(exchange->request));
        held = std::move(exchange);
        arrived.set();
    };
    fixture.start();
    RawClient client = fixture.connect();
    client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(arrived.wait());
    constexpr int kCount = 3000;
    std::thread sender([&] {
        std::string all;
        for (int i = 0; i < kCount; ++i) all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
        client.send(all);
    });
    sender.join();
    held->respond(echo(held->request));
    EXPECT_EQ(client.read_response()->body, "GET /first ");
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(client.read_response()->body, "GET /" + std::to_string(i) + " ");
}

TEST(HttpLimits, TheDescriptorLimitIsRaisedToWhatIsAllowed) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    EXPECT_EQ(raise_descriptor_limit(), limit.rlim_max);
}

}  // namespace http_limits_test
}  // namespace muster::os
