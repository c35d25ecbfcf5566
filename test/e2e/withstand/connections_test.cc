// Connections that lie about where a request ends, that are slow, that vanish, that never read, and very many of them.
#include "test/e2e/withstand/withstand.h"

namespace muster::e2e {
namespace connections_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kWatchers = kSanitized ? 300 : 5'000;
constexpr int kSlow = kSanitized ? 50 : 500;

class ConnectionsTest : public WithstandTest {
protected:
    std::string smuggled(int number) const {
        return request("POST", kMaps, R"({"metadata":{"name":"smuggled-)" + std::to_string(number) + "\"}}");
    }
};

TEST_F(ConnectionsTest, NoRequestIsHiddenInAnother) {
    const std::string post =
        "POST " + std::string(kMaps) + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    const std::string get = "GET /version HTTP/1.1\r\nHost: x\r\n";
    struct Shape {
        const char* what;
        std::string head;  // the hidden request follows
    };
    const Shape shapes[] = {
        {"a length and chunks", post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        {"chunks and a length", post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"},
        {"two lengths", post + "Content-Length: 0\r\nContent-Length: 400\r\n\r\n"},
        {"two lengths in one", post + "Content-Length: 0, 400\r\n\r\n"},
        {"a length with a sign", post + "Content-Length: +0\r\n\r\n"},
        {"a negative length", post + "Content-Length: -1\r\n\r\n"},
        {"a length in hex", post + "Content-Length: 0x0\r\n\r\n"},
        {"a length that overflows", post + "Content-Length: 18446744073709551616\r\n\r\n"},
        {"a space before the colon", post + "Content-Length : 0\r\n\r\n"},
        {"an unknown coding", post + "Transfer-Encoding: xchunked\r\n\r\n"},
        {"chunked twice", post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"},
        {"chunked in between", post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"},
        {"a folded header", post + "Transfer-Encoding:\r\n chunked\r\nContent-Length: 0\r\n\r\n"},
        {"a vertical tab", post + "Transfer-Encoding: \x0b"
                                  "chunked\r\nContent-Length: 0\r\n\r\n"},
        {"a chunk that overflows", post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"},
        {"a negative chunk", post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n"},
        {"a chunk without its end", post + "Transfer-Encoding: chunked\r\n\r\n1\r\n{XX0\r\n\r\n"},
        {"a NUL in a name", get + std::string("X-\0: a\r\n\r\n", 11)},
        {"a NUL in a value", get + std::string("X: \0\r\n\r\n", 8)},
        {"no name", get + ": a\r\n\r\n"},
        {"a line without a colon", get + "hello\r\n\r\n"},
        {"another version", "GET /version HTTP/3.0\r\nHost: x\r\n\r\n"},
        {"no version", "GET /version\r\n\r\n"},
        {"a method with a space", "GE T /version HTTP/1.1\r\nHost: x\r\n\r\n"},
        {"headers without end", get + "X: " + std::string(100'000, 'x') + "\r\n\r\n"},
    };
    int number = 0;
    for (const Shape& shape : shapes) {
        SCOPED_TRACE(shape.what);
        RawPeer peer = admin();
        peer.send(shape.head + smuggled(++number));
        const int status = status_of(peer.read_until("\r\n\r\n", seconds(10)));
        EXPECT_TRUE(status == 0 || (status >= 400 && status < 500) || status == 505 || status == 501) << status;
        EXPECT_TRUE(peer.closes_within(seconds(5))) << "what follows could be anything";
    }
    // A body where none is needed is read and belongs to its request.
    RawPeer peer = admin();
    const std::string hidden = smuggled(++number);
    peer.send(get + "Content-Length: " + std::to_string(hidden.size()) + "\r\n\r\n" + hidden);
    EXPECT_EQ(status_of(peer.read_answer()), 200);
    for (int i = 1; i <= number; ++i)
        EXPECT_EQ(ask_status("GET", std::string(kMaps) + "/smuggled-" + std::to_string(i)), 404) << i;
}

TEST_F(ConnectionsTest, SlowSendersDoNotDelayOthers) {
    std::vector<RawPeer> slow;
    for (int i = 0; i < kSlow; ++i) {
        slow.emplace_back(port_);
        ASSERT_TRUE(slow.back().connected());
        if (i % 4 == 0) continue;  // says nothing at all
        if (i % 4 == 1) {
            slow.back().send_plain(std::string("\x16\x03\x01", 3));  // the first bytes of a handshake
            continue;
        }
        ASSERT_TRUE(slow.back().handshake(i % 4 == 2 ? *anonymous_ : *admin_));
        slow.back().send("POST " + std::string(kMaps) + " HTTP/1.1\r\nHost: x\r\n");
        if (i % 4 == 3) slow.back().send("Content-Length: 1000000\r\n\r\n{");
    }
    for (int round = 0; round < 5; ++round) {
        for (int i = 2; i < kSlow; i += 4) slow[static_cast<std::size_t>(i)].send("X");
        others_are_served();
    }
}

TEST_F(ConnectionsTest, PeersMayVanishAtEveryStage) {
    for (int i = 0; i < 12; ++i) {  // something to answer at length
        const std::string body = R"({"metadata":{"name":"big-)" + std::to_string(i) + R"("},"data":{"a":")" +
                                 std::string(300'000, 'x') + "\"}}";
        ASSERT_EQ(ask_status("POST", kMaps, body), 201);
    }
    const std::string create = request("POST", kMaps, R"({"metadata":{"generateName":"g-"}})");
    const std::string list = request("GET", kMaps);
    const std::string watch = request("GET", std::string(kMaps) + "?watch=1");
    struct Stage {
        const char* what;
        bool tls;
        std::string sent;
        bool reads_a_little;
    };
    const Stage stages[] = {
        {"at once", false, "", false},
        {"in the handshake", false, std::string("\x16\x03\x01\x02\x00\x01\x00", 7), false},
        {"instead of the handshake", false, "GET / HTTP/1.1\r\n\r\n", false},
        {"after the handshake", true, "", false},
        {"in the first line", true, "GET /api", false},
        {"in the headers", true, list.substr(0, list.size() - 2), false},
        {"in the body", true, create.substr(0, create.size() - 5), false},
        {"before the answer to a write", true, create, false},
        {"before a long answer", true, list, false},
        {"in a long answer", true, list, true},
        {"before a watch begins", true, watch, false},
        {"in a watch", true, watch, true},
        {"with more requests under way", true, list + list + create + watch, false},
    };
    for (const Stage& stage : stages) {
        SCOPED_TRACE(stage.what);
        for (int i = 0; i < (kSanitized ? 3 : 10); ++i) {
            RawPeer peer(port_);
            ASSERT_TRUE(peer.connected());
            if (stage.tls) {
                ASSERT_TRUE(peer.handshake(*admin_));
                peer.send(stage.sent);
            } else if (!stage.sent.empty()) {
                peer.send_plain(stage.sent);
            }
            if (stage.reads_a_little) peer.read_until("ConfigMap");
            if (i % 3 == 0) peer.reset();
            if (i % 3 == 1) peer.shut_down_sending();
        }
        others_are_served();
    }
}

TEST_F(ConnectionsTest, AWatcherThatNeverReadsIsCut) {
    RawPeer idle = admin(4096);
    idle.send(request(
        "GET", std::string(kMaps) + "?watch=1&resourceVersion=" + [&] {
            const std::string list = ask("GET", std::string(kMaps) + "?limit=1");
            const std::size_t at = list.find("\"resourceVersion\":\"") + 19;
            return list.substr(at, list.find('"', at) - at);
        }()));
    idle.read_until("\r\n\r\n");
    ASSERT_EQ(ask_status("POST", kMaps, R"({"metadata":{"name":"loud"}})"), 201);
    RawPeer writer = admin();
    for (int i = 0; i < 50; ++i) {
        writer.send(request(
            "PATCH", std::string(kMaps) + "/loud",
            R"({"data":{"a":")" + std::string(420'000, static_cast<char>('a' + i % 26)) + std::to_string(i) + "\"}}",
            "application/merge-patch+json"));
        ASSERT_EQ(status_of(writer.read_answer()), 200);
    }
    others_are_served();
    EXPECT_TRUE(idle.closes_within(seconds(20))) << "and what it had not read is thrown away";
}

TEST_F(ConnectionsTest, ThousandsMayWatch) {
    const std::string list = ask("GET", std::string(kMaps) + "?limit=1");
    const std::size_t at = list.find("\"resourceVersion\":\"") + 19;
    const std::string version = list.substr(at, list.find('"', at) - at);
    const std::string watch = request("GET", std::string(kMaps) + "?watch=1&resourceVersion=" + version);
    // A session of TLS 1.2 is resumed without any public key: most of the test's time would go there.
    const client::ServerAccess access = server_->access();
    const PeerContext cheap({access.client_certificate, access.client_key}, TLS1_2_VERSION);
    std::vector<RawPeer> watchers;
    watchers.reserve(kWatchers);
    for (std::size_t i = 0; i < kWatchers; ++i) {
        watchers.emplace_back(port_);
        ASSERT_TRUE(watchers.back().connected()) << i;
        ASSERT_TRUE(watchers.back().handshake(cheap)) << i;
        ASSERT_TRUE(watchers.back().send(watch)) << i;
    }
    for (RawPeer& watcher : watchers) ASSERT_NE(watcher.read_until("\r\n\r\n").find(" 200 OK"), std::string::npos);
    others_are_served();
    ASSERT_EQ(ask_status("POST", kMaps, R"({"metadata":{"name":"everybody-sees-this"}})"), 201);
    for (RawPeer& watcher : watchers)
        ASSERT_NE(watcher.read_until("everybody-sees-this").find("everybody-sees-this"), std::string::npos);
    for (std::size_t i = 0; i < watchers.size(); i += 2) watchers[i].reset();
    watchers.clear();
}

}  // namespace connections_test
}  // namespace muster::e2e
