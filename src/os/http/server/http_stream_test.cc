// Streams of the HTTP server: what a watch is made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "os/testing/http_fixture.h"

namespace muster::os {
namespace http_stream_test {

SharedBytes bytes(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

// A fixture whose streams wait for the test.
struct Streams : HttpFixture {
    Streams() {
        answer = [this](std::unique_ptr<HttpExchange> exchange) {
            exchange->when_gone([this] { gone.set(); });
            HttpResponse head;
            head.headers.push_back({"Content-Type", "application/json"});
            head.body = first;
            auto made = exchange->stream(std::move(head));
            std::lock_guard lock(mutex);
            streams.push_back(std::move(made));
            opened.set();
        };
    }
    HttpStream& open(RawClient& client) {
        client.send("GET /watch HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_TRUE(opened.wait());
        std::lock_guard lock(mutex);
        return *streams.back();
    }

    std::string first;
    Signal opened;
    Signal gone;
    std::mutex mutex;
    std::vector<std::unique_ptr<HttpStream>> streams;
};

TEST(HttpStream, SendsTheHeadAtOnceAndChunksAsTheyCome) {
    Streams fixture;
    fixture.first = "first;";
    fixture.start();
    RawClient client = fixture.connect();
    HttpStream& stream = fixture.open(client);
    EXPECT_THAT(client.receive_until("\r\n\r\n"), testing::HasSubstr("Transfer-Encoding: chunked"));
    EXPECT_EQ(client.receive_until("first;\r\n"), "6\r\nfirst;\r\n");
    stream.write(bytes("second;"));
    EXPECT_EQ(client.receive_until("second;\r\n"), "7\r\nsecond;\r\n");
    stream.finish();
    EXPECT_EQ(client.receive_until("0\r\n\r\n"), "0\r\n\r\n");
    // The connection lives on, and what is written to a finished stream goes nowhere.
    stream.write(bytes("late"));
    fixture.answer = [](std::unique_ptr<HttpExchange> exchange) { exchange->respond(echo(exchange->request)); };
    EXPECT_EQ(client.get("/next")->body, "GET /next ");
}

TEST(HttpStream, GathersManyChunksAndLosesNone) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpStream& stream = fixture.open(client);
    std::string all;
    for (int i = 0; i < 20'000; ++i) {
        std::string event = "{\"event\":" + std::to_string(i) + "}\n";
        if (i % 1000 == 0) event += std::string(70'000, 'x') + "\n";
        all += event;
        stream.write(bytes(std::move(event)));
        stream.write(bytes(""));
    }
    stream.finish();
    const auto response = client.read_response();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body.size(), all.size());
    EXPECT_TRUE(response->body == all);
}

TEST(HttpStream, CountsWhatThePeerHasNotTaken) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpStream& stream = fixture.open(client);
    client.receive_until("\r\n\r\n");
    const SharedBytes event = bytes(std::string(100'000, 'e'));
    std::size_t written = 0;
    // More than any socket buffers.
    for (int i = 0; i < 300; ++i, written += event->size()) stream.write(event);
    EXPECT_GT(stream.unsent(), 1'000'000u);
    stream.finish();
    std::size_t received = 0;
    while (received < written) {
        const std::size_t size = std::strtoul(client.receive_until("\r\n").c_str(), nullptr, 16);
        ASSERT_GT(size, 0u);
        ASSERT_EQ(client.receive_until("\r\n").size(), size + 2);
        received += size;
    }
    EXPECT_EQ(client.receive_until("0\r\n\r\n"), "0\r\n\r\n");
    EXPECT_EQ(received, written);
    for (int i = 0; i < 10'000 && stream.unsent() > 0; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(stream.unsent(), 0u);
}

TEST(HttpStream, APeerThatClosesIsNoticedThoughNothingIsWritten) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpStream& stream = fixture.open(client);
    client.receive_until("\r\n\r\n");
    client.close();
    EXPECT_TRUE(fixture.gone.wait());
    stream.write(bytes("this is not read"));
    EXPECT_EQ(stream.unsent(), 0u);
    EXPECT_TRUE(fixture.await_connections(0));
}

TEST(HttpStream, APeerThatSaysItEndsIsGone) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    fixture.open(client);
    client.receive_until("\r\n\r\n");
    std::string notice;
    client.tls()->end(notice);
    client.send_raw(notice);
    EXPECT_TRUE(fixture.gone.wait());
}

TEST(HttpStream, APeerThatResetsIsGone) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    fixture.open(client);
    client.receive_until("\r\n\r\n");
    const linger abort{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(client.descriptor(), SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
    client.close();
    EXPECT_TRUE(fixture.gone.wait());
}

TEST(HttpStream, DestroyedWithoutFinishItCutsTheConnection) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpStream& stream = fixture.open(client);
    stream.write(bytes("part"));
    client.receive_until("part\r\n");
    fixture.streams.clear();
    EXPECT_EQ(client.receive_all(), "");
    EXPECT_TRUE(fixture.await_connections(0));
}

TEST(HttpStream, ASlowReaderIsCutThoughItsSocketIsFull) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpStream& stream = fixture.open(client);
    for (int i = 0; i < 300; ++i) stream.write(bytes(std::string(100'000, 'e')));
    fixture.streams.clear();
    EXPECT_TRUE(fixture.await_connections(0));
}

TEST(HttpStream, StoppingTheServerEndsStreamsWhole) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpStream& stream = fixture.open(client);
    stream.write(bytes("event"));
    Signal stopped;
    client.receive_until("event\r\n");
    fixture.server->stop(10s, [&] { stopped.set(); });
    EXPECT_EQ(client.receive_until("0\r\n\r\n"), "0\r\n\r\n");
    EXPECT_TRUE(fixture.gone.wait());
    client.close();
    EXPECT_TRUE(stopped.wait());
}

TEST(HttpStream, GoesToAnOldClientWithoutChunks) {
    Streams fixture;
    fixture.first = "first;";
    fixture.start();
    RawClient client = fixture.connect();
    client.send("GET /watch HTTP/1.0\r\n\r\n");
    ASSERT_TRUE(fixture.opened.wait());
    fixture.streams.back()->write(bytes("second;"));
    fixture.streams.back()->finish();
    const std::string all = client.receive_all();
    EXPECT_THAT(all, testing::Not(testing::HasSubstr("chunked")));
    EXPECT_TRUE(all.ends_with("\r\n\r\nfirst;second;")) << all;
}

TEST(HttpStream, IsWrittenFromSeveralThreadsInTurn) {
    Streams fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpStream& stream = fixture.open(client);
    std::string all;
    for (int i = 0; i < 10; ++i) {
        all += std::to_string(i);
        std::thread([&] { stream.write(bytes(std::to_string(i))); }).join();
    }
    stream.finish();
    EXPECT_EQ(client.read_response()->body, all);
}

}  // namespace http_stream_test
}  // namespace muster::os
