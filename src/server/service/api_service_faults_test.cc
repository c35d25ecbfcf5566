// An exception because of one object costs the request that is about it, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "server/testing/api_server.h"
#include "server/testing/config_maps.h"

namespace muster::server {
namespace api_service_faults_test {

using api::core::ConfigMap;
using testing::HasSubstr;

// A server that has no memory for what is called "bad", once it is told so.
struct FaultsTest : testing::Test {
    bool armed = true;
    ApiServer server{{}, 5ms, {}, [this] {
                         AdmissionChain chain = default_admission();
                         chain.validating.push_back([this](AdmissionRequest& request, const Objects&) -> Result<> {
                             if (armed && request.name == "bad") throw std::bad_alloc();
                             return {};
                         });
                         return chain;
                     }()};
    const std::string one = std::string(kMaps) + "/bad";

    void expect_others_are_served() {
        EXPECT_EQ(server.ask("root", "POST", kMaps, map_json("good" + std::to_string(++made_)))->status, 201);
    }

private:
    int made_ = 0;
};

TEST_F(FaultsTest, InAWrite) {
    armed = false;
    server.ask("root", "POST", kMaps, map_json("bad"));
    armed = true;
    const auto talk =
        server.ask("root", "PATCH", one, R"({"data":{"a":"b"}})", {{"content-type", "application/merge-patch+json"}});
    EXPECT_EQ(talk->status, 500);
    EXPECT_THAT(talk->body, HasSubstr("bad_alloc"));
    EXPECT_EQ(server.ask("root", "DELETE", one)->status, 500);
    EXPECT_EQ(server.ask("root", "GET", one)->status, 200) << "it is as before";
    expect_others_are_served();
}

TEST_F(FaultsTest, InTheDeletionOfACollection) {
    armed = false;
    server.ask("root", "POST", kMaps, map_json("a"));
    server.ask("root", "POST", kMaps, map_json("bad"));
    armed = true;
    const auto talk = server.ask("root", "DELETE", kMaps);
    EXPECT_EQ(talk->status, 500);
    EXPECT_FALSE(server.api.find<ConfigMap>("a")) << "what came before it";
    expect_others_are_served();
    armed = false;
    EXPECT_EQ(server.ask("root", "DELETE", kMaps)->status, 200);
}

TEST_F(FaultsTest, InAWatch) {
    const auto broken = server.send("root", "GET", std::string(kMaps) + "?watch=true");
    const auto whole = server.send("root", "GET", std::string(kMaps) + "?watch=true");
    broken->breaks = true;
    expect_others_are_served();
    server.api.loop.run_for(1s);
    EXPECT_TRUE(broken->cut);
    EXPECT_FALSE(whole->cut);
    EXPECT_THAT(whole->body, HasSubstr("good1"));
    expect_others_are_served();
}

TEST_F(FaultsTest, InABookmark) {
    const auto broken = server.send("root", "GET", std::string(kMaps) + "?watch=true&allowWatchBookmarks=true");
    armed = false;
    server.ask("root", "POST", "/api/v1/namespaces/ns/secrets", R"({"metadata":{"name":"s"}})");
    broken->breaks = true;
    server.api.loop.run_for(180s);
    EXPECT_TRUE(broken->cut);
    expect_others_are_served();
}

}  // namespace api_service_faults_test
}  // namespace muster::server
