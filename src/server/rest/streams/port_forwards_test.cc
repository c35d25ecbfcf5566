#include "server/rest/streams/port_forwards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/testing/virtual_loop.h"
#include "server/testing/http_talk.h"
#include "server/testing/websocket_talk.h"

namespace muster::server {
namespace port_forwards_test {

using testing::HasSubstr;

// A program in the pod that the test plays: one connection to one port.
struct PlayedPeer {
    explicit PlayedPeer(os::Loop& loop) : changed(loop) {}
    os::Event changed;
    std::string said;      // that the client has not got yet
    std::string received;  // from the client
    bool takes = true;
    bool client_ended = false;
    bool closed = false;
    bool dropped = false;
    // Each throws as for want of memory.
    bool connecting_throws = false;
    bool reading_throws = false;
    bool writing_throws = false;

    void say(std::string_view text) {
        said += text;
        changed.notify();
    }
    void close() {
        closed = true;
        changed.notify();
    }
};

class PlayedStream final : public os::Stream {
public:
    explicit PlayedStream(PlayedPeer& peer) : peer_(peer) {}
    ~PlayedStream() override { peer_.dropped = true; }
    os::Task<Result<std::size_t>> read(std::span<char> buffer) override {
        while (peer_.said.empty() && !peer_.closed) co_await peer_.changed.wait();
        if (peer_.reading_throws) throw std::bad_alloc();
        const std::size_t size = std::min(buffer.size(), peer_.said.size());
        std::copy_n(peer_.said.data(), size, buffer.data());
        peer_.said.erase(0, size);
        co_return size;
    }
    os::Task<Result<>> write(std::string_view bytes) override {
        while (!peer_.takes) co_await peer_.changed.wait();
        if (peer_.writing_throws) throw std::bad_alloc();
        peer_.received += bytes;
        co_return Result<>();
    }
    void end_writing() override { peer_.client_ended = true; }
    void close() override { peer_.close(); }
    os::Address peer() const override { return {}; }

private:
    PlayedPeer& peer_;
};

// A pod where only port 80 is listened on.
class PlayedNetwork final : public os::Network {
public:
    explicit PlayedNetwork(PlayedPeer& peer) : peer_(peer) {}
    Result<std::unique_ptr<os::Listener>> listen(const os::Address&) override { return Error{Code::kInternal, ""}; }
    os::Task<Result<std::unique_ptr<os::Stream>>> connect(os::Address address) override {
        if (peer_.connecting_throws) throw std::bad_alloc();
        if (address != os::Address("10.0.0.1", 80)) co_return Error{Code::kIo, "connection refused"};
        co_return std::unique_ptr<os::Stream>(std::make_unique<PlayedStream>(peer_));
    }

private:
    PlayedPeer& peer_;
};

class PortForwardsTest : public testing::Test {
protected:
    void start(Protocol protocol, std::vector<std::uint16_t> ports) {
        Upgrade upgrade;
        upgrade.head.status = 101;
        upgrade.protocol = protocol;
        forwards.start(network, {"10.0.0.1", std::move(ports)}, std::move(upgrade),
                       std::make_unique<TalkExchange>(os::HttpRequest(), talk));
        loop.run_until_idle();
    }
    void send(int first, std::string_view payload) {
        talk->send(client_frame(first, payload));
        loop.run_until_idle();
    }
    std::string got() { return describe_frames(talk->take()); }

