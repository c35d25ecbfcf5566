#include "client/remote/remote_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/kueue/kueue.h"
#include "client/mirror.h"
#include "client/testing/scripted_server.h"

namespace muster::client {
namespace remote_client_test {

using api::batch::Job;
using api::core::ConfigMap;
using api::core::Pod;
using api::kueue::Workload;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using View = Client::View;

constexpr const char* kStreamed =
    "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

std::string object_at(const char* name, const char* version, const char* more = "") {
    return std::string(R"({"metadata":{"name":")") + name + R"(","namespace":"n","uid":"u","resourceVersion":")" +
           version + "\"" + more + "}}";
}
std::string frame(const char* type, const std::string& object) {
    return std::string(R"({"type":")") + type + R"(","object":)" + object + "}\n";
}
constexpr const char* kEndOfState = R"(,"annotations":{"k8s.io/initial-events-end":"true"})";

struct RemoteClientTest : testing::Test {
    void connect(RemoteSettings settings = {}) {
        client = RemoteClient::make(loop, server.access(), std::move(settings)).value();
    }
    template <class K>
    static Ref<K> read(const char* yaml) {
        return std::make_shared<const K>(api::from_yaml<K>(yaml).value());
    }
    // A server without WatchList.
    void refuse_stream() {
        server.then(
            {.status = 422, .body = R"({"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"x"}]}})"});
    }
    ScriptedServer server;
    os::RealLoop loop;
    std::unique_ptr<RemoteClient> client;
};

TEST_F(RemoteClientTest, AListIsReadAsAStreamUntilTheBookmarkThatSaysItIsComplete) {
    server.then({.body = frame("ADDED", object_at("a", "3")) + frame("ADDED", object_at("b", "5")) +
                         frame("BOOKMARK", object_at("", "9", kEndOfState)),
                 .stays_open = true});
    connect();
    const auto listing = loop.run(client->list<ConfigMap>(""));
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    ASSERT_EQ(listing->items.size(), 2u);
    EXPECT_EQ(listing->items[1]->metadata.name, "b");
    EXPECT_EQ(listing->resource_version, "9");
    EXPECT_THAT(server.asked(), ElementsAre(std::string("GET /api/v1/configmaps") + kStreamed));
}

TEST_F(RemoteClientTest, AServerThatCannotStreamListsIsAskedForPagesFromThenOn) {
    refuse_stream();
    server.then(
        {.body = R"({"metadata":{"resourceVersion":"9","continue":"t/1"},"items":[)" + object_at("a", "3") + "]}"});
    server.then({.body = R"({"metadata":{"resourceVersion":"9"},"items":[)" + object_at("b", "5") + "]}"});
    server.then({.body = R"({"metadata":{"resourceVersion":"10"},"items":null})"});
    connect();
    const auto listing = loop.run(client->list<ConfigMap>("n"));
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    EXPECT_EQ(listing->items.size(), 2u);
    EXPECT_EQ(listing->resource_version, "9");
    EXPECT_EQ(loop.run(client->list<ConfigMap>("n"))->resource_version, "10");
    const std::string path = "GET /api/v1/namespaces/n/configmaps";
    EXPECT_THAT(server.asked(), ElementsAre(path + kStreamed, path + "?limit=500", path + "?limit=500&continue=t%2F1",
                                            path + "?limit=500"));
}

TEST_F(RemoteClientTest, AKindCanBeRestrictedAndOnlyItsMetadataBeAskedFor) {
    refuse_stream();
    server.then({.body = R"({"metadata":{"resourceVersion":"9"},"items":[)" +
                         object_at("a", "3", R"(,"labels":{"x":"z"},"managedFields":[{"manager":"m"}])") + "]}"});
    RemoteSettings settings;
    settings.selections[&api::kind_info<Pod>()] = {.labels = "a=b", .fields = "status.phase!=Failed"};
    connect(std::move(settings));
    const auto listing = loop.run(client->list_any(api::kind_info<Pod>(), "", View::kMetadata));
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    const auto& metadata = *static_cast<const api::meta::ObjectMeta*>(listing->items.at(0).get());
    EXPECT_EQ(*metadata.labels.find("x"), "z");
    EXPECT_EQ(metadata.managed_fields.size(), 0u) << "half of an object, and of no use here";
    EXPECT_EQ(server.asked().back(),
              "GET /api/v1/pods?limit=500&labelSelector=a%3Db&fieldSelector=status.phase%21%3DFailed");
    EXPECT_THAT(std::string(server.request(1).header("accept")), HasSubstr("as=PartialObjectMetadataList"));
}

