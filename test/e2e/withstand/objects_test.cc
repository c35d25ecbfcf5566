// What stored objects and users with few rights do to others: pods that ask for too much, objects that are changed
// again and again, requests whose clients disconnect, rights that are tried again and again.
#include <fstream>
#include <sstream>

#include "test/e2e/withstand/pods.h"

namespace muster::e2e {
namespace objects_test {

class ObjectsTest : public PodsTest {
protected:
    std::vector<std::string> flags() const override {
        const std::string tokens = directory_ + ".tokens";
        std::ofstream(tokens) << "secret-of-ann,ann,1\n";
        return {"--token-auth-file", tokens, "--node", "process"};
    }
    void TearDown() override {
        PodsTest::TearDown();
        std::filesystem::remove(directory_ + ".tokens");
    }
    // The answer to a request of a user who may do in the namespace what the role edit allows.
    std::string ask_as_ann(const std::string& method, const std::string& target, const std::string& body,
                           const std::string& content_type = "application/json") const {
        RawPeer peer(port_);
        CHECK(peer.connected() && peer.handshake(*anonymous_));
        peer.send(request(method, target, body, content_type, "Authorization: Bearer secret-of-ann\r\n"));
        return peer.read_answer();
    }
    void let_ann_edit() const {
        ASSERT_EQ(ask_status("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
                             R"({"metadata":{"name":"ann"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
                             R"("kind":"ClusterRole","name":"edit"},"subjects":[{"kind":"User",)"
                             R"("apiGroup":"rbac.authorization.k8s.io","name":"ann"}]})"),
                  201);
    }
};

TEST_F(ObjectsTest, VariablesThatDoubleEachOtherDoNotDelayOthersAndTheServerStartsAgain) {
    std::string variables = R"({"name":"V0","value":"xxxxxxxx"})";
    for (int i = 1; i < 41; ++i) {
        const std::string before = "$(V" + std::to_string(i - 1) + ")";
        variables += R"(,{"name":"V)" + std::to_string(i) + R"(","value":")" + before + before + "\"}";
    }
    const std::string more = R"(,"nodeName":")" + node_name() + R"(","terminationGracePeriodSeconds":0)";
    const auto refused = [&](const std::string& name) {
        return ask("GET", std::string(kPods) + "/" + name).find("CreateContainerConfigError") != std::string::npos;
    };
    others_hardly_wait_while([&] {
        for (int i = 0; i < 5; ++i) {
            const std::string name = "bomb" + std::to_string(i);
            EXPECT_EQ(
                ask_status("POST", kPods, pod_json(name, R"("command":["true"],"env":[)" + variables + "]", more)),
                201);
            EXPECT_TRUE(holds_soon([&] { return refused(name); }));
        }
    });
    if (!kSanitized) {
        EXPECT_LT(resident_kb(), resident_at_start_ + (48 << 10));
    }
    EXPECT_EQ(server_->stop(SIGTERM), 0);
    begin();
    EXPECT_TRUE(refused("bomb0"));
    for (int i = 0; i < 5; ++i) ask_status("DELETE", std::string(kPods) + "/bomb" + std::to_string(i));
}

// The history for watches keeps bytes, not a number of changes.
TEST_F(ObjectsTest, ManyChangesOfALargeObjectTakeNoMoreThanTheHistoryMay) {
    const int changes = kSanitized ? 30 : 250;
    const std::string large(900'000, 'x');
    ASSERT_EQ(ask_status("POST", kMaps, R"({"metadata":{"name":"large"}})"), 201);
    others_hardly_wait_while([&] {
        RawPeer peer = admin();
        for (int i = 0; i < changes; ++i) {
            peer.send(request("PUT", std::string(kMaps) + "/large",
                              R"({"metadata":{"name":"large"},"data":{"a":")" + std::to_string(i) + large + "\"}}"));
            EXPECT_EQ(status_of(peer.read_answer()), 200);
        }
    });
    // 48 MiB of history for minutes, and what the journal holds.
    if (!kSanitized) {
        EXPECT_LT(resident_kb(), resident_at_start_ + (180 << 10)) << "of 225 MB that were written";
    }
    resident_at_start_ = resident_kb();
}

TEST_F(ObjectsTest, RequestsOfClientsThatDisconnectDoNotDelayOthers) {
    for (int i = 0; i < 300; ++i)
        ASSERT_EQ(ask_status("POST", kMaps,
                             R"({"metadata":{"generateName":"m-"},"data":{"a":")" + std::string(10'000, 'x') + "\"}}"),
                  201);
    others_hardly_wait_while([&] {
        for (int round = 0; round < (kSanitized ? 2 : 10); ++round) {
            std::vector<RawPeer> peers;
            for (int i = 0; i < 30; ++i) peers.push_back(admin());
            for (std::size_t i = 0; i < peers.size(); ++i)
                peers[i].send(i % 2 == 0 ? request("GET", kMaps)
                                         : request("POST", kMaps, R"({"metadata":{"generateName":"gone-"}})"));
            for (RawPeer& peer : peers) peer.reset();
        }
    });
}

