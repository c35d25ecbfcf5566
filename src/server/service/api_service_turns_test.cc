// When a request is run and its body read: after its client was allowed to ask, in its turn, and not for a client that
// has disconnected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "api/kinds/core/config.h"
#include "server/service/api_service.h"
#include "server/testing/api_server.h"
#include "server/testing/config_maps.h"

namespace muster::server {
namespace api_service_turns_test {

using api::core::ConfigMap;
using testing::HasSubstr;

TEST(ApiService, OneUsersWritesTakeTurns) {
    ApiServiceOptions options;
    options.flow.writes_max = 1;
    options.flow.share_max = 1;
    options.flow.queue_max = 1;
    ApiServer server(options);
    const auto first = server.send("root", "POST", kMaps, map_json("a"));
    const auto second = server.send("root", "POST", kMaps, map_json("b"));
    const auto third = server.send("root", "POST", kMaps, map_json("c"));
    EXPECT_EQ(third->status, 429);
    EXPECT_EQ(third->header("Retry-After"), "1");
    EXPECT_TRUE(server.api.find<ConfigMap>("a"));
    EXPECT_FALSE(server.api.find<ConfigMap>("b")) << "not its turn yet";
    const auto read = server.send("root", "GET", "/api/v1/namespaces/ns/pods/x");
    EXPECT_EQ(read->status, 404) << "reads have seats of their own";
    server.api.settle();
    EXPECT_EQ(first->status, 201);
    EXPECT_TRUE(server.api.find<ConfigMap>("b"));
    server.api.settle();
    EXPECT_EQ(second->status, 201);
    EXPECT_FALSE(server.api.find<ConfigMap>("c"));
    EXPECT_EQ(server.ask("root", "POST", kMaps, map_json("c"))->status, 201);
}

TEST(ApiService, AUserOfManyNamesGetsNoMoreThanTheirPart) {
    ApiServiceOptions options;
    options.flow.writes_max = 20;
    options.flow.crowded_max = 2;
    options.flow.queue_max = 4;
    options.flow.waiting_max = 32;
    ApiServer server(options);
    allow(server.api, "ann", "{verbs: [create], apiGroups: [''], resources: [configmaps]}");
    std::vector<ApiServer::Talk> flood;
    for (int i = 0; i < 200; ++i)
        flood.push_back(server.send("root", "POST", kMaps, map_json("m" + std::to_string(i)),
                                    {{"user-agent", "program " + std::to_string(i)}}));
    const auto begun = [&] {
        int count = 0;
        for (int i = 0; i < 200; ++i) count += server.api.find<ConfigMap>("m" + std::to_string(i)) != nullptr;
        return count;
    }();
    EXPECT_GT(begun, 2) << "their programs do not all wait for one another";
    EXPECT_LE(begun, 12);
    (void)server.send("ann", "POST", kMaps, map_json("light"));
    EXPECT_TRUE(server.api.find<ConfigMap>("light")) << "there is a seat left";
    server.api.loop.run_for(10s);
    int refused = 0;
    for (const auto& talk : flood) refused += talk->status == 429;
    EXPECT_GE(refused, 200 - 12 - 24) << "nor do they fill the queue";
}

TEST(ApiService, WhoWaitsTooLongForATurnIsRefused) {
    ApiServiceOptions options;
    options.flow.writes_max = 1;
    options.flow.share_max = 1;
    ApiServer server(options, 20s);
    const auto first = server.send("root", "POST", kMaps, map_json("a"));
    const auto second = server.send("root", "POST", kMaps, map_json("b"));
    server.api.loop.run_for(14s);
    EXPECT_FALSE(second->answered());
    server.api.loop.run_for(3s);
    EXPECT_EQ(second->status, 429);
    EXPECT_EQ(second->header("Retry-After"), "1");
    server.api.loop.run_for(60s);
    EXPECT_EQ(first->status, 201);
    EXPECT_FALSE(server.api.find<ConfigMap>("b"));
    EXPECT_EQ(second->answers, 1);
}

TEST(ApiService, ARequestWhoseClientHasDisconnectedLeavesTheQueueAndIsNotRun) {
    ApiServiceOptions options;
    options.flow.writes_max = 1;
    options.flow.share_max = 1;
    options.flow.queue_max = 2;
    ApiServer server(options);
    const auto first = server.send("root", "POST", kMaps, map_json("a"));
    const auto gone = server.send("root", "POST", kMaps, map_json("gone"));
    const auto third = server.send("root", "POST", kMaps, map_json("c"));
    EXPECT_EQ(server.send("root", "POST", kMaps, map_json("d"))->status, 429) << "the queue is full";
    gone->leave();
    server.api.loop.run_until_idle();
    EXPECT_TRUE(gone->dropped);
    EXPECT_THAT(server.audit.back(), HasSubstr("\"code\":499"));
    const auto fourth = server.send("root", "POST", kMaps, map_json("e"));
    EXPECT_FALSE(fourth->answered()) << "the place in the queue is free again";
    for (int i = 0; i < 4; ++i) server.api.settle();
    EXPECT_EQ(first->status, 201);
    EXPECT_EQ(third->status, 201);
    EXPECT_EQ(fourth->status, 201);
    EXPECT_FALSE(server.api.find<ConfigMap>("gone"));
}

TEST(ApiService, ABodyIsReadOnlyForAClientThatMayAsk) {
    const struct {
        const char* name;
        const char* token;
        const char* method;
        std::string target;
        std::vector<os::HttpHeader> headers;
        bool is_read;
        int status;
    } cases[] = {
        {"an anonymous client", "", "POST", kMaps, {}, false, 403},
        {"an unknown token", "unknown", "POST", kMaps, {}, false, 401},
        {"a user without the right", "bob", "POST", kMaps, {}, false, 403},
        {"a user with another right", "ann", "PUT", std::string(kMaps) + "/a", {}, false, 403},
        {"a user who may not act as another", "ann", "POST", kMaps, {{"impersonate-user", "root"}}, false, 403},
        {"a content type that is not taken", "root", "POST", kMaps, {{"content-type", "text/csv"}}, false, 415},
        {"a path that is not served", "root", "POST", "/api/v1/namespaces/ns/nothing", {}, false, 404},
        {"a read", "root", "GET", std::string(kMaps) + "/a", {}, false, 404},
        {"a health check", "", "POST", "/livez", {}, false, 200},
        {"a user with the right", "ann", "POST", kMaps, {}, true, 201},
        {"an administrator", "root", "POST", kMaps, {}, true, 201},
        {"an administrator who acts as another", "root", "POST", kMaps, {{"impersonate-user", "ann"}}, true, 201},
        {"a patch",
         "root",
         "PATCH",
         std::string(kMaps) + "/x",
         {{"content-type", "application/merge-patch+json"}},
         true,
         404},
        {"a deletion", "root", "DELETE", std::string(kMaps) + "/x", {}, true, 404},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.name);
        ApiServer server;
        allow(server.api, "ann", "{verbs: [create], apiGroups: [''], resources: [configmaps]}");
        const auto talk = std::make_shared<HttpTalk>();
        talk->sends_body = false;
        const bool writes = std::string_view(each.method) == "POST";
        server.send(each.token, each.method, each.target, writes ? map_json("a") : "{}", each.headers, talk);
        server.api.settle();
        EXPECT_EQ(talk->body_asked, each.is_read);
        EXPECT_EQ(talk->answered(), !each.is_read);
        talk->send_body();
        server.api.loop.run_until_idle();
        server.api.settle();
        EXPECT_EQ(talk->status, each.status) << talk->body;
    }
}

TEST(ApiService, WhatTheLoopHasJustAllowedNeedNotBeAskedAgainBeforeTheBodyIsRead) {
    ApiServer server;
    allow(server.api, "ann",
          "{verbs: [create], apiGroups: [''], resources: [configmaps]}, "
          "{verbs: [update], apiGroups: [''], resources: [configmaps], resourceNames: [a]}");
    const auto asked_at_once = [&](const char* token, const char* method, const std::string& target) {
        const auto talk = std::make_shared<HttpTalk>();
        talk->sends_body = false;
        const std::string bearer = "Bearer " + std::string(token);
        os::HttpRequest request = make_request(method, target, map_json("a"), {{"authorization", bearer}});
        server.service->serve(std::make_unique<TalkExchange>(std::move(request), talk));
        const bool at_once = talk->body_asked;
        server.api.loop.run_until_idle();
        talk->on_body = {};  // the client disconnects
        return at_once;
    };
    EXPECT_TRUE(asked_at_once("root", "POST", kMaps)) << "who may do everything";
    EXPECT_FALSE(asked_at_once("ann", "POST", kMaps));
    EXPECT_TRUE(asked_at_once("ann", "POST", kMaps));
    EXPECT_FALSE(asked_at_once("bob", "POST", kMaps)) << "another user";
    EXPECT_FALSE(asked_at_once("bob", "POST", kMaps)) << "a refusal is no right";
    EXPECT_FALSE(asked_at_once("ann", "PUT", std::string(kMaps) + "/a"));
    EXPECT_FALSE(asked_at_once("ann", "PUT", std::string(kMaps) + "/a")) << "a right to one object is not remembered";
    server.api.loop.run_for(2s);
    EXPECT_FALSE(asked_at_once("ann", "POST", kMaps)) << "not for long";
}

TEST(ApiService, ARightThatIsGoneWhenTheBodyHasComeIsNone) {
    ApiServer server;
    allow(server.api, "ann", "{verbs: [create], apiGroups: [''], resources: [configmaps]}");
    const auto talk = std::make_shared<HttpTalk>();
    talk->sends_body = false;
    server.send("ann", "POST", kMaps, map_json("a"), {}, talk);
    ASSERT_TRUE(talk->body_asked);
    server.ask("root", "DELETE", "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/rolebindings/ann");
    talk->send_body();
    server.api.loop.run_until_idle();
    server.api.settle();
    EXPECT_EQ(talk->status, 403);
    EXPECT_FALSE(server.api.find<ConfigMap>("a"));
}

// Keeps what it is given until it is told to do it.
struct HeldWorker final : os::Worker {
    std::deque<os::Work> given{};
    void run(os::Work work) override { given.push_back(std::move(work)); }
    void do_one() {
        os::Work work = std::move(given.front());
        given.pop_front();
        work();
    }
};

std::string long_map(const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"("},"data":{"a":")" + std::string(70'000, 'x') + "\"}}";
}

TEST(ApiService, LongBodiesAreDecodedByAWorkerAndOthersDoNotWait) {
    const auto worker = std::make_shared<HeldWorker>();
    ApiServiceOptions options;
    options.decoder = worker;
    ApiServer server(options);
    const auto first = server.send("root", "POST", kMaps, long_map("long"));
    ASSERT_EQ(worker->given.size(), 1u);
    EXPECT_EQ(server.ask("root", "POST", kMaps, map_json("short"))->status, 201);
    EXPECT_EQ(server.send("", "GET", "/livez")->status, 200);
    const std::string yaml = "metadata: {name: yaml}\ndata: {a: " + std::string(5'000, 'x') + "}\n";
    const auto second =
        server.send("root", "POST", kMaps, yaml, {{"content-type", "application/yaml"}, {"user-agent", "b"}});
    ASSERT_EQ(worker->given.size(), 2u) << "YAML is long much sooner";
    while (!worker->given.empty()) worker->do_one();
    server.api.loop.run_until_idle();
    server.api.settle();
    EXPECT_EQ(first->status, 201);
    EXPECT_EQ(second->status, 201);
    const auto patch = server.send("root", "PATCH", std::string(kMaps) + "/long", long_map("long"),
                                   {{"content-type", "application/merge-patch+json"}});
    ASSERT_EQ(worker->given.size(), 1u) << "patches, too";
    worker->do_one();
    server.api.loop.run_until_idle();
    server.api.settle();
    EXPECT_EQ(patch->status, 200);
}

TEST(ApiService, OneUsersLongBodiesLeaveTheWorkerToOthers) {
    const auto worker = std::make_shared<HeldWorker>();
    ApiServiceOptions options;
    options.decoder = worker;
    ApiServer server(options);
    allow(server.api, "ann", "{verbs: [create], apiGroups: [''], resources: [configmaps]}");
    std::vector<ApiServer::Talk> flood;
    for (int i = 0; i < 5; ++i) flood.push_back(server.send("root", "POST", kMaps, long_map("m" + std::to_string(i))));
    EXPECT_EQ(worker->given.size(), 1u) << "the others wait for their turn";
    const auto light = server.send("ann", "POST", kMaps, long_map("light"));
    ASSERT_EQ(worker->given.size(), 2u);
    flood[1]->leave();
    server.api.loop.run_until_idle();
    EXPECT_TRUE(flood[1]->dropped) << "its client has disconnected";
    worker->do_one();
    worker->do_one();
    server.api.loop.run_until_idle();
    server.api.settle();
    EXPECT_EQ(light->status, 201);
    for (int i = 0; i < 10; ++i) {
        if (!worker->given.empty()) worker->do_one();
        server.api.loop.run_until_idle();
        server.api.settle();
    }
    EXPECT_EQ(flood[4]->status, 201);
    EXPECT_FALSE(server.api.find<ConfigMap>("m1"));
}

TEST(ApiService, AClientMayDisconnectAtTheMomentOfItsTurn) {
    ApiServiceOptions options;
    options.flow.writes_max = 1;
    options.flow.share_max = 1;
    ApiServer server(options);
    const auto first = server.send("root", "POST", kMaps, map_json("a"));
    const auto second = server.send("root", "POST", kMaps, map_json("b"));
    second->leave();
    second->leave();
    server.api.settle();
    EXPECT_EQ(first->status, 201);
    EXPECT_FALSE(server.api.find<ConfigMap>("b"));
    EXPECT_EQ(server.ask("root", "POST", kMaps, map_json("c"))->status, 201) << "no seat is lost";
    second->leave();
    EXPECT_EQ(server.ask("root", "POST", kMaps, map_json("d"))->status, 201);
}

TEST(ApiService, ALongAnswerIsNotEncodedForAClientThatHasDisconnected) {
    ApiServiceOptions options;
    options.long_flow = {.reads_max = 1, .share_max = 1};
    ApiServer server(options);
    for (int i = 0; i < 60; ++i) server.ask("root", "POST", kMaps, map_json("m" + std::to_string(i)));
    std::vector<ApiServer::Talk> lists;
    for (int i = 0; i < 3; ++i) {
        lists.push_back(std::make_shared<HttpTalk>());
        lists.back()->encodes = i > 0;
        server.send("root", "GET", kMaps, {}, {}, lists.back());
    }
    ASSERT_TRUE(lists[0]->answered());
    ASSERT_FALSE(lists[1]->answered()) << "the first is still being encoded";
    lists[1]->leave();
    server.api.loop.run_until_idle();
    EXPECT_TRUE(lists[1]->dropped);
    lists[0]->not_encoded = {};
    server.api.loop.run_until_idle();
    EXPECT_EQ(lists[2]->status, 200);
    EXPECT_EQ(lists[1]->answers, 0);
    EXPECT_EQ(server.ask("root", "GET", kMaps)->status, 200);
}

}  // namespace api_service_turns_test
}  // namespace muster::server
