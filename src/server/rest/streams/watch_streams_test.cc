#include "server/rest/streams/watch_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/kinds/core/config.h"
#include "server/testing/api_server.h"
#include "server/testing/websocket_talk.h"

namespace muster::server {
namespace watch_streams_test {

using api::core::ConfigMap;
using testing::HasSubstr;

constexpr const char* kMaps = "/api/v1/namespaces/ns/configmaps";
constexpr const char* kWatchList = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

struct WatchStreamsTest : testing::Test {
    ApiServiceOptions options;
    store::StoreOptions stored;
    std::unique_ptr<ApiServer> made;

    ApiServer& server() {
        if (!made) made = std::make_unique<ApiServer>(options, 5ms, stored);
        return *made;
    }
    ApiObjects& api() { return server().api; }
    ApiServer::Talk watch(const std::string& query = "", std::vector<os::HttpHeader> headers = {},
                          ApiServer::Talk talk = std::make_shared<HttpTalk>()) {
        return server().send("root", "GET", std::string(kMaps) + "?watch=true" + query, "", std::move(headers), talk);
    }
    void create(const std::string& name, const std::string& label = "low") {
        api().create<ConfigMap>("metadata: {name: " + name + ", labels: {size: " + label + "}}");
    }
    void change(const std::string& name, const std::string& value) {
        CHECK(api().update<ConfigMap>(name, [&](ConfigMap& map) { map.data.set("k", value); }).ok());
    }
    std::string newest() { return std::to_string(api().store->revision()); }

