// Connections that go over to another protocol: bytes both ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <mutex>
#include <thread>

#include "os/testing/http_fixture.h"

namespace muster::os {
namespace http_tunnel_test {

using testing::HasSubstr;

SharedBytes bytes(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

struct Tunnels : HttpFixture {
    Tunnels() {
        answer = [this](std::unique_ptr<HttpExchange> exchange) {
            exchange->when_gone([this] { gone.set(); });
            HttpResponse head;
            head.status = 101;
            head.headers.push_back({"Upgrade", "echo"});
            auto made = exchange->upgrade(std::move(head), [this](std::string_view text) {
                std::lock_guard lock(mutex);
                received += text;
                if (received.size() >= expected) arrived.set();
            });
            std::lock_guard lock(mutex);
            tunnel = std::move(made);
            opened.set();
        };
    }
    HttpTunnel& open(RawClient& client, std::string_view early = "") {
        client.send("GET /up HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n" + std::string(early));
        EXPECT_TRUE(opened.wait());
        std::lock_guard lock(mutex);
        return *tunnel;
    }
    std::string taken() {
        std::lock_guard lock(mutex);
        return received;
    }

    std::size_t expected = 1;
    Signal opened;
    Signal arrived;
    Signal gone;
    std::mutex mutex;
    std::string received;
    std::unique_ptr<HttpTunnel> tunnel;
};

TEST(HttpTunnel, CarriesBytesBothWaysAsTheyAre) {
    Tunnels fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpTunnel& tunnel = fixture.open(client);
    const std::string head = client.receive_until("\r\n\r\n");
    EXPECT_THAT(head, HasSubstr("HTTP/1.1 101 Switching Protocols\r\n"));
    EXPECT_THAT(head, HasSubstr("Connection: Upgrade\r\n"));
    EXPECT_THAT(head, HasSubstr("Upgrade: echo\r\n"));
    EXPECT_THAT(head, testing::Not(HasSubstr("chunked")));
    client.send("GET / HTTP/1.1");
    EXPECT_TRUE(fixture.arrived.wait());
    EXPECT_EQ(fixture.taken(), "GET / HTTP/1.1");
    tunnel.write(bytes("bytes"));
    EXPECT_EQ(client.receive_until("bytes"), "bytes");
    tunnel.finish();
    EXPECT_EQ(client.receive_all(), "");
}

TEST(HttpTunnel, GetsWhatWasSentBeforeTheAnswer) {
    Tunnels fixture;
    fixture.expected = 5;
    fixture.start_plain();
    RawClient client = fixture.connect();
    fixture.open(client, "early");
    EXPECT_TRUE(fixture.arrived.wait());
    EXPECT_EQ(fixture.taken(), "early");
}

TEST(HttpTunnel, APeerThatHasEndedStillHasAllTakenThatItSent) {
    Tunnels fixture;
    fixture.options.limits.pipelined_bytes_max = 1000;
    constexpr std::size_t kSent = 200'000;
    fixture.start_plain();
    RawClient client = fixture.connect();
    HttpTunnel& tunnel = fixture.open(client);
    client.receive_until("\r\n\r\n");
    fixture.expected = 1000;
    client.send(std::string(kSent, 'x'));
    ::shutdown(client.descriptor(), SHUT_WR);
    EXPECT_TRUE(fixture.arrived.wait());
    std::size_t took = 0;
    for (int i = 0; i < 10'000 && took < kSent; ++i) {
        const std::size_t now = fixture.taken().size();
        if (now > took) tunnel.took(now - took);
        took = now;
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(fixture.taken().size(), kSent);
    EXPECT_TRUE(fixture.gone.wait());
}

TEST(HttpTunnel, ReadsNoFurtherThanIsTaken) {
    Tunnels fixture;
    fixture.options.limits.pipelined_bytes_max = 1000;
    constexpr std::size_t kSent = 8u << 20;
    fixture.start_plain();
    RawClient client = fixture.connect();
    HttpTunnel& tunnel = fixture.open(client);
    client.receive_until("\r\n\r\n");
    fixture.expected = 1000;
    std::thread sender([&] { client.send(std::string(kSent, 'x')); });
    EXPECT_TRUE(fixture.arrived.wait());
    EXPECT_LT(fixture.taken().size(), kSent / 4);
    // Taking lets the rest come.
    std::size_t took = 0;
    while (took < kSent) {
        const std::size_t now = fixture.taken().size();
        if (now > took) tunnel.took(now - took);
        took = now;
    }
    sender.join();
    EXPECT_EQ(fixture.taken(), std::string(kSent, 'x'));
}

TEST(HttpTunnel, TellsWhenThePeerHasGone) {
    Tunnels fixture;
    fixture.start();
    RawClient client = fixture.connect();
    HttpTunnel& tunnel = fixture.open(client);
    client.close();
    EXPECT_TRUE(fixture.gone.wait());
    tunnel.write(bytes("unread"));
    tunnel.took(0);
}

TEST(HttpTunnel, IsCutWhenItIsDropped) {
    Tunnels fixture;
    fixture.start();
    RawClient client = fixture.connect();
    fixture.open(client);
    {
        std::lock_guard lock(fixture.mutex);
        fixture.tunnel.reset();
    }
    EXPECT_TRUE(client.closed_by_peer());
}

TEST(HttpTunnel, EndsWithTheServer) {
    Tunnels fixture;
    fixture.start();
    RawClient client = fixture.connect();
    fixture.open(client);
    EXPECT_TRUE(fixture.stop());
    EXPECT_TRUE(fixture.gone.wait());
}

}  // namespace http_tunnel_test
}  // namespace muster::os
