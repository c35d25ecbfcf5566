#include "client/remote/remote_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/event.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/kueue/kueue.h"
#include "client/mirror.h"
#include "client/remote/requests.h"
#include "client/testing/scripted_server.h"
#include "os/loop/gather.h"

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

TEST_F(RemoteClientTest, AListInPagesMayComeCompressedAndAWatchIsNotAskedForSo) {
    refuse_stream();
    server.then({.body = R"({"metadata":{"resourceVersion":"9"},"items":[)" + object_at("a", "3") +
                         std::string(200'000, ' ') + "]}"});
    server.then({.body = frame("ADDED", object_at("b", "10")), .stays_open = true});
    connect();
    const auto listing = loop.run(client->list<ConfigMap>(""));
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    EXPECT_EQ(listing->items.size(), 1u);
    ASSERT_TRUE(loop.run(client->watch<ConfigMap>("", "9")).ok());
    EXPECT_EQ(server.request(0).header("accept-encoding"), "") << "a list as a stream is a watch";
    EXPECT_EQ(server.request(1).header("accept-encoding"), "gzip");
    EXPECT_EQ(server.request(2).header("accept-encoding"), "");
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

os::Task<std::string> read_log(LogStream& log) {
    const Result<> opened = co_await log.open();
    if (!opened.ok()) co_return format_error(opened.error());
    std::string text;
    for (;;) {
        auto part = co_await log.next();
        if (!part.ok()) co_return text + format_error(part.error());
        if (!*part) co_return text;
        text += **part;
    }
}

TEST_F(RemoteClientTest, ALogIsReadToItsEndAndMayBeSilent) {
    RemoteSettings settings;
    settings.silence_max = 1ms;
    connect(std::move(settings));
    server.then({.body = "one\ntwo\n"});
    api::core::PodLogOptions options;
    options.container = "c d";
    options.follow = true;
    options.stream = "Stdout";
    const auto log = client->open_log({"n", "p"}, options);
    EXPECT_EQ(loop.run(read_log(*log)), "one\ntwo\n");
    server.then({.status = 400, .body = R"({"kind":"Status","message":"no such container","reason":"BadRequest"})"});
    options = {};
    options.tail_lines = 10;
    const auto refused = client->open_log({"n", "p"}, options);
    EXPECT_THAT(loop.run(read_log(*refused)), HasSubstr("no such container"));
    EXPECT_THAT(server.asked(),
                ElementsAre("GET /api/v1/namespaces/n/pods/p/log?container=c%20d&follow=true&stream=Stdout",
                            "GET /api/v1/namespaces/n/pods/p/log?container=&tailLines=10"));
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

TEST(RequestFlow, IsWhatTheRequestIsAbout) {
    const auto pod = api::from_yaml<Pod>(
                         "{metadata: {name: p, namespace: 'n', uid: pod-uid, ownerReferences: [{uid: other}, "
                         "{uid: job-uid, controller: true}]}}")
                         .value();
    EXPECT_EQ(flow_for(api::kind_info<Pod>(), &pod), "job-uid");
    const auto job = api::from_yaml<Job>("{metadata: {name: j, namespace: 'n', uid: job-uid}}").value();
    EXPECT_EQ(flow_for(api::kind_info<Job>(), &job), "job-uid") << "a Job and its pods are one flow";
    const auto event = api::from_yaml<api::core::Event>(
                           "{metadata: {name: e, namespace: 'n'}, involvedObject: {kind: Job, uid: job-uid}}")
                           .value();
    EXPECT_EQ(flow_for(api::kind_info<api::core::Event>(), &event), "job-uid");
    const auto draft = api::from_yaml<Job>("{metadata: {name: j, namespace: 'n'}}").value();
    EXPECT_EQ(flow_for(api::kind_info<Job>(), &draft), "n") << "it is not there yet";
    EXPECT_EQ(flow_for("job-uid", {"n", "p"}), "job-uid");
    EXPECT_EQ(flow_for("", {"n", "p"}), "n");
}

os::Task<Result<void>> create_map(Client& client, const char* name) {
    ConfigMap map;
    map.metadata.name = name;
    map.metadata.namespace_ = "n";
    const auto created = co_await client.create(std::move(map));
    if (!created.ok()) co_return created.error();
    co_return Result<void>();
}

TEST_F(RemoteClientTest, AWriteThatWaitsForItsPlaceIsCheckedWhenItIsSentAndAReadIsNot) {
    // The first write has the one place until the check has begun to refuse.
    std::atomic<bool> may_write = true;
    server.answer_all = [&](const os::HttpRequest& request) -> ScriptedServer::Answer {
        if (request.method != "POST") return {.body = object_at("a", "1")};
        may_write = false;
        return {.status = 201, .body = object_at("a", "1")};
    };
    RemoteSettings settings;
    settings.transport.connections = 1;
    connect(std::move(settings));
    client->check_writes([&]() -> Result<> {
        if (may_write) return {};
        return Error{Code::kUnavailable, "this instance does not lead"};
    });
    std::vector<os::Task<Result<void>>> writes;
    writes.push_back(create_map(*client, "a"));
    writes.push_back(create_map(*client, "b"));
    const auto results = loop.run(os::gather(loop, std::move(writes)));
    EXPECT_TRUE(results[0].ok());
    ASSERT_FALSE(results[1].ok());
    EXPECT_EQ(results[1].error().message, "this instance does not lead");
    EXPECT_EQ(server.asked().size(), 1u);
    EXPECT_TRUE(loop.run(client->get<ConfigMap>({"n", "a"})).ok()) << "reads pass";
}

TEST_F(RemoteClientTest, AWriteThatTheServerPutsOffIsCheckedAgain) {
    std::atomic<bool> may_write = true;
    server.answer_all = [&](const os::HttpRequest&) -> ScriptedServer::Answer {
        may_write = false;
        return {.status = 429, .headers = {{"Retry-After", "1"}}};
    };
    connect();
    client->check_writes([&]() -> Result<> {
        if (may_write) return {};
        return Error{Code::kUnavailable, "this instance does not lead"};
    });
    const auto refused = loop.run(client->remove<ConfigMap>({"n", "a"}));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message, "this instance does not lead");
    EXPECT_EQ(server.asked().size(), 1u);
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

TEST_F(RemoteClientTest, AFieldOfMusterAloneIsNeitherSentToAClusterNorReadFromIt) {
    const std::string pod =
        R"({"metadata":{"name":"p","namespace":"n"},"spec":{"containers":[],"ttlSecondsAfterFinished":5}})";
    server.then({.body = pod});
    server.then({.body = pod});
    connect({.dialect = api::Dialect::kKubernetes});
    const auto read = loop.run(client->get<Pod>({"n", "p"}));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_FALSE((*read)->spec.ttl_seconds_after_finished);
    Pod draft;
    draft.metadata.namespace_ = "n";
    draft.spec.ttl_seconds_after_finished = 7;
    ASSERT_TRUE(loop.run(client->create<Pod>(draft)).ok());
    EXPECT_EQ(server.request(1).body.find("ttlSecondsAfterFinished"), std::string::npos) << server.request(1).body;
}

TEST_F(RemoteClientTest, AClientOfOneNamespaceListsNamespacedKindsThere) {
    refuse_stream();
    server.then({.body = R"({"metadata":{"resourceVersion":"9"},"items":[]})"});
    server.then({.body = R"({"metadata":{"resourceVersion":"9"},"items":[]})"});
    connect({.namespace_ = "team"});
    ASSERT_TRUE(loop.run(client->list<Pod>("")).ok());
    ASSERT_TRUE(loop.run(client->list<api::core::Namespace>("")).ok());
    EXPECT_THAT(server.asked().at(1), HasSubstr("GET /api/v1/namespaces/team/pods?"));
    EXPECT_THAT(server.asked().at(2), HasSubstr("GET /api/v1/namespaces?"));
}

TEST_F(RemoteClientTest, WhoWroteAnObjectIsKeptWhereItIsAskedFor) {
    const char* managers = R"(,"managedFields":[{"manager":"kube-controller-manager","operation":"Update",)"
                           R"("subresource":"status","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:status":{}}}])";
    server.then({.body = object_at("j", "3", managers)});
    server.then({.body = object_at("p", "3", managers)});
    connect({.with_managers = {&api::kind_info<Job>()}});
    const auto job = loop.run(client->get<Job>({"n", "j"}));
    const auto pod = loop.run(client->get<Pod>({"n", "p"}));
    ASSERT_TRUE(job.ok() && pod.ok());
    ASSERT_EQ((*job)->metadata.managed_fields.size(), 1u);
    EXPECT_EQ((*job)->metadata.managed_fields[0].manager, "kube-controller-manager");
    EXPECT_TRUE((*job)->metadata.managed_fields[0].fields_v1.json.empty());
    EXPECT_TRUE((*pod)->metadata.managed_fields.empty());
}

TEST_F(RemoteClientTest, ClientsOfOneLinkShareItsLimit) {
    std::atomic<int> under_way{0};
    std::atomic<int> most{0};
    server.answer_all = [&](const os::HttpRequest&) -> ScriptedServer::Answer {
        most = std::max(most.load(), ++under_way);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        --under_way;
        return {.body = object_at("a", "1")};
    };
    auto link = RemoteLink::make(loop, server.access(), {.connections = 1}).value();
    RemoteClient one(link, {});
    RemoteClient other(link, {});
    std::vector<os::Task<Result<Ref<ConfigMap>>>> reads;
    for (int i = 0; i < 3; ++i) {
        reads.push_back(one.get<ConfigMap>({"n", "a"}));
        reads.push_back(other.get<ConfigMap>({"n", "a"}));
    }
    for (const auto& answer : loop.run(os::gather(loop, std::move(reads)))) EXPECT_TRUE(answer.ok());
    EXPECT_EQ(most, 1);
}

}  // namespace remote_client_test
}  // namespace muster::client