    os::VirtualLoop loop;
    PlayedPeer peer{loop};
    PlayedNetwork network{peer};
    std::shared_ptr<HttpTalk> talk = std::make_shared<HttpTalk>();
    PortForwards forwards{loop};
};

const std::string kData = std::string(1, '\0');

TEST_F(PortForwardsTest, ChannelsBeginWithTheirPortsAndCarryBytesBothWays) {
    start(Protocol::kWebSocketV4, {80});
    EXPECT_EQ(talk->status, 101);
    EXPECT_EQ(got(), "binary:" + std::string("\0P\0", 3) + " | binary:" + std::string("\1P\0", 3));
    send(0x82, kData + "GET /");
    EXPECT_EQ(peer.received, "GET /");
    peer.say("200");
    loop.run_until_idle();
    EXPECT_EQ(got(), "binary:" + kData + "200");
}

TEST_F(PortForwardsTest, AnExceptionCostsThatSessionOnly) {
    struct Case {
        const char* when;
        std::function<void(PlayedPeer&, HttpTalk&)> arm;
    };
    const Case cases[] = {
        {"while the pod is connected to", [](PlayedPeer& pod, HttpTalk&) { pod.connecting_throws = true; }},
        {"while the pod is read from", [](PlayedPeer& pod, HttpTalk&) { pod.reading_throws = true; }},
        {"while the pod is written to", [](PlayedPeer& pod, HttpTalk&) { pod.writing_throws = true; }},
        {"while the client is written to", [](PlayedPeer&, HttpTalk& client) { client.breaks = true; }},
    };
    start(Protocol::kWebSocketV4, {80});
    for (const Case& each : cases) {
        SCOPED_TRACE(each.when);
        PlayedPeer broken(loop);
        PlayedNetwork broken_network(broken);
        auto client = std::make_shared<HttpTalk>();
        Upgrade upgrade;
        upgrade.protocol = Protocol::kWebSocketV4;
        const bool at_once = &each == &cases[0];
        if (at_once) each.arm(broken, *client);
        forwards.start(broken_network, {"10.0.0.1", {80}}, upgrade,
                       std::make_unique<TalkExchange>(os::HttpRequest(), client));
        loop.run_until_idle();
        if (!at_once) each.arm(broken, *client);
        client->send(client_frame(0x82, kData + "hello"));
        broken.say("hello");
        loop.run_until_idle();
        EXPECT_EQ(forwards.count(), 1u) << "it is over";
        EXPECT_TRUE(client->finished || client->cut);
        EXPECT_EQ(client->cut, client->breaks);
        // The other goes on.
        got();
        peer.received.clear();
        send(0x82, kData + "ask");
        peer.say("answer");
        loop.run_until_idle();
        EXPECT_EQ(peer.received, "ask");
        EXPECT_EQ(got(), "binary:" + kData + "answer");
    }
}

TEST_F(PortForwardsTest, WhatMeetsAnExceptionWhenItIsReceivedOrEndsCostsThatSessionOnly) {
    start(Protocol::kWebSocketV4, {80});
    talk->breaks = true;
    send(0x89, "ping");
    EXPECT_EQ(forwards.count(), 0u);
    EXPECT_TRUE(talk->cut);
    talk = std::make_shared<HttpTalk>();
    start(Protocol::kWebSocketV4, {80});
    talk->breaks = true;
    talk->leave();
    loop.run_for(10s);
    EXPECT_EQ(forwards.count(), 0u);
    EXPECT_TRUE(talk->cut);
}

TEST_F(PortForwardsTest, Base64IsSpokenToo) {
    start(Protocol::kWebSocketV4Base64, {80});
    EXPECT_EQ(got(), "text:0UAA= | text:1UAA=");
    send(0x81, "0aGVsbG8=");
    EXPECT_EQ(peer.received, "hello");
    peer.say("hello");
    loop.run_until_idle();
    EXPECT_EQ(got(), "text:0aGVsbG8=");
}

TEST_F(PortForwardsTest, WhatGoesWrongWithOnePortIsSaidOnItsOtherChannel) {
    start(Protocol::kWebSocketV4, {80, 0x1f90});
    EXPECT_THAT(got(), HasSubstr("binary:\x02\x90\x1f | binary:\x03\x90\x1f | "
                                 "binary:\x03"
                                 "error forwarding port 8080 to the pod: connection refused"));
    peer.say("still here");
    loop.run_until_idle();
    EXPECT_EQ(got(), "binary:" + kData + "still here");
    EXPECT_EQ(forwards.count(), 1u);
}

TEST_F(PortForwardsTest, ItIsOverWhenThePodHasClosedAllConnections) {
    start(Protocol::kWebSocketV4, {80});
    got();
    peer.say("bye");
    peer.close();
    loop.run_until_idle();
    EXPECT_EQ(got(), "binary:" + kData + "bye | close:1000");
    EXPECT_TRUE(talk->finished);
    EXPECT_EQ(forwards.count(), 0u);
}

TEST_F(PortForwardsTest, InV5AClientCanEndItsInput) {
    start(Protocol::kWebSocketV5, {80});
    send(0x82, kData + "all");
    EXPECT_FALSE(peer.client_ended);
    send(0x82, std::string("\xff\0", 2));
    EXPECT_TRUE(peer.client_ended);
    EXPECT_EQ(peer.received, "all");
}

TEST_F(PortForwardsTest, AClientThatGoesAwayHasWhatItSentDelivered) {
    for (const bool says_goodbye : {true, false}) {
        SCOPED_TRACE(says_goodbye);
        PlayedPeer slow(loop);
        PlayedNetwork slow_network(slow);
        PortForwards those(loop);
        auto client = std::make_shared<HttpTalk>();
        slow.takes = false;
        Upgrade upgrade;
        upgrade.protocol = Protocol::kWebSocketV4;
        those.start(slow_network, {"10.0.0.1", {80}}, upgrade,
                    std::make_unique<TalkExchange>(os::HttpRequest(), client));
        loop.run_until_idle();
        client->send(client_frame(0x82, kData + "last"));
        says_goodbye ? client->send(client_frame(0x88, "\x03\xe8")) : client->leave();
        loop.run_until_idle();
        EXPECT_EQ(slow.received, "");
        slow.takes = true;
        slow.changed.notify();
        loop.run_until_idle();
        EXPECT_EQ(slow.received, "last");
        EXPECT_TRUE(slow.client_ended);
        slow.close();
        loop.run_until_idle();
        EXPECT_EQ(those.count(), 0u);
    }
}

TEST_F(PortForwardsTest, APodThatDoesNotCloseIsLeftAfterAWhile) {
    start(Protocol::kWebSocketV4, {80});
    talk->leave();
    loop.run_until_idle();
    EXPECT_EQ(forwards.count(), 1u);
    loop.run_for(10s);
    EXPECT_EQ(forwards.count(), 0u);
    EXPECT_TRUE(peer.dropped);
}

TEST_F(PortForwardsTest, WhatThePodDoesNotTakeIsNotReadFromTheClient) {
    start(Protocol::kWebSocketV4, {80});
    peer.takes = false;
    send(0x82, kData + "hello");
    const std::size_t sent = client_frame(0x82, kData + "hello").size();
    EXPECT_EQ(sent - talk->took, 5u);
    peer.takes = true;
    peer.changed.notify();
    loop.run_until_idle();
    EXPECT_EQ(talk->took, sent);
}

TEST_F(PortForwardsTest, MessagesForOtherChannelsAreLeftOut) {
    start(Protocol::kWebSocketV4, {80});
    got();
    send(0x82, "\x01to the errors");
    send(0x82, "\x08to no port");
    EXPECT_EQ(peer.received, "");
    send(0x89, "there?");
    EXPECT_EQ(got(), "pong:there?");
}

}  // namespace port_forwards_test
}  // namespace muster::server
