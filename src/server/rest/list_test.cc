#include "server/rest/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace list_test {

using api::core::ConfigMap;
using testing::HasSubstr;

constexpr const char* kMaps = "/api/v1/namespaces/ns/configmaps";

// What a client makes of an answer.
struct Page {
    int code = 0;
    std::string names{};  // "a b c"
    std::string version{};
    std::string token{};
    std::int64_t remaining = -1;  // nothing was said
    store::Revision durable = 0;
};

struct ListTest : testing::Test {
    ApiObjects api;

    ListTest() {
        for (const char* name : {"a", "b", "c", "d", "e"}) create(name, name < std::string("c") ? "low" : "high");
    }
    void create(const std::string& name, const std::string& label = "low") {
        api.create<ConfigMap>("metadata: {name: " + name + ", labels: {size: " + label + "}}");
    }
    Result<Page> list(const std::string& query = "", const std::string& path = kMaps) {
        const Call call = make_call("GET", path + "?" + query);
        TRY_ASSIGN(const Answer answer, list_objects(api.objects, call));
        const boost::json::object document = boost::json::parse(text_of(answer)).as_object();
        const auto& metadata = document.at("metadata").as_object();
        Page page;
        page.code = answer.code;
        page.durable = answer.durable;
        if (const auto* version = metadata.if_contains("resourceVersion")) page.version = version->as_string().c_str();
        if (const auto* token = metadata.if_contains("continue")) page.token = token->as_string().c_str();
        if (const auto* rest = metadata.if_contains("remainingItemCount")) page.remaining = rest->as_int64();
        if (const auto* items = document.if_contains("items"))
            for (const auto& item : items->as_array())
                page.names.append(page.names.empty() ? "" : " ")
                    .append(item.at("metadata").at("name").as_string().c_str());
        return page;
    }
    Page page(const std::string& query = "") {
        auto got = list(query);
        CHECK(got.ok(), format_error(got.error()));
        return std::move(*got);
    }
    std::string newest() const { return std::to_string(api.store->revision()); }
};

TEST_F(ListTest, ShowsEverythingAtTheNewestVersion) {
    const Page all = page();
    EXPECT_EQ(all.code, 200);
    EXPECT_EQ(all.names, "a b c d e");
    EXPECT_EQ(all.version, newest());
    EXPECT_EQ(all.durable, api.store->revision()) << "to be on disk before it is told";
    EXPECT_EQ(all.token, "");
    EXPECT_EQ(all.remaining, -1);
}

TEST_F(ListTest, PagesOverAChangingStoreAreOneSnapshot) {
    const std::string version = newest();
    const Page first = page("limit=2");
    EXPECT_EQ(first.names, "a b");
    EXPECT_EQ(first.version, version);
    EXPECT_EQ(first.remaining, 3);
    ASSERT_NE(first.token, "");
    // Behind the reader's back: one behind, one ahead, one gone, one changed.
    create("aa");
    create("cc");
    ASSERT_TRUE(api.remove<ConfigMap>("d").ok());
    ASSERT_TRUE(api.update<ConfigMap>("e", [](ConfigMap& map) { map.data.set("k", "v"); }).ok());
    const Page second = page("limit=2&continue=" + first.token);
    EXPECT_EQ(second.names, "c d");
    EXPECT_EQ(second.version, version);
    EXPECT_EQ(second.remaining, 1);
    const Page last = page("limit=2&continue=" + second.token);
    EXPECT_EQ(last.names, "e");
    EXPECT_EQ(last.version, version);
    EXPECT_EQ(last.token, "");
    EXPECT_EQ(last.remaining, -1);
    EXPECT_EQ(page("continue=" + first.token).names, "c d e") << "without a limit the rest comes at once";
    EXPECT_EQ(page().names, "a aa b c cc e");
}

TEST_F(ListTest, ALimitThatIsJustEnoughLeavesNothingToContinue) {
    const Page all = page("limit=5");
    EXPECT_EQ(all.names, "a b c d e");
    EXPECT_EQ(all.token, "");
    EXPECT_EQ(page("limit=500").names, "a b c d e");
    EXPECT_EQ(page("limit=-1").names, "a b c d e");
    EXPECT_EQ(page("limit=0").names, "a b c d e");
}

