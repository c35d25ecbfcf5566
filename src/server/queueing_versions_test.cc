// The queueing kinds over HTTP: two versions of one object, and no protobuf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "server/testing/api_server.h"

namespace muster::server {
namespace queueing_versions_test {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kOlder = "/apis/kueue.x-k8s.io/v1beta1/clusterqueues";
constexpr const char* kNewer = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues";
constexpr const char* kQueue = R"({"metadata":{"name":"q"},"spec":{"cohort":"c"}})";

struct QueueingVersions : ::testing::Test {
    ApiServer server;

    ApiServer::Talk ask(std::string method, std::string target, std::string body = {},
                        std::vector<os::HttpHeader> headers = {}) {
        return server.ask("root", std::move(method), std::move(target), std::move(body), std::move(headers));
    }
};

TEST_F(QueueingVersions, AreOneObject) {
    const auto created = ask("POST", kOlder, kQueue);
    EXPECT_EQ(created->status, 201);
    EXPECT_THAT(created->body, HasSubstr(R"("apiVersion":"kueue.x-k8s.io/v1beta1")"));
    EXPECT_THAT(created->body, HasSubstr(R"("cohort":"c","queueingStrategy":"BestEffortFIFO")"));
    const auto newer = ask("GET", std::string(kNewer) + "/q");
    EXPECT_THAT(newer->body, HasSubstr(R"("apiVersion":"kueue.x-k8s.io/v1beta2")"));
    EXPECT_THAT(newer->body, HasSubstr(R"("cohortName":"c")"));
    EXPECT_EQ(ask("POST", kNewer, R"({"metadata":{"name":"q"}})")->status, 409);
    EXPECT_THAT(ask("GET", kOlder)->body,
                HasSubstr(R"("kind":"ClusterQueueList","apiVersion":"kueue.x-k8s.io/v1beta1")"));

    const auto patched = ask("PATCH", std::string(kOlder) + "/q", R"({"spec":{"cohort":"d"}})",
                             {{"content-type", "application/merge-patch+json"}});
    EXPECT_EQ(patched->status, 200);
    EXPECT_THAT(ask("GET", std::string(kNewer) + "/q")->body, HasSubstr(R"("cohortName":"d")"));
    EXPECT_THAT(ask("GET", std::string(kNewer) + "/q")->body, HasSubstr(R"("generation":2)"));
    EXPECT_EQ(ask("DELETE", std::string(kOlder) + "/q")->status, 200);
    EXPECT_EQ(ask("GET", std::string(kNewer) + "/q")->status, 404);
}

TEST_F(QueueingVersions, AreCheckedByTheSameRules) {
    const auto refused = ask("POST", kOlder, R"({"metadata":{"name":"q"},"spec":{"stopPolicy":"Now"}})");
    EXPECT_EQ(refused->status, 422);
    EXPECT_THAT(refused->body, HasSubstr("spec.stopPolicy: Unsupported value"));
    EXPECT_EQ(ask("GET", std::string(kNewer) + "/q")->status, 404);
}

TEST_F(QueueingVersions, AreBothInDiscoveryTheNewerPreferred) {
    const auto group = ask("GET", "/apis/kueue.x-k8s.io");
    EXPECT_THAT(group->body, HasSubstr(R"("versions":[{"groupVersion":"kueue.x-k8s.io/v1beta2","version":"v1beta2"},)"
                                       R"({"groupVersion":"kueue.x-k8s.io/v1beta1","version":"v1beta1"}],)"
                                       R"("preferredVersion":{"groupVersion":"kueue.x-k8s.io/v1beta2")"));
    const boost::json::value groups = boost::json::parse(ask("GET", "/apis")->body);
    int seen = 0;
    for (const auto& each : groups.at("groups").as_array()) seen += each.at("name").as_string() == "kueue.x-k8s.io";
    EXPECT_EQ(seen, 1);
}

TEST_F(QueueingVersions, HaveNoProtobuf) {
    ask("POST", kNewer, R"({"metadata":{"name":"q"}})");
    const std::string one = std::string(kNewer) + "/q";
    const auto either = ask("GET", one, {}, {{"accept", "application/vnd.kubernetes.protobuf,application/json"}});
    EXPECT_EQ(either->status, 200);
    EXPECT_THAT(either->body, HasSubstr(R"("kind":"ClusterQueue")"));
    EXPECT_EQ(ask("GET", one, {}, {{"accept", "application/vnd.kubernetes.protobuf"}})->status, 406);
    const auto metadata = ask("GET", one, {},
                              {{"accept",
                                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;"
                                "g=meta.k8s.io;v=v1"}});
    EXPECT_EQ(metadata->status, 200);
    EXPECT_TRUE(metadata->body.starts_with("k8s")) << "metadata is every kind's, and has its own form";
    EXPECT_EQ(ask("POST", kNewer, "k8s", {{"content-type", "application/vnd.kubernetes.protobuf"}})->status, 415);
    EXPECT_THAT(ask("GET", "/api/v1/namespaces", {}, {{"accept", "application/vnd.kubernetes.protobuf"}})->body,
                Not(HasSubstr("\"kind\"")));
}

}  // namespace queueing_versions_test
}  // namespace muster::server