struct WatchCase {
    const char* sentence;
    ScriptedServer::Answer answer;
    std::string ending;  // of the second read; the first gives an event
};

os::Task<std::string> read_twice(Client& client) {
    auto watch = co_await client.watch<ConfigMap>("", "7");
    if (!watch.ok()) co_return "refused: " + format_error(watch.error());
    const auto first = co_await watch->next();
    if (!first.ok()) co_return "first: " + format_error(first.error());
    const auto second = co_await watch->next();
    if (!second.ok()) co_return format_error(second.error());
    co_return second->empty() ? "ended" : "more";
}

TEST_F(RemoteClientTest, AWatchEndsInTheWayThatItsMirrorActsOn) {
    const std::string event = frame("MODIFIED", object_at("a", "8"));
    const WatchCase cases[] = {
        {"the server ends it", {.body = event}, "ended"},
        {"the history has expired",
         {.body = event + frame("ERROR", R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})")},
         "expired: too old"},
        {"another error is not a reason to list",
         {.body = event + frame("ERROR", R"({"kind":"Status","code":500,"message":"etcd"})")},
         "internal error: etcd"},
        {"an event that cannot be read",
         {.body = event + "{\"type\":\"ADDED\"\n"},
         "corrupt: the server's answer is no JSON of the expected shape"},
        {"half a frame",
         {.body = event + "{\"type\":\"ADD"},
         "corrupt: the server's answer is no JSON of the expected shape"},
        {"a refusal with 410",
         {.status = 410, .body = R"({"kind":"Status","reason":"Expired","message":"too old"})"},
         "refused: expired: too old"},
    };
    connect();
    for (const WatchCase& each : cases) {
        server.then(each.answer);
        EXPECT_EQ(loop.run(read_twice(*client)), each.ending) << each.sentence;
    }
    EXPECT_THAT(server.asked().front(), MatchesRegex("GET /api/v1/configmaps\\?watch=true&allowWatchBookmarks=true&"
                                                     "timeoutSeconds=[3-6][0-9][0-9]&resourceVersion=7"));
}

TEST_F(RemoteClientTest, AWatchThatIsSilentForTooLongHasAnEnd) {
    server.then({.body = frame("MODIFIED", object_at("a", "8")), .stays_open = true});
    RemoteSettings settings;
    settings.silence_max = 50ms;
    connect(std::move(settings));
    EXPECT_THAT(loop.run(read_twice(*client)), HasSubstr("timeout: "));
}

os::Task<void> wait_for_version(Mirror<ConfigMap>& mirror, std::uint64_t version) {
    co_await mirror.wait_reached(version);
}

TEST_F(RemoteClientTest, AMirrorListsOnceAndResumesItsWatchWhenTheServerEndsIt) {
    server.then({.body = frame("ADDED", object_at("a", "3")) + frame("BOOKMARK", object_at("", "9", kEndOfState)),
                 .stays_open = true});
    server.then({.body = frame("MODIFIED", object_at("a", "12"))});
    server.then({.body = frame("BOOKMARK", object_at("", "20")), .stays_open = true});
    connect();
    Mirror<ConfigMap> mirror(loop, *client);
    mirror.start();
    loop.run(wait_for_version(mirror, 20));
    const auto asked = server.asked();
    ASSERT_EQ(asked.size(), 3u);
    EXPECT_THAT(asked[1], HasSubstr("resourceVersion=9"));
    EXPECT_THAT(asked[2], HasSubstr("resourceVersion=12"));
    EXPECT_EQ(mirror.get({"n", "a"})->metadata.resource_version, "12");
}

