// Bodies: read when the service asks for them, and not before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "os/testing/http_fixture.h"

namespace muster::os {
namespace http_body_test {

using testing::HasSubstr;

constexpr std::size_t kLong = 2u << 20;

std::string head_of(std::size_t bytes, const std::string& more = {}) {
    return "POST /a HTTP/1.1\r\nHost: a\r\n" + more + "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
}

HttpResponse forbidden() {
    HttpResponse response = text_response("no");
    response.status = 403;
    return response;
}

struct HttpBody : testing::Test {
    HttpFixture fixture;
    std::unique_ptr<HttpExchange> held;
    Signal arrived;

    // Refuses /no by its head alone; holds /held; answers everything else when its body is there.
    void SetUp() override {
        fixture.on_head = [this](std::unique_ptr<HttpExchange> exchange) {
            if (exchange->request.target == "/no") return exchange->respond(forbidden());
            if (exchange->request.target != "/held") return with_body(std::move(exchange), fixture.answer);
            held = std::move(exchange);
            arrived.set();
        };
        fixture.start();
    }
    static std::string held_head(std::size_t bytes) {
        std::string head = head_of(bytes);
        return head.replace(head.find("/a"), 2, "/held");
    }
    static std::string refused(std::size_t bytes, const std::string& more = {}) {
        std::string head = head_of(bytes, more);
        return head.replace(head.find("/a"), 2, "/no");
    }
};

TEST_F(HttpBody, AnAnswerMayComeBeforeTheBodyAndALongOneEndsTheConnection) {
    RawClient client = fixture.connect();
    client.send(refused(kLong));
    const auto response = client.read_response();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 403);
    EXPECT_EQ(response->header("Connection"), "close");
    EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(HttpBody, TheAnswerArrivesThoughALongBodyIsBeingSent) {
    RawClient client = fixture.connect();
    std::thread sender([&] { client.send(refused(kLong) + std::string(kLong, 'b')); });
    sender.join();
    EXPECT_EQ(client.read_response()->status, 403);
}

TEST_F(HttpBody, AShortBodyThatTheServiceDoesNotReadIsSkipped) {
    for (const std::size_t size : {0u, 1u, 1000u, 100'000u, 262'144u}) {
        RawClient client = fixture.connect();
        const std::string hidden = head_of(2) + "hi";
        std::string body(size, 'b');
        if (size > hidden.size()) body.replace(0, hidden.size(), hidden);
        client.send(refused(size) + body + head_of(2) + "ok");
        EXPECT_EQ(client.read_response()->status, 403) << size;
        EXPECT_EQ(client.read_response()->body, "POST /a ok") << size;
    }
}

TEST_F(HttpBody, AShortBodyIsSkippedInWhateverPiecesItComes) {
    RawClient client = fixture.connect();
    client.send(refused(6));
    EXPECT_EQ(client.read_response()->status, 403);
    client.send("one");
    client.send("two" + head_of(2) + "ok");
    EXPECT_EQ(client.read_response()->body, "POST /a ok");
}

TEST_F(HttpBody, WhereTheEndOfAnUnreadBodyIsNotKnownTheConnectionEnds) {
    RawClient client = fixture.connect();
    client.send("POST /no HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + head_of(2) +
                "ok");
    EXPECT_EQ(client.read_response()->status, 403);
    EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(HttpBody, AClientIsToldToContinueOnlyWhenItsBodyIsWanted) {
    RawClient refused_client = fixture.connect();
    refused_client.send(refused(5, "Expect: 100-continue\r\n"));
    const auto response = refused_client.read_response();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 403);

    RawClient client = fixture.connect();
    client.send(head_of(5, "Expect: 100-continue\r\n"));
    EXPECT_THAT(client.receive_until("\r\n\r\n"), HasSubstr("100 Continue"));
    client.send("hello");
    EXPECT_EQ(client.read_response()->body, "POST /a hello");
}

TEST_F(HttpBody, ItMayBeAskedForLaterAndFromAnotherThread) {
    RawClient client = fixture.connect();
    client.send(held_head(kLong));
    ASSERT_TRUE(arrived.wait());
    std::thread([&] { with_body(std::move(held), fixture.answer); }).join();
    client.send(std::string(kLong, 'b'));
    EXPECT_EQ(client.read_response()->body.size(), kLong + 11);
}

TEST_F(HttpBody, ItMayBeAskedForWhenMuchOfItHasCome) {
    RawClient client = fixture.connect();
    std::thread sender([&] { client.send(held_head(kLong) + std::string(kLong, 'b')); });
    ASSERT_TRUE(arrived.wait());
    std::thread([&] { with_body(std::move(held), fixture.answer); }).join();
    sender.join();
    EXPECT_EQ(client.read_response()->body.size(), kLong + 11);
}

TEST_F(HttpBody, APeerThatGoesBeforeItsBodyIsThereEndsTheExchange) {
    RawClient client = fixture.connect();
    client.send(held_head(10));
    ASSERT_TRUE(arrived.wait());
    Signal dropped;
    bool called = false;
    struct OnEnd {
        explicit OnEnd(Signal& of) : signal(of) {}
        ~OnEnd() { signal.set(); }
        Signal& signal;
    };
    HttpExchange& asked = *held;
    asked.read_body([&called, exchange = std::move(held), end = std::make_unique<OnEnd>(dropped)] { called = true; });
    client.send("half");
    client.close();
    EXPECT_TRUE(dropped.wait());
    fixture.server.reset();
    EXPECT_FALSE(called);
}

TEST_F(HttpBody, ABodyThatIsRefusedOnItsWayEndsTheExchange) {
    RawClient client = fixture.connect();
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n");
    EXPECT_EQ(client.read_response()->status, 400);
    EXPECT_TRUE(client.closed_by_peer());
}

// Bodies of users by their path: /1, /2, …; what is kept for "/0" counts for all who are not known.
struct KeptBytes : testing::Test {
    HttpFixture fixture;
    const std::shared_ptr<ByteBudget> budget =
        std::make_shared<ByteBudget>(BudgetLimits{.total = 1'000'000, .strangers = 100'000, .user = 400'000});