TEST_F(ListTest, SelectorsAndLimitsTogetherMissNothing) {
    const Page first = page("labelSelector=size%3Dhigh&limit=1");
    EXPECT_EQ(first.names, "c");
    EXPECT_EQ(first.remaining, -1) << "the rest was not counted";
    const Page second = page("labelSelector=size%3Dhigh&limit=1&continue=" + first.token);
    EXPECT_EQ(second.names, "d");
    const Page third = page("labelSelector=size%3Dhigh&limit=1&continue=" + second.token);
    EXPECT_EQ(third.names, "e");
    EXPECT_EQ(third.token, "");
    EXPECT_EQ(page("labelSelector=size%3Dhigh&limit=3").names, "c d e");
    EXPECT_EQ(page("labelSelector=size%3Dlow").names, "a b");
    EXPECT_EQ(page("labelSelector=size%3Dnone&limit=1").names, "");
}

TEST_F(ListTest, SelectsOneByItsName) {
    EXPECT_EQ(page("fieldSelector=metadata.name%3Dc").names, "c");
    EXPECT_EQ(page("fieldSelector=metadata.name%3Dc").version, newest());
    EXPECT_EQ(page("fieldSelector=metadata.name%3Dzz").names, "");
    EXPECT_EQ(page("fieldSelector=metadata.name!%3Dc").names, "a b d e");
    EXPECT_EQ(page("fieldSelector=metadata.name%3Dc&labelSelector=size%3Dlow").names, "");
    EXPECT_EQ(list("fieldSelector=metadata.name%3Dc", "/api/v1/configmaps")->names, "c");
    EXPECT_EQ(page("fieldSelector=metadata.name%3D").names, "");
}

TEST_F(ListTest, ShowsOneNamespaceOrAll) {
    api.create<api::core::Namespace>("metadata: {name: other}");
    ASSERT_TRUE(
        api.objects
            .create({api::kind_info<ConfigMap>(), "other", ""}, ApiObjects::draft<ConfigMap>("metadata: {name: b}"), {})
            .ok());
    EXPECT_EQ(page().names, "a b c d e");
    EXPECT_EQ(list("", "/api/v1/namespaces/other/configmaps")->names, "b");
    EXPECT_EQ(list("", "/api/v1/configmaps")->names, "a b c d e b");
    EXPECT_EQ(list("", "/api/v1/namespaces/nowhere/configmaps")->names, "");
    const Page first = *list("limit=4", "/api/v1/configmaps");
    EXPECT_EQ(list("continue=" + first.token, "/api/v1/configmaps")->names, "e b");
}

TEST_F(ListTest, AnExactVersionIsThatVersion) {
    const std::string version = newest();
    create("f");
    EXPECT_EQ(page("resourceVersionMatch=Exact&resourceVersion=" + version).names, "a b c d e");
    EXPECT_EQ(page("resourceVersionMatch=Exact&resourceVersion=" + version).version, version);
    EXPECT_EQ(page("limit=500&resourceVersion=" + version).names, "a b c d e");
    EXPECT_EQ(page("resourceVersion=" + version).names, "a b c d e f") << "not older is all that was asked";
    EXPECT_EQ(page("resourceVersionMatch=NotOlderThan&resourceVersion=" + version).names, "a b c d e f");
    EXPECT_EQ(page("resourceVersion=0").names, "a b c d e f");
    EXPECT_EQ(page("resourceVersionMatch=Exact&fieldSelector=metadata.name%3Df&resourceVersion=" + version).names, "")
        << "also of one object";
}

TEST_F(ListTest, AVersionThatIsStillToComeIsATimeout) {
    const std::string next = std::to_string(api.store->revision() + 1);
    EXPECT_EQ(list("resourceVersion=" + next).error().message, "Too large resource version: " + next + ", current: 1")
        << "the newest that may be told of";
    api.settle();
    for (const std::string& query :
         {"resourceVersion=" + next, "resourceVersionMatch=Exact&resourceVersion=" + next,
          "resourceVersionMatch=NotOlderThan&resourceVersion=" + next, "limit=1&resourceVersion=" + next}) {
        SCOPED_TRACE(query);
        const auto refused = list(query);
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().code, Code::kTimeout);
        EXPECT_EQ(refused.error().message, "Too large resource version: " + next + ", current: " + newest());
        EXPECT_EQ(refused.error().retry_after_seconds, 1);
        ASSERT_EQ(refused.error().causes.size(), 1u);
        EXPECT_EQ(refused.error().causes[0].reason, "ResourceVersionTooLarge");
    }
}

