// Bodies: read when the service asks for them, and not before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "os/testing/http_fixture.h"

namespace muster::os {
namespace {

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

TEST_F(HttpBody, AShortBodyThatNobodyAskedForIsSkipped) {
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
    client.send("POST /no HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" +
                head_of(2) + "ok");
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
        Signal& signal;
        ~OnEnd() { signal.set(); }
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

}  // namespace
}  // namespace muster::os