    // "ADDED a@5, BOOKMARK @6 end, ERROR 410": what has come since the last call.
    static std::string take(HttpTalk& talk) {
        std::string line;
        std::string text = talk.take();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            CHECK(end != std::string::npos, "half a line");
            const auto event = boost::json::parse(text.substr(at, end - at)).as_object();
            at = end + 1;
            line += (line.empty() ? "" : ", ") + std::string(event.at("type").as_string().c_str()) + " ";
            const auto& object = event.at("object").as_object();
            if (event.at("type") == "ERROR") {
                line += std::to_string(object.at("code").as_int64());
                continue;
            }
            const auto& metadata = object.at("metadata").as_object();
            if (metadata.contains("name")) line += metadata.at("name").as_string().c_str();
            line += std::string("@") + metadata.at("resourceVersion").as_string().c_str();
            if (metadata.contains("annotations")) line += " end";
        }
        return line;
    }
    store::Revision at(const std::string& name) {
        return std::stoull(api().get<ConfigMap>(name).metadata.resource_version.str());
    }
    std::string shown(const std::string& type, const std::string& name) {
        return type + " " + name + "@" + std::to_string(at(name));
    }
};

const std::vector<os::HttpHeader> kWebSocket = {{"connection", "Upgrade"},
                                                {"upgrade", "websocket"},
                                                {"sec-websocket-version", "13"},
                                                {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="}};

TEST_F(WatchStreamsTest, OverAWebSocketEachEventIsAMessage) {
    create("a");
    create("b");
    api().settle();
    const auto talk = watch("", kWebSocket);
    EXPECT_EQ(talk->status, 101);
    EXPECT_EQ(talk->header("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    auto frames = server_frames(talk->take());
    ASSERT_EQ(frames.size(), 2u);
    for (const ServerFrame& frame : frames) {
        EXPECT_EQ(frame.opcode, 1);
        EXPECT_TRUE(frame.payload.starts_with(R"({"type":"ADDED","object":{"kind":"ConfigMap")"));
        EXPECT_TRUE(frame.payload.ends_with("}\n"));
    }
    change("a", "1");
    change("b", "2");
    api().settle();
    frames = server_frames(talk->take());
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_THAT(frames[1].payload, HasSubstr(R"({"type":"MODIFIED")"));
    talk->send(client_frame(0x89, "there?"));
    talk->send(client_frame(0x88, "\x03\xe8"));
    api().settle();
    EXPECT_EQ(describe_frames(talk->take()), "pong:there? | close:1000");
    change("a", "3");
    api().settle();
    EXPECT_EQ(talk->take(), "");
}

TEST_F(WatchStreamsTest, OverAWebSocketProtobufIsBinaryAndWithoutLengths) {
    create("a");
    api().settle();
    auto headers = kWebSocket;
    headers.push_back({"accept", "application/vnd.kubernetes.protobuf;stream=watch"});
    const auto talk = watch("", headers);
    const auto frames = server_frames(talk->take());
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].opcode, 2);
    EXPECT_TRUE(
        frames[0].payload.starts_with("\n\x05"
                                      "ADDED"));
}

TEST_F(WatchStreamsTest, OverAWebSocketAnExpiredVersionAndTheEndAreToldInOrder) {
    stored.history_events_max = 64;
    create("a");
    const std::string version = newest();
    for (int i = 0; i < 500; ++i) change("a", std::to_string(i));
    api().settle();
    const auto talk = watch("&resourceVersion=" + version, kWebSocket);
    api().settle();
    const auto frames = server_frames(talk->take());
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_THAT(frames[0].payload, testing::AllOf(HasSubstr(R"("type":"ERROR")"), HasSubstr(R"("code":410)")));
    EXPECT_EQ(frames[1].opcode, 8);
    EXPECT_TRUE(talk->finished);
}

TEST_F(WatchStreamsTest, AWebSocketThatIsNoneIsRefused) {
    auto headers = kWebSocket;
    headers[3].value = "no key";
    const auto talk = watch("", headers);
    EXPECT_EQ(talk->status, 400);
    EXPECT_THAT(talk->body, HasSubstr("Sec-WebSocket-Key is not a key"));
}

TEST_F(WatchStreamsTest, ShowsWhatIsThereAndThenWhatHappens) {
    create("a");
    create("b");
    api().settle();
    const auto talk = watch();
    EXPECT_EQ(talk->status, 200);
    EXPECT_EQ(talk->header("Content-Type"), "application/json");
    EXPECT_EQ(take(*talk), shown("ADDED", "a") + ", " + shown("ADDED", "b"));
    create("c");
    api().loop.run_until_idle();
    EXPECT_EQ(take(*talk), "") << "not before it is on disk";
    api().settle();
    EXPECT_EQ(take(*talk), shown("ADDED", "c"));
    change("a", "1");
    const std::string changed = shown("MODIFIED", "a");
    ASSERT_TRUE(api().remove<ConfigMap>("a").ok());
    const std::string gone = "DELETED a@" + newest();
    api().settle();
    EXPECT_EQ(take(*talk), changed + ", " + gone);
    EXPECT_FALSE(talk->finished);
    EXPECT_FALSE(talk->cut);
}

TEST_F(WatchStreamsTest, WaitsWithItsFirstStateUntilThatIsOnDisk) {
    create("a");
    const auto talk = watch();
    EXPECT_EQ(talk->status, 200) << "its head comes at once";
    EXPECT_EQ(take(*talk), "");
    api().settle();
    EXPECT_EQ(take(*talk), shown("ADDED", "a")) << "and not twice";
}

TEST_F(WatchStreamsTest, FromAVersionShowsOnlyWhatCameAfter) {
    create("a");
    const std::string version = newest();
    create("b");
    api().settle();
    const auto talk = watch("&resourceVersion=" + version);
    EXPECT_EQ(take(*talk), shown("ADDED", "b"));
    const auto now = watch("&resourceVersion=" + newest());
    EXPECT_EQ(take(*now), "");
    create("c");
    api().settle();
    EXPECT_EQ(take(*talk), shown("ADDED", "c"));
    EXPECT_EQ(take(*now), shown("ADDED", "c"));
    const auto any = watch("&resourceVersion=0");
    EXPECT_EQ(take(*any), shown("ADDED", "a") + ", " + shown("ADDED", "b") + ", " + shown("ADDED", "c"));
}

TEST_F(WatchStreamsTest, SaysWhereTheFirstStateEndsWhenAsked) {
    create("a");
    api().settle();
    for (const std::string& version :
         {std::string(), std::string("&resourceVersion=0"), "&resourceVersion=" + newest()}) {
        SCOPED_TRACE(version);
        const auto talk = watch(kWatchList + version);
        EXPECT_EQ(take(*talk), shown("ADDED", "a") + ", BOOKMARK @" + newest() + " end");
        change("a", "x" + version);
        api().settle();
        EXPECT_EQ(take(*talk), shown("MODIFIED", "a"));
    }
    const auto none = watch("&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    EXPECT_EQ(take(*none), "");
    change("a", "last");
    api().settle();
    EXPECT_EQ(take(*none), shown("MODIFIED", "a"));
}

TEST_F(WatchStreamsTest, SendsNoBookmarkToWhoDidNotAskForThem) {
    create("a");
    api().settle();
    const auto talk = watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    EXPECT_EQ(take(*talk), shown("ADDED", "a"));
}

TEST_F(WatchStreamsTest, AFirstStateIsNotOlderThanTheVersionAskedFor) {
    create("a");
    api().settle();
    const std::string next = std::to_string(api().store->revision() + 1);
    const auto in_time = watch(kWatchList + ("&resourceVersion=" + next));
    api().loop.run_for(1s);
    EXPECT_EQ(take(*in_time), "");
    create("b");
    api().settle();
    api().loop.run_for(100ms);
    EXPECT_EQ(take(*in_time), shown("ADDED", "a") + ", " + shown("ADDED", "b") + ", BOOKMARK @" + next + " end");
    const auto in_vain = watch(kWatchList + ("&resourceVersion=" + std::to_string(api().store->revision() + 1)));
    api().loop.run_for(4s);
    EXPECT_EQ(take(*in_vain), "ERROR 504");
    EXPECT_TRUE(in_vain->finished);
}

TEST_F(WatchStreamsTest, SaysWhereAnEmptyStateEnds) {
    EXPECT_EQ(take(*watch(kWatchList)), "BOOKMARK @" + newest() + " end");
}

TEST_F(WatchStreamsTest, SeesOnlyWhatItSelects) {
    create("a", "low");
    create("b", "high");
    api().settle();
    const auto talk = watch("&labelSelector=size%3Dhigh");
    EXPECT_EQ(take(*talk), shown("ADDED", "b"));
    const auto grow = [](ConfigMap& map) { map.metadata.labels.set("size", "high"); };
    const auto shrink = [](ConfigMap& map) { map.metadata.labels.set("size", "low"); };
    ASSERT_TRUE(api().update<ConfigMap>("a", grow).ok());
    ASSERT_TRUE(api().update<ConfigMap>("b", shrink).ok());
    api().settle();
    EXPECT_EQ(take(*talk), shown("ADDED", "a") + ", " + shown("DELETED", "b"));
    change("b", "unseen");
    api().settle();
    EXPECT_EQ(take(*talk), "");
}

TEST_F(WatchStreamsTest, KeepsToItsNamespace) {
    api().create<api::core::Namespace>("metadata: {name: other}");
    api().settle();
    const auto here = watch();
    const auto everywhere = server().send("root", "GET", "/api/v1/configmaps?watch=true");
    ASSERT_TRUE(
        api()
            .objects
            .create({api::kind_info<ConfigMap>(), "other", ""}, ApiObjects::draft<ConfigMap>("metadata: {name: a}"), {})
            .ok());
    api().settle();
    EXPECT_EQ(take(*here), "");
    EXPECT_EQ(take(*everywhere), "ADDED a@" + newest());
}

TEST_F(WatchStreamsTest, SendsBookmarksEveryMinuteToWhoTakesThem) {
    const auto with = watch("&allowWatchBookmarks=true");
    const auto without = watch();
    create("a");
    api().settle();
    take(*with);
    take(*without);
    const std::string version = newest();
    api().loop.run_for(61s);
    EXPECT_EQ(take(*with), "BOOKMARK @" + version);
    EXPECT_EQ(take(*without), "");
    change("a", "1");
    api().loop.run_for(61s);
    EXPECT_EQ(take(*with), shown("MODIFIED", "a") + ", BOOKMARK @" + newest());
}

TEST_F(WatchStreamsTest, AQuietWatchHearsHowFarTheOthersAre) {
    const auto talk = watch("&allowWatchBookmarks=true");
    api().loop.run_for(61s);
    take(*talk);
    api().create<api::core::Namespace>("metadata: {name: other}");
    api().loop.run_for(61s);
    EXPECT_EQ(take(*talk), "BOOKMARK @" + newest());
}

TEST_F(WatchStreamsTest, EndsInOrderWhenItsTimeIsOver) {
    const auto talk = watch("&timeoutSeconds=5&allowWatchBookmarks=true");
    create("a");
    api().loop.run_for(4900ms);
    EXPECT_FALSE(talk->finished);
    take(*talk);
    api().loop.run_for(200ms);
    EXPECT_TRUE(talk->finished);
    EXPECT_FALSE(talk->cut);
    EXPECT_EQ(take(*talk), "BOOKMARK @" + newest()) << "so that the next one can go on from there";
    create("b");
    api().settle();
    EXPECT_EQ(take(*talk), "");
}

TEST_F(WatchStreamsTest, EndsAfterHalfAnHourToAnHourWhenNothingWasSaid) {
    for (const char* query : {"", "&timeoutSeconds=0", "&timeoutSeconds=-3"}) {
        SCOPED_TRACE(query);
        const auto talk = watch(query);
        api().loop.run_for(30min - 1s);
        EXPECT_FALSE(talk->finished);
        api().loop.run_for(30min + 2s);
        EXPECT_TRUE(talk->finished);
    }
    const auto patient = watch("&timeoutSeconds=99999999999");
    api().loop.run_for(59min);
    EXPECT_FALSE(patient->finished);
    api().loop.run_for(61min + 2s);
    EXPECT_TRUE(patient->finished) << "no watch lasts for ever";
}

TEST_F(WatchStreamsTest, CutsWhoDoesNotRead) {
    options.watches.unsent_bytes_max = 2000;
    const auto slow = watch();
    const auto quick = watch();
    slow->reads = false;
    create("a");
    for (int i = 0; i < 3; ++i) {
        change("a", std::to_string(i));
        api().settle();
    }
    EXPECT_FALSE(slow->cut) << "being a little behind is no crime";
    change("a", std::string(3000, 'x'));
    api().settle();
    EXPECT_TRUE(slow->cut);
    EXPECT_FALSE(slow->finished) << "a part is not taken for the whole";
    EXPECT_FALSE(quick->cut);
    quick->take();
    change("a", "on");
    api().settle();
    EXPECT_EQ(take(*quick), shown("MODIFIED", "a"));
}

TEST_F(WatchStreamsTest, WhenTooMuchIsKeptForAllClientsThoseThatAreBehindAreCutSooner) {
    options.budget = std::make_shared<os::ByteBudget>(os::BudgetLimits{.total = 20'000});
    options.watches.crowded_bytes_max = 2'000;
    const auto slow = watch();
    const auto quick = watch();
    slow->reads = false;
    create("a");
    change("a", std::string(5'000, 'x'));
    api().settle();
    EXPECT_FALSE(slow->cut) << "there is room";
    for (int i = 0; i < 5; ++i) {
        change("a", std::string(5'000, 'x') + std::to_string(i));
        api().settle();
    }
    EXPECT_TRUE(slow->cut);
    EXPECT_FALSE(quick->cut) << "who reads stays";
}

TEST_F(WatchStreamsTest, EventsForManyWatchesCountOnce) {
    options.budget = std::make_shared<os::ByteBudget>();
    std::vector<ApiServer::Talk> talks;
    for (int i = 0; i < 20; ++i) talks.push_back(watch());
    create("a");
    change("a", std::string(10'000, 'x'));
    api().settle();
    EXPECT_GE(options.budget->used(), 10'000u);
    EXPECT_LT(options.budget->used(), 40'000u);
}

TEST_F(WatchStreamsTest, AFirstStateThatIsLargerThanTheLimitIsNoReasonToCut) {
    options.watches.unsent_bytes_max = 2000;
    for (int i = 0; i < 50; ++i) create("a" + std::to_string(i));
    api().settle();
    auto talk = std::make_shared<HttpTalk>();
    talk->reads = false;  // the client has read nothing yet
    watch(kWatchList, {}, talk);
    ASSERT_GT(talk->unsent, 5000u);
    EXPECT_FALSE(talk->cut);
    // It has read all, and is a usual client from now on.
    talk->unsent = 0;
    change("a0", "1");
    api().settle();
    EXPECT_FALSE(talk->cut);
    change("a0", std::string(3000, 'x'));
    api().settle();
    EXPECT_TRUE(talk->cut);
}

TEST_F(WatchStreamsTest, WhoNeverReadsTheFirstStateIsCutInTheEnd) {
    options.watches.unsent_bytes_max = 2000;
    for (int i = 0; i < 50; ++i) create("a" + std::to_string(i));
    api().settle();
    auto talk = std::make_shared<HttpTalk>();
    talk->reads = false;
    watch("", {}, talk);
    change("a0", std::string(3000, 'x'));
    api().settle();
    EXPECT_TRUE(talk->cut);
}

TEST_F(WatchStreamsTest, ForgetsAClientThatHasGone) {
    const auto gone = watch("&allowWatchBookmarks=true");
    const auto stays = watch();
    const std::size_t timers = api().loop.timers();
    gone->leave();
    api().loop.run_until_idle();
    EXPECT_TRUE(gone->cut);
    EXPECT_LT(api().loop.timers(), timers);
    create("a");
    api().settle();
    EXPECT_EQ(take(*gone), "");
    EXPECT_EQ(take(*stays), shown("ADDED", "a"));
    gone->leave();
    api().loop.run_until_idle();
}

TEST_F(WatchStreamsTest, AClientThatGoesBeforeItsFirstStateIsOnDiskIsForgotten) {
    create("a");
    const auto talk = watch();
    talk->leave();
    api().settle();
    EXPECT_EQ(take(*talk), "");
    EXPECT_TRUE(talk->cut);
}

TEST_F(WatchStreamsTest, TellsWhoIsTooLateInTheStream) {
    stored.history_events_max = 64;
    create("a");
    const std::string version = newest();
    for (int i = 0; i < 500; ++i) change("a", std::to_string(i));
    api().settle();
    const auto talk = watch("&resourceVersion=" + version);
    EXPECT_EQ(talk->status, 200);
    EXPECT_THAT(talk->body, HasSubstr("too old resource version"));
    EXPECT_THAT(talk->body, HasSubstr(R"("reason":"Expired")"));
    EXPECT_EQ(take(*talk), "ERROR 410");
    EXPECT_TRUE(talk->finished);
    EXPECT_FALSE(talk->cut);
}

TEST_F(WatchStreamsTest, TellsWhoAsksForAVersionToCome) {
    const auto talk = watch("&resourceVersion=" + std::to_string(api().store->revision() + 100));
    EXPECT_EQ(take(*talk), "ERROR 504");
    EXPECT_TRUE(talk->finished);
}

TEST_F(WatchStreamsTest, FramesProtobufForWhoWantsIt) {
    create("a");
    api().settle();
    const auto talk = watch("", {{"accept", "application/vnd.kubernetes.protobuf"}});
    EXPECT_EQ(talk->header("Content-Type"), "application/vnd.kubernetes.protobuf;stream=watch");
    const std::string frame = talk->take();
    ASSERT_GT(frame.size(), 8u);
    EXPECT_EQ(frame.substr(0, 2), std::string(2, '\0'));
    EXPECT_THAT(frame, HasSubstr("ADDED"));
    change("a", "live");
    api().settle();
    EXPECT_THAT(talk->take(), HasSubstr("MODIFIED"));
}

TEST_F(WatchStreamsTest, ShowsTablesWithTheirColumnsOnce) {
    create("a");
    api().settle();
    const auto talk = watch("", {{"accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
    EXPECT_THAT(talk->take(), HasSubstr(R"("name":"Name")"));
    change("a", "live");
    api().settle();
    const std::string later = talk->take();
    EXPECT_THAT(later, HasSubstr(R"("kind":"Table")"));
    EXPECT_THAT(later, testing::Not(HasSubstr(R"("name":"Name")")));
}

TEST_F(WatchStreamsTest, EndsAllInOrderWhenTheServerStops) {
    const auto one = watch("&allowWatchBookmarks=true");
    const auto two = watch();
    server().service->finish_watches();
    EXPECT_TRUE(one->finished);
    EXPECT_TRUE(two->finished);
    api().settle();
}

TEST_F(WatchStreamsTest, OfAKindThatIsNeverStoredWaits) {
    const auto talk = server().send("root", "GET", "/apis/apps/v1/replicasets?watch=true" + std::string(kWatchList));
    EXPECT_EQ(talk->status, 200);
    EXPECT_EQ(take(*talk), "BOOKMARK @" + newest() + " end");
    create("a");
    api().settle();
    EXPECT_EQ(take(*talk), "");
    EXPECT_FALSE(talk->finished);
}

TEST_F(WatchStreamsTest, HoldsItsTurnOnlyUntilItHasBegun) {
    options.flow.reads_max = 1;
    options.flow.share_max = 1;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(watch()->status, 200);
    EXPECT_EQ(server().ask("root", "GET", kMaps)->status, 200);
}

TEST_F(WatchStreamsTest, ManyCollectWhatHappensIntoFewWrites) {
    options.watches.pace_per_watch = 100ms;
    options.watches.pace_max = 1s;
    std::vector<ApiServer::Talk> talks;
    for (int i = 0; i < 10; ++i) talks.push_back(watch());
    for (int i = 0; i < 5; ++i) {
        create("a" + std::to_string(i));
        api().settle();
        api().loop.run_for(1ms);
    }
    api().loop.run_for(5s);
    for (const auto& talk : talks) {
        EXPECT_LT(talk->chunks.size(), 5u);
        EXPECT_THAT(take(*talk), HasSubstr(shown("ADDED", "a4")));
    }
}

}  // namespace watch_streams_test
}  // namespace muster::server