TEST_F(ListTest, ATokenGoesWithNothingElse) {
    const Page first = page("limit=2");
    const auto both = list("resourceVersion=5&continue=" + first.token);
    ASSERT_FALSE(both.ok());
    EXPECT_EQ(both.error().message, "specifying resource version is not allowed when using continue");
    EXPECT_EQ(list("continue=forged").error().code, Code::kBadRequest);
    EXPECT_EQ(page("resourceVersion=0&continue=" + first.token).names, "c d e") << "as some clients do";
}

TEST(ListExpiry, AnOldTokenIsRefusedWithOneThatGoesOnAnyway) {
    store::StoreOptions options;
    options.history_events_max = 64;
    ApiObjects api(options);
    for (const char* name : {"a", "b", "c"}) api.create<ConfigMap>(std::string("metadata: {name: ") + name + "}");
    const std::string old_version = std::to_string(api.store->revision());
    const auto first = list_objects(api.objects, make_call("GET", std::string(kMaps) + "?limit=1"));
    const std::string token(boost::json::parse(text_of(*first)).at("metadata").at("continue").as_string().c_str());
    for (int i = 0; i < 500; ++i)
        ASSERT_TRUE(api.update<ConfigMap>("c", [&](ConfigMap& map) { map.data.set("k", std::to_string(i)); }).ok());
    ASSERT_TRUE(api.remove<ConfigMap>("b").ok());

    const auto expired = list_objects(api.objects, make_call("GET", std::string(kMaps) + "?limit=1&continue=" + token));
    ASSERT_TRUE(expired.ok()) << format_error(expired.error());
    EXPECT_EQ(expired->code, 410);
    const auto status = boost::json::parse(text_of(*expired));
    EXPECT_EQ(status.at("kind").as_string(), "Status");
    EXPECT_EQ(status.at("reason").as_string(), "Expired");
    EXPECT_THAT(std::string(status.at("message").as_string().c_str()),
                HasSubstr("The provided continue parameter is too old to display a consistent list result"));
    const std::string fresh(status.at("metadata").at("continue").as_string().c_str());
    ASSERT_NE(fresh, token);
    const auto rest = list_objects(api.objects, make_call("GET", std::string(kMaps) + "?continue=" + fresh));
    ASSERT_TRUE(rest.ok());
    EXPECT_EQ(rest->code, 200);
    const auto page = boost::json::parse(text_of(*rest));
    ASSERT_EQ(page.at("items").as_array().size(), 1u);
    EXPECT_EQ(page.at("items").at(0).at("metadata").at("name").as_string(), "c");
    EXPECT_EQ(page.at("metadata").at("resourceVersion").as_string(), std::to_string(api.store->revision()));

    const auto exact = list_objects(
        api.objects,
        make_call("GET", std::string(kMaps) + "?resourceVersionMatch=Exact&resourceVersion=" + old_version));
    ASSERT_FALSE(exact.ok());
    EXPECT_EQ(exact.error().code, Code::kExpired);
    EXPECT_THAT(exact.error().message, HasSubstr("The provided resource version is too old"));
}

TEST_F(ListTest, ACollectionIsDeletedBySelector) {
    create("held");
    ASSERT_TRUE(api.update<ConfigMap>("held", [](ConfigMap& map) { map.metadata.finalizers = {"a/b"}; }).ok());
    Call dry = make_call("DELETE", std::string(kMaps) + "?labelSelector=size%3Dlow&dryRun=All");
    ASSERT_TRUE(api.loop.run(delete_collection(api.objects, dry)).ok());
    EXPECT_EQ(page().names, "a b c d e held");

    Call call = make_call("DELETE", std::string(kMaps) + "?labelSelector=size%3Dlow");
    const auto answer = api.loop.run(delete_collection(api.objects, call));
    ASSERT_TRUE(answer.ok()) << format_error(answer.error());
    EXPECT_EQ(answer->durable, api.store->revision());
    EXPECT_EQ(boost::json::parse(text_of(*answer)).at("kind").as_string(), "ConfigMapList");
    EXPECT_EQ(boost::json::parse(text_of(*answer)).at("items").as_array().size(), 3u);
    EXPECT_EQ(page().names, "c d e held");
    EXPECT_TRUE(api.get<ConfigMap>("held").metadata.deletion_timestamp);
}

TEST_F(ListTest, AKindThatIsNeverStoredIsAnEmptyList) {
    const Answer answer = empty_list(api.objects, make_call("GET", "/apis/apps/v1/replicasets"));
    const auto document = boost::json::parse(text_of(answer));
    EXPECT_EQ(document.at("kind").as_string(), "ReplicaSetList");
    EXPECT_EQ(document.at("items").as_array().size(), 0u);
}

}  // namespace list_test
}  // namespace muster::server
