// What becomes of requests that cannot be answered in the time that their clients wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "server/testing/api_server.h"
#include "server/testing/config_maps.h"

namespace muster::server {
namespace api_service_deadline_test {

using api::core::ConfigMap;
using testing::HasSubstr;

constexpr const char* kTimedOut =
    R"("status":"Failure","message":"Timeout: request did not complete within the allotted timeout",)"
    R"("reason":"Timeout","details":{},"code":504})";

std::string within(const char* timeout, const std::string& path = kMaps) { return path + "?timeout=" + timeout; }

TEST(ApiServiceDeadline, ATimeoutThatIsNoDurationIsABadRequest) {
    ApiServer server;
    for (const char* user : {"root", "ann", ""}) {
        const auto talk = server.send(user, "GET", within("invalid"));
        EXPECT_EQ(talk->status, 400) << user;
        EXPECT_THAT(talk->body, HasSubstr(R"("message":"invalid timeout specified in the request URL - )"
                                          R"(time: invalid duration \"invalid\"","reason":"BadRequest")"));
    }
    EXPECT_EQ(server.send("root", "POST", within("10"), map_json("a"))->status, 400);
    EXPECT_FALSE(server.api.find<ConfigMap>("a"));
    EXPECT_EQ(server.send("root", "GET", "/version?timeout=x")->status, 400);
    EXPECT_EQ(server.send("root", "GET", within("10s"))->status, 200);
    EXPECT_EQ(server.send("root", "GET", within("x") + "&watch=true")->status, 200) << "a watch has no such timeout";
}

TEST(ApiServiceDeadline, ARequestThatStillWaitsForItsTurnIsAnsweredAndNotRun) {
    ApiServiceOptions options;
    options.flow.writes_max = 1;
    options.flow.share_max = 1;
    ApiServer server(options, 5s);
    const auto first = server.send("root", "POST", kMaps, map_json("a"));
    const auto second = server.send("root", "POST", within("2s"), map_json("b"));
    const auto third = server.send("root", "POST", kMaps, map_json("c"));
    server.api.loop.run_for(1999ms);
    EXPECT_FALSE(second->answered());
    server.api.loop.run_for(1ms);
    EXPECT_EQ(second->status, 504);
    EXPECT_THAT(second->body, HasSubstr(kTimedOut));
    EXPECT_THAT(server.audit.back(), HasSubstr("\"code\":504"));
    for (int i = 0; i < 3; ++i) server.api.settle();
    EXPECT_EQ(first->status, 201);
    EXPECT_EQ(third->status, 201) << "the next in the queue";
    EXPECT_FALSE(server.api.find<ConfigMap>("b"));
    EXPECT_EQ(second->answers, 1);
}

TEST(ApiServiceDeadline, AWriteThatIsNotOnDiskInTimeIsAnsweredAndStaysWritten) {
    ApiServer server({}, 5s);
    const auto late = server.send("root", "POST", within("1s"), map_json("a"));
    server.api.loop.run_for(1s);
    EXPECT_EQ(late->status, 504);
    EXPECT_THAT(late->body, HasSubstr(kTimedOut));
    server.api.settle();
    EXPECT_EQ(server.ask("root", "GET", std::string(kMaps) + "/a")->status, 200);
    EXPECT_EQ(late->answers, 1);
}

TEST(ApiServiceDeadline, AMinuteIsTheLongestThatARequestWaits) {
    ApiServer server({}, 90s);
    const auto usual = server.send("root", "POST", kMaps, map_json("a"));
    const auto patient = server.send("root", "POST", within("1h"), map_json("b"));
    server.api.loop.run_for(59s);
    EXPECT_FALSE(usual->answered());
    server.api.loop.run_for(1s);
    EXPECT_EQ(usual->status, 504);
    EXPECT_EQ(patient->status, 504);
}

TEST(ApiServiceDeadline, AWriteThatWaitsForRoomIsAnsweredAndNotMade) {
    ApiServer server({}, 5s, {.waiting_bytes_max = 10'000});
    const std::string large = R"({"metadata":{"name":"large"},"data":{"a":")" + std::string(20'000, 'x') + "\"}}";
    const auto first = server.send("root", "POST", kMaps, large);
    const auto late = server.send("root", "POST", within("1s"), map_json("late"));
    server.api.loop.run_for(1s);
    EXPECT_EQ(late->status, 504);
    for (int i = 0; i < 3; ++i) server.api.settle();
    EXPECT_EQ(first->status, 201);
    EXPECT_FALSE(server.api.find<ConfigMap>("late"));
    EXPECT_EQ(late->answers, 1);
    EXPECT_EQ(server.ask("root", "POST", kMaps, map_json("next"))->status, 201) << "its turn is over";
}

TEST(ApiServiceDeadline, AnAnswerInTimeIsTheOnlyOne) {
    ApiServer server({}, 300ms);
    const auto talk = server.send("root", "POST", within("1s"), map_json("a"));
    server.api.loop.run_for(5s);
    EXPECT_EQ(talk->status, 201);
    EXPECT_EQ(talk->answers, 1);
}

TEST(ApiServiceDeadline, WhatIsOnlyAnsweredHasNoTable) {
    ApiServer server;
    server.ask("root", "POST", "/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"a"}})");
    constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const struct {
        const char* path;
        const char* body;
    } cases[] = {
        {"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
         R"({"spec":{"nonResourceAttributes":{"path":"/"}}})"},
        {"/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", R"({"spec":{"namespace":"ns"}})"},
        {"/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"ann"}})"},
        {"/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}"},
        {"/api/v1/namespaces/ns/serviceaccounts/a/token", "{}"},
    };
    for (const auto& c : cases) {
        const auto refused = server.ask("root", "POST", c.path, c.body, {{"accept", kTable}});
        EXPECT_EQ(refused->status, 406) << c.path;
        EXPECT_THAT(refused->body, HasSubstr("only the following media types are accepted")) << c.path;
        const auto next =
            server.ask("root", "POST", c.path, c.body, {{"accept", std::string(kTable) + ",application/json"}});
        EXPECT_EQ(next->status, 201) << c.path << next->body;
    }
}

}  // namespace api_service_deadline_test
}  // namespace muster::server
