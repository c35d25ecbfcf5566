// What clients cost that may not ask, and what long bodies of those who may cost others.
#include <fstream>

#include "test/e2e/withstand/withstand.h"

namespace muster::e2e {
namespace rights_test {

using std::chrono::seconds;

constexpr std::size_t kBodyMax = 3u << 20;

// {a,a,a,…}: it takes a parser long, and means nothing.
std::string long_yaml(std::size_t bytes) {
    std::string body = "{";
    while (body.size() + 3 < bytes) body += "a,";
    return body + "a}";
}

std::string head(const std::string& target, std::size_t bytes, const std::string& more = {}) {
    return "POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/yaml\r\n" + more +
           "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
}

class RightsTest : public WithstandTest {
protected:
    std::vector<std::string> flags() const override {
        const std::string tokens = directory_ + ".tokens";
        std::ofstream(tokens) << "secret-of-ann,ann,1\n";
        return {"--token-auth-file", tokens};
    }
    void TearDown() override {
        WithstandTest::TearDown();
        std::filesystem::remove(directory_ + ".tokens");
    }
    // Headers of clients that may not create: one that is unknown, one that is known, one that shows a wrong token.
    const std::vector<std::string> without_rights_ = {"", "Authorization: Bearer secret-of-ann\r\n",
                                                      "Authorization: Bearer wrong\r\n"};
};

TEST_F(RightsTest, WhoMayNotAskIsAnsweredByTheHeadAlone) {
    for (const std::string& who : without_rights_) {
        SCOPED_TRACE(who);
        const int expected = who.find("wrong") == std::string::npos ? 403 : 401;
        for (const char* expect : {"", "Expect: 100-continue\r\n"}) {
            RawPeer peer(port_);
            ASSERT_TRUE(peer.connected() && peer.handshake(*anonymous_));
            peer.send(head(kMaps, kBodyMax, who + expect));  // and nothing of the body
            EXPECT_EQ(status_of(peer.read_until("\r\n\r\n", seconds(20))), expected);
            EXPECT_TRUE(peer.closes_within(seconds(20))) << "its body is not waited for";
        }
    }
    // An administrator's body is wanted.
    RawPeer peer = admin();
    peer.send(head(kMaps, kBodyMax, "Expect: 100-continue\r\n"));
    EXPECT_EQ(status_of(peer.read_until("\r\n\r\n", seconds(20))), 100);
}

TEST_F(RightsTest, BodiesOfClientsWithoutRightsDoNotDelayOthers) {
    const std::string body = long_yaml(kBodyMax);
    others_hardly_wait_while([&] {
        for (int i = 0; i < (kSanitized ? 6 : 30); ++i) {
            RawPeer peer(port_);
            if (!peer.connected() || !peer.handshake(*anonymous_)) continue;
            peer.send(head(kMaps, body.size(), without_rights_[static_cast<std::size_t>(i) % 3]) + body);
            (void)peer.read_until("\r\n\r\n", seconds(20));
        }
    });
}

TEST_F(RightsTest, LongBodiesOfAnAdministratorDoNotDelayOthers) {
    const std::string yaml = "metadata: {name: a}\nx: [" + long_yaml(300'000) + "]\n";  // fewer nodes than the limit
    std::string json = R"({"metadata":{"name":"a"},"data":{)";
    for (int i = 0; json.size() < 2'500'000; ++i) json += "\"" + std::to_string(1'000'000 + i) + "\":\"x\",";
    json += R"("z":"z"}})";
    others_hardly_wait_while([&] {
        std::vector<RawPeer> peers;
        for (int i = 0; i < 4; ++i) peers.push_back(admin());
        for (std::size_t i = 0; i < peers.size(); ++i)
            peers[i].send(i % 2 == 0 ? request("POST", kMaps, yaml, "application/yaml")
                                     : request("POST", kMaps, json, "application/json"));
        for (RawPeer& peer : peers) EXPECT_NE(status_of(peer.read_until("\r\n\r\n", seconds(60))), 0);
    });
}

TEST_F(RightsTest, YamlBeyondTheLimitsIsRefusedBeforeItIsRead) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string answer = ask("POST", kMaps, long_yaml(kBodyMax), "application/yaml");
    EXPECT_EQ(status_of(answer), 413) << answer.substr(0, 300);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(kSanitized ? 10 : 1));
}

}  // namespace rights_test
}  // namespace muster::e2e