    void SetUp() override {
        fixture.options.budget = budget;
        fixture.on_head = [](std::unique_ptr<HttpExchange> exchange) {
            const auto user = static_cast<std::uint64_t>(exchange->request.target[1] - '0');
            exchange->belongs_to(user, user);
            with_body(std::move(exchange), [](std::unique_ptr<HttpExchange> arrived) {
                const bool is_large = arrived->request.target.ends_with("large");
                arrived->respond(text_response(std::string(is_large ? 900'000 : 10, 'x')));
            });
        };
        fixture.start();
    }
    // Has sent so much of a body that is not complete, and the server has it.
    RawClient unfinished(int user, std::size_t bytes) {
        const std::size_t before = budget->used();
        RawClient client = fixture.connect();
        client.send("POST /" + std::to_string(user) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n" +
                    std::string(bytes, 'b'));
        for (int i = 0; i < 10'000 && budget->used() < before + bytes; ++i) std::this_thread::sleep_for(1ms);
        return client;
    }
};

TEST_F(KeptBytes, AUserWhoKeepsTooManyIsRefusedAndOthersAreNot) {
    RawClient first = unfinished(1, 200'000);
    EXPECT_GE(budget->used(), 200'000u);
    RawClient second = fixture.connect();
    second.send("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 350000\r\n\r\n" + std::string(350'000, 'b'));
    const auto refused = second.read_response();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 429);
    EXPECT_EQ(refused->header("Retry-After"), "1");
    EXPECT_THAT(refused->body, HasSubstr(R"("reason":"TooManyRequests","code":429)"));
    RawClient other = fixture.connect();
    EXPECT_EQ(other.get("/2")->status, 200);
    first.close();
    second.close();
    EXPECT_TRUE(fixture.await_connections(1));
    EXPECT_EQ(budget->used(), 0u) << "all of it is given back";
    RawClient again = fixture.connect();
    again.send("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n" + std::string(150'000, 'b'));
    EXPECT_EQ(again.read_response()->status, 200);
}

TEST_F(KeptBytes, ClientsThatAreNotKnownShareALimitForUnfinishedHeads) {
    std::vector<RawClient> clients;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(fixture.connect());
        clients.back().send("GET /0 HTTP/1.1\r\nHost: a\r\nX: " + std::string(30'000, 'x'));
    }
    int refused = 0;
    for (int i = 0; i < 10'000 && refused == 0; ++i) {
        std::this_thread::sleep_for(1ms);
        refused = fixture.server->counts().connections < 4 ? 1 : 0;
    }
    EXPECT_LE(budget->used(), 100'000u + 4u);
    EXPECT_EQ(fixture.connect().get("/1")->status, 200);
}

TEST_F(KeptBytes, AnAnswerThatIsNotTakenCountsAndOneTooManyIsRefused) {
    RawClient first = fixture.connect();
    EXPECT_EQ(first.get("/1/large")->status, 200) << "one may be larger than a user's limit";
    RawClient unfinished_body = unfinished(2, 200'000);
    const auto refused = first.get("/1/large");
    EXPECT_EQ(refused->status, 429) << "but not larger than what is left of the total";
    EXPECT_EQ(first.get("/1")->status, 200) << "the connection goes on";
}

TEST_F(HttpBody, AnotherProtocolCannotBeginInsideABody) {
    Signal gone;
    bool received = false;
    std::unique_ptr<HttpTunnel> tunnel;
    fixture.on_head = [&](std::unique_ptr<HttpExchange> exchange) {
        exchange->when_gone([&] { gone.set(); });
        HttpResponse head;
        head.status = 101;
        tunnel = exchange->upgrade(std::move(head), [&](std::string_view) { received = true; });
    };
    RawClient client = fixture.connect();
    client.send("GET /up HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nContent-Length: 9\r\n\r\nabc");
    EXPECT_EQ(client.read_response()->status, 400);
    EXPECT_TRUE(gone.wait());
    fixture.server.reset();
    EXPECT_FALSE(received);
}

}  // namespace http_body_test
}  // namespace muster::os