TEST_F(RemoteClientTest, AChangeIsThePatchThatTheKindsServerTakes) {
    server.answer_all = [](const os::HttpRequest&) { return ScriptedServer::Answer{.body = object_at("j", "5")}; };
    connect();
    const auto job = read<Job>("{metadata: {name: j, namespace: 'n', resourceVersion: '4'}, spec: {suspend: true}}");
    Job resumed = *job;
    resumed.spec.suspend = false;
    EXPECT_EQ((*loop.run(client->change(job, resumed)))->metadata.resource_version, "5");
    Job counted = *job;
    counted.status.active = 2;
    ASSERT_TRUE(loop.run(client->change_status(job, counted)).ok());
    const auto workload = read<Workload>("{metadata: {name: w, namespace: 'n', resourceVersion: '4'}}");
    Workload inactive = *workload;
    inactive.spec.active = false;
    ASSERT_TRUE(loop.run(client->change(workload, inactive)).ok());
    const std::string query = "?fieldValidation=Ignore&fieldManager=muster";
    EXPECT_THAT(server.asked(), ElementsAre("PATCH /apis/batch/v1/namespaces/n/jobs/j" + query,
                                            "PATCH /apis/batch/v1/namespaces/n/jobs/j/status" + query,
                                            "PATCH /apis/kueue.x-k8s.io/v1beta2/namespaces/n/workloads/w" + query));
    EXPECT_EQ(server.request(0).body, R"({"spec":{"suspend":false},"metadata":{"resourceVersion":"4"}})");
    EXPECT_EQ(server.request(0).header("content-type"), "application/strategic-merge-patch+json");
    EXPECT_EQ(server.request(1).body, R"({"status":{"active":2},"metadata":{"resourceVersion":"4"}})");
    EXPECT_EQ(server.request(2).body, R"({"spec":{"active":false},"metadata":{"resourceVersion":"4"}})");
    EXPECT_EQ(server.request(2).header("content-type"), "application/merge-patch+json");
}

TEST_F(RemoteClientTest, AFinalizerOfACustomResourceGoesByAMergePatchOfWhatIsThere) {
    server.then({.body = object_at("w", "4", R"(,"finalizers":["a/b","c/d"])")});
    server.then({.status = 409, .body = R"({"kind":"Status","reason":"Conflict"})"});
    server.then({.body = object_at("w", "5", R"(,"finalizers":["a/b","c/d","e/f"])")});
    server.then({.body = object_at("w", "6", R"(,"finalizers":["a/b","e/f"])")});
    connect();
    MetadataPatch patch("u");
    patch.remove_finalizers.emplace_back("c/d");
    const auto patched = loop.run(client->patch_metadata<Workload>({"n", "w"}, patch));
    ASSERT_TRUE(patched.ok()) << patched.error().message;
    EXPECT_EQ((*patched)->metadata.resource_version, "6");
    EXPECT_EQ(server.request(1).header("content-type"), "application/merge-patch+json");
    EXPECT_EQ(server.request(1).body, R"({"metadata":{"finalizers":["a/b"],"resourceVersion":"4"}})");
    EXPECT_EQ(server.request(3).body, R"({"metadata":{"finalizers":["a/b","e/f"],"resourceVersion":"5"}})");

    server.then({.body = object_at("w", "7")});
    MetadataPatch other("another");
    other.remove_finalizers.emplace_back("c/d");
    EXPECT_EQ(loop.run(client->patch_metadata<Workload>({"n", "w"}, other)).error().code, Code::kConflict);
}

TEST_F(RemoteClientTest, AFinalizerOfABuiltInKindGoesByAStrategicPatchWithoutARead) {
    server.then({.body = object_at("p", "5")});
    connect();
    MetadataPatch patch("u");
    patch.remove_finalizers.emplace_back("c/d");
    ASSERT_TRUE(loop.run(client->patch_metadata<Pod>({"n", "p"}, patch)).ok());
    EXPECT_EQ(server.asked().size(), 1u);
    EXPECT_EQ(server.request(0).header("content-type"), "application/strategic-merge-patch+json");
}

TEST_F(RemoteClientTest, ARefusalSaysWhy) {
    server.then({.status = 403,
                 .body = R"({"kind":"Status","reason":"Forbidden","message":"no","details":{"causes":)"
                         R"([{"reason":"NamespaceTerminating","message":"m","field":"metadata.namespace"}]}})"});
    connect();
    const auto refused = loop.run(client->create(*read<Pod>("{metadata: {name: p, namespace: 'n'}}")));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kForbidden);
    ASSERT_EQ(refused.error().causes.size(), 1u);
    EXPECT_EQ(refused.error().causes[0].reason, "NamespaceTerminating");
    EXPECT_FALSE(client->out_of_touch());
}

}  // namespace remote_client_test
}  // namespace muster::client
