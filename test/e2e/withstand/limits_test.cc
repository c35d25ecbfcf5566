// Clients that have the server keep bytes or file descriptors for them.
#include <fstream>

#include "test/e2e/withstand/withstand.h"

namespace muster::e2e {
namespace limits_test {

using std::chrono::seconds;

constexpr std::size_t kBodyMax = 3u << 20;

class LimitsTest : public WithstandTest {
protected:
    std::vector<std::string> flags() const override {
        const std::string tokens = directory_ + ".tokens";
        std::ofstream(tokens) << "secret,heavy,1,system:masters\n";
        return {"--token-auth-file", tokens, "--buffer-memory", "512Mi"};
    }
    void TearDown() override {
        WithstandTest::TearDown();
        std::filesystem::remove(directory_ + ".tokens");
    }
    // Connects and begins a large body; sends as much of it as the server takes, but for the end.
    RawPeer begin_body(const std::string& headers, std::size_t bytes) const {
        RawPeer peer(port_);
        CHECK(peer.connected() && peer.handshake(*anonymous_));
        peer.send("POST " + std::string(kMaps) + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
                  headers + "Content-Length: " + std::to_string(kBodyMax) + "\r\n\r\n" + std::string(bytes, ' '));
        return peer;
    }
};

TEST_F(LimitsTest, UnfinishedBodiesOfUnknownClientsAreNotKept) {
    others_hardly_wait_while([&] {
        std::vector<RawPeer> peers;
        for (int i = 0; i < (kSanitized ? 50 : 250); ++i) peers.push_back(begin_body("", 200'000));
        if (!kSanitized) {
            EXPECT_LT(resident_kb(), resident_at_start_ + (48 << 10));
        }
        for (RawPeer& peer : peers) EXPECT_EQ(status_of(peer.read_until("\r\n\r\n", seconds(20))), 403);
    });
}

TEST_F(LimitsTest, OneUserMayHaveSoManyBytesOfUnfinishedBodiesAndOthersGoOn) {
    constexpr int kPeers = 40;  // 120 MB
    others_hardly_wait_while([&] {
        std::vector<RawPeer> peers;
        for (int i = 0; i < kPeers; ++i)
            peers.push_back(begin_body("Authorization: Bearer secret\r\n", kBodyMax - 100));
        int refused = 0;  // of the last ones: the first may send the rest
        for (std::size_t i = 0; i < 10; ++i)
            refused += status_of(peers[peers.size() - 1 - i].read_until("\r\n\r\n", seconds(20))) == 429;
        EXPECT_GE(refused, 8);
        if (!kSanitized) {
            EXPECT_LT(resident_kb(), resident_at_start_ + (110 << 10));
        }
    });
}

TEST_F(LimitsTest, UnfinishedHeadsOfUnknownClientsShareOneLimit) {
    std::vector<RawPeer> peers;
    for (int i = 0; i < (kSanitized ? 290 : 400); ++i) {
        peers.emplace_back(port_);
        ASSERT_TRUE(peers.back().connected() && peers.back().handshake(*anonymous_));
        peers.back().send("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(60'000, 'x'));
    }
    EXPECT_EQ(status_of(peers.back().read_until("\r\n\r\n", seconds(20))), 429);
    others_are_served();
}

// A server of its own, which may open few files.
TEST(DescriptorsTest, IdleConnectionsLeaveFilesToTheStoreAndRoomToClients) {
    const std::string directory = fresh_directory("withstand-descriptors");
    const std::string errors = directory + ".errors";
    RunningServer server({"/bin/sh", "-c", "ulimit -n 300; exec \"$@\" 2>" + errors, "sh"}, directory);
    ASSERT_NE(server.ready_line(), "");
    std::string said;
    std::getline(std::ifstream(errors), said);
    EXPECT_NE(said.find("may open 300 files, so that it serves 150 connections"), std::string::npos) << said;

    const client::ServerAccess access = server.access();
    int port = 0;
    const std::size_t colon = access.server.rfind(':');
    std::from_chars(access.server.data() + colon + 1, access.server.data() + access.server.size(), port);
    const auto create = [](cli::Connection& client) {
        cli::Request made;
        made.method = "POST";
        made.target = "/api/v1/namespaces/default/configmaps";
        made.content_type = "application/json";
        made.body = R"({"metadata":{"generateName":"a-"}})";
        const auto answer = client.send(made);
        return answer.ok() ? answer->status : 0;
    };
    const auto before = server.connect();
    EXPECT_EQ(create(*before), 201);
    std::vector<RawPeer> idle;
    for (int i = 0; i < 400; ++i) idle.emplace_back(port);
    for (int i = 0; i < 50; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        ASSERT_EQ(create(*before), 201) << "the store has its files";
        EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(kSanitized ? 20 : 5));
    }
    // One that comes now gets a place before long, since idle clients that are not known lose theirs.
    int status = 0;
    for (int i = 0; i < 100 && status != 201; ++i) {
        if (auto after = cli::connect_http(access); after.ok()) status = create(**after);
        if (status != 201) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    EXPECT_EQ(status, 201);
    idle.clear();
    EXPECT_EQ(server.stop(SIGTERM), 0);
    std::filesystem::remove_all(directory);
    std::filesystem::remove(errors);
}

}  // namespace limits_test
}  // namespace muster::e2e