TEST_F(ObjectsTest, PodsOfUsersWhoMayNotCreateThemAreRefusedAndOthersGoOn) {
    let_ann_edit();
    const std::string steals = pod_json("mine", R"("command":["cat",")" + directory_ + R"(/pki/ca.pem"])");
    others_hardly_wait_while([&] {
        for (int i = 0; i < (kSanitized ? 10 : 100); ++i) {
            const std::string answer = ask_as_ann("POST", kPods, steals);
            EXPECT_EQ(status_of(answer), 403) << answer;
            EXPECT_NE(answer.find("--pod-user"), std::string::npos) << answer;
        }
    });
}

class QueueTest : public WithstandTest {
protected:
    std::vector<std::string> flags() const override { return {"--controllers", "*"}; }
};

TEST_F(QueueTest, WaysAroundTheQuotaOfAQueueAreRefusedAndOthersGoOn) {
    const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
    const std::string queue = R"("labels":{"kueue.x-k8s.io/queue-name":"q"})";
    const std::string made = ask("POST", jobs,
                                 R"({"metadata":{"name":"waits",)" + queue +
                                     R"(},"spec":{"suspend":true,"template":{"spec":{"restartPolicy":"Never",)"
                                     R"("containers":[{"name":"c","image":"none","command":["true"]}]}}}})");
    ASSERT_EQ(status_of(made), 201) << made;
    const std::size_t at = made.find(R"("uid":")") + 7;
    const std::string uid = made.substr(at, made.find('"', at) - at);
    const std::string owned = R"({"metadata":{"name":"mine","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job",)"
                              R"("name":"waits","uid":")" +
                              uid +
                              R"(","controller":true}]},"spec":{"restartPolicy":"Never",)"
                              R"("containers":[{"name":"c","image":"none","command":["true"]}]}})";
    const std::string gated = ask("POST", kPods,
                                  R"({"metadata":{"name":"gated",)" + queue +
                                      R"(},"spec":{"restartPolicy":"Never",)"
                                      R"("containers":[{"name":"c","image":"none","command":["true"]}]}})");
    ASSERT_EQ(status_of(gated), 201) << gated;
    ASSERT_NE(gated.find("kueue.x-k8s.io/admission"), std::string::npos) << gated;
    others_hardly_wait_while([&] {
        for (int i = 0; i < (kSanitized ? 5 : 50); ++i) {
            EXPECT_EQ(
                ask_status("PATCH", jobs + "/waits", R"({"spec":{"suspend":false}})", "application/merge-patch+json"),
                403);
            EXPECT_EQ(ask_status("POST", kPods, owned), 403);
            EXPECT_EQ(ask_status("PATCH", std::string(kPods) + "/gated", R"({"spec":{"schedulingGates":null}})",
                                 "application/merge-patch+json"),
                      403);
        }
    });
}

TEST_F(ObjectsTest, BytesThatCutPathsAreRefusedAndOthersGoOn) {
    const std::string cut = "a\\u0000b";
    const std::string bad[] = {
        pod_json("p", R"("command":[")" + cut + "\"]"),
        pod_json("p", R"("command":["true"],"args":[")" + cut + "\"]"),
        pod_json("p", R"("command":["true"],"workingDir":"/)" + cut + "\""),
        pod_json("p", R"("command":["true"],"env":[{"name":"A","value":")" + cut + "\"}]"),
        pod_json("p", R"("command":["true"],"volumeMounts":[{"name":"v","mountPath":"/)" + cut + "\"}]",
                 R"(,"volumes":[{"name":"v","emptyDir":{}}])"),
        pod_json("p", R"("command":["true"],"volumeMounts":[{"name":"v","mountPath":"/x"}])",
                 R"(,"volumes":[{"name":"v","hostPath":{"path":"/)" + cut + "\"}}]"),
    };
    others_hardly_wait_while([&] {
        for (int i = 0; i < (kSanitized ? 2 : 20); ++i)
            for (const std::string& body : bad) EXPECT_EQ(ask_status("POST", kPods, body), 422) << body;
    });
}

// A file that was emptied is damage: nothing is made in its place, and the same clients are let in once it is back.
TEST_F(ObjectsTest, AnEmptiedAuthorityIsNotReplaced) {
    EXPECT_EQ(server_->stop(SIGTERM), 0);
    for (const char* name : {"ca.pem", "service-accounts.pem"}) {
        SCOPED_TRACE(name);
        const std::string path = directory_ + "/pki/" + name;
        std::stringstream before;
        before << std::ifstream(path).rdbuf();
        ASSERT_NE(before.str(), "");
        std::ofstream(path, std::ios::trunc).flush();
        RunningServer damaged(directory_, flags());
        EXPECT_EQ(damaged.ready_line(), "");
        EXPECT_NE(damaged.stop(SIGTERM), 0);
        EXPECT_EQ(std::filesystem::file_size(path), 0u);
        std::ofstream(path) << before.str();
    }
    begin();
    others_are_served();
}

}  // namespace objects_test
}  // namespace muster::e2e
