// A kind that is defined at run time, served through the REST layer: what the row of a defined kind must be able to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "server/kind_object/raw_object.h"
#include "server/testing/api_server.h"
#include "server/testing/config_maps.h"
#include "server/testing/widgets.h"

namespace muster::server {
namespace defined_kind_test {

namespace json = boost::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<os::HttpHeader> kMergePatch = {{"content-type", "application/merge-patch+json"}};
const std::vector<os::HttpHeader> kJsonPatch = {{"content-type", "application/json-patch+json"}};
const std::vector<os::HttpHeader> kStrategicPatch = {{"content-type", "application/strategic-merge-patch+json"}};

class DefinedKindTest : public testing::Test {
protected:
    DefinedKindTest() { server.api.kinds->replace(with_widgets()); }

    json::value ask(int status, std::string method, std::string target, std::string body = {},
                    std::vector<os::HttpHeader> headers = {}) {
        const auto talk = server.ask("root", std::move(method), std::move(target), std::move(body), std::move(headers));
        EXPECT_EQ(talk->status, status) << talk->body;
        return json::parse(talk->body);
    }
    json::value create(const std::string& name, const std::string& rest = R"("spec":{"size":1})",
                       const std::string& metadata = "") {
        return ask(201, "POST", kWidgets, widget_json(name, rest, metadata));
    }
    static std::string path(const std::string& name) { return std::string(kWidgets) + "/" + name; }

    // What is on the disk, as the next process reads it.
    class Restarted {
    public:
        Restarted(const store::MemoryDisk& disk, KindRegistry::Ptr registry)
            : disk_(disk), codec_(std::make_shared<const Kinds>(std::move(registry))) {
            store = store::Store::open(loop_, journal_, codec_, {}).value();
        }
        json::value read(const std::string& key) const {
            const auto found = store->get(key);
            if (!found) return nullptr;
            const auto& object = static_cast<const KindObject&>(*found->object);
            std::string text;
            api::append_json(object.kind().type(), object.data(), text, &object.kind());
            return json::parse(text);
        }

    private:
        os::VirtualLoop loop_;
        store::MemoryDisk disk_;
        KindCodec codec_;
        os::VirtualWorker worker_{loop_};
        store::MemoryJournal journal_{loop_, worker_, disk_};

    public:
        std::unique_ptr<store::Store> store;
    };

    ApiServer server;
};

TEST_F(DefinedKindTest, IsServedOnlyWhileItIsInTheRegistry) {
    create("w");
    ask(200, "GET", path("w"));
    server.api.kinds->replace(KindRegistry::declared());
    ask(404, "GET", path("w"));
    server.api.kinds->replace(with_widgets());
    EXPECT_EQ(ask(200, "GET", path("w")).at("spec"), json::parse(R"({"size":1})"));
}

TEST_F(DefinedKindTest, AnObjectKeepsAllItsMembers) {
    const json::value created =
        create("w", R"("spec":{"b":[1,2.5,{"z":null,"a":"ä"}],"a":true},"more":"x","none":null)");
    EXPECT_EQ(created.at("kind"), "Widget");
    EXPECT_EQ(created.at("apiVersion"), "example.dev/v1");
    EXPECT_EQ(created.at("metadata").at("generation"), 1);
    EXPECT_FALSE(created.at("metadata").at("uid").as_string().empty());
    const json::value got = ask(200, "GET", path("w"));
    EXPECT_EQ(got, created);
    EXPECT_EQ(got.at("spec"), json::parse(R"({"a":true,"b":[1,2.5,{"a":"ä","z":null}]})"));
    EXPECT_EQ(got.at("more"), "x");
    EXPECT_FALSE(got.as_object().contains("none")) << "as upstream prunes it";
}

TEST_F(DefinedKindTest, BadObjectsAreRefused) {
    const struct {
        const char* why;
        int status;
        std::string body;
        const char* message;
    } cases[] = {
        {"a name that is no name", 422, widget_json("No!"), "metadata.name: Invalid value"},
        {"an unknown field of the metadata", 400, widget_json("w", R"("spec":{})", R"(,"nam":1)"), "metadata.nam"},
        {"another kind", 400, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"w"}})", "Pod"},
        {"no JSON", 400, R"({"spec":)", "unrecognized"},
        {"a list", 400, "[]", "unrecognized"},
        {"one member twice", 400, R"({"metadata":{"name":"w"},"spec":1,"spec":2})", "duplicate field"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.why);
        const json::value answer = ask(one.status, "POST", std::string(kWidgets) + "?fieldValidation=Strict", one.body);
        EXPECT_THAT(std::string(answer.at("message").as_string()), HasSubstr(one.message));
    }
    ask(404, "GET", path("w"));
    ask(415, "POST", kWidgets, "x", {{"content-type", "application/vnd.kubernetes.protobuf"}});
}

TEST_F(DefinedKindTest, IsListedWithSelectorsPagesAndTables) {
    create("a", R"("spec":{})", R"(,"labels":{"l":"1"})");
    create("b");
    create("c", R"("spec":{})", R"(,"labels":{"l":"1"})");
    const json::value all = ask(200, "GET", kWidgets);
    EXPECT_EQ(all.at("kind"), "WidgetList");
    EXPECT_EQ(all.at("items").as_array().size(), 3u);
    EXPECT_EQ(all.at("items").at(0).at("kind"), "Widget") << "items of custom resources say what they are";
    EXPECT_EQ(ask(200, "GET", std::string(kWidgets) + "?labelSelector=l%3D1").at("items").as_array().size(), 2u);
    EXPECT_EQ(ask(200, "GET", std::string(kWidgets) + "?fieldSelector=metadata.name%3Db").at("items").as_array().size(),
              1u);
    EXPECT_EQ(ask(200, "GET", std::string(kWidgets) + "?limit=2").at("metadata").at("remainingItemCount"), 1);
    ask(400, "GET", std::string(kWidgets) + "?fieldSelector=spec.size%3D1");
    EXPECT_EQ(ask(200, "GET", "/apis/example.dev/v1/widgets").at("items").as_array().size(), 3u) << "all namespaces";
    const json::value table =
        ask(200, "GET", kWidgets, {}, {{"accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
    EXPECT_EQ(table.at("columnDefinitions").at(0).at("name"), "Name");
    EXPECT_EQ(table.at("rows").at(1).at("cells").at(0), "b");
    const auto yaml = server.ask("root", "GET", path("a"), {}, {{"accept", "application/yaml"}});
    EXPECT_THAT(yaml->body, HasSubstr("kind: Widget"));
}

TEST_F(DefinedKindTest, IsWatched) {
    const auto watch = server.send("root", "GET", std::string(kWidgets) + "?watch=1");
    create("w");
    ask(200, "PATCH", path("w"), R"({"spec":{"size":2}})", kMergePatch);
    ask(200, "DELETE", path("w"));
    server.api.loop.run_for(1s);
    EXPECT_THAT(watch->body,
                AllOf(HasSubstr(R"({"type":"ADDED","object":{"kind":"Widget","apiVersion":"example.dev/v1")"),
                      HasSubstr(R"({"type":"MODIFIED")"), HasSubstr(R"("spec":{"size":2})"),
                      HasSubstr(R"({"type":"DELETED")")));
}

TEST_F(DefinedKindTest, AnUpdateReplacesAllButTheStatusAndCountsTheGeneration) {
    json::value object = create("w", R"("spec":{"size":1},"status":{"seen":1})");
    EXPECT_FALSE(object.as_object().contains("status")) << "status is a subresource";
    object.as_object()["spec"] = json::parse(R"({"size":2})");
    object.as_object()["status"] = json::parse(R"({"seen":7})");
    const json::value updated = ask(200, "PUT", path("w"), json::serialize(object));
    EXPECT_EQ(updated.at("metadata").at("generation"), 2);
    EXPECT_FALSE(updated.as_object().contains("status"));
    ask(409, "PUT", path("w"), json::serialize(object));

    const json::value same = ask(200, "PUT", path("w"), json::serialize(updated));
    EXPECT_EQ(same.at("metadata").at("resourceVersion"), updated.at("metadata").at("resourceVersion"))
        << "nothing has changed";

    json::value with_status = updated;
    with_status.as_object()["status"] = json::parse(R"({"seen":7})");
    with_status.as_object()["spec"] = json::parse(R"({"size":9})");
    const json::value status = ask(200, "PUT", path("w") + "/status", json::serialize(with_status));
    EXPECT_EQ(status.at("status"), json::parse(R"({"seen":7})"));
    EXPECT_EQ(status.at("spec"), json::parse(R"({"size":2})"));
    EXPECT_EQ(status.at("metadata").at("generation"), 2);
    ask(404, "GET", std::string(kRacks) + "/r/status");
}

TEST_F(DefinedKindTest, MembersInAnotherOrderAreNoChange) {
    const json::value created = create("w", R"("spec":{"a":{"x":1,"y":2},"b":1})");
    const std::string same = widget_json("w", R"("spec":{"b":1.0,"a":{"y":2,"x":1}})");
    const json::value put = ask(200, "PUT", path("w"), same);
    EXPECT_EQ(put.at("metadata").at("resourceVersion"), created.at("metadata").at("resourceVersion"));
}

TEST_F(DefinedKindTest, IsPatchedByMergeAndJsonPatchAndNotByStrategicMerge) {
    create("w", R"("spec":{"size":1,"list":[{"name":"a"}]})");
    const json::value merged =
        ask(200, "PATCH", path("w"), R"({"spec":{"size":null,"list":[{"name":"b"}]}})", kMergePatch);
    EXPECT_EQ(merged.at("spec"), json::parse(R"({"list":[{"name":"b"}]})"));
    EXPECT_EQ(merged.at("metadata").at("generation"), 2);
    const json::value patched =
        ask(200, "PATCH", path("w"),
            R"([{"op":"add","path":"/spec/list/0","value":1},{"op":"add","path":"/x","value":2}])", kJsonPatch);
    EXPECT_EQ(patched.at("spec"), json::parse(R"({"list":[1,{"name":"b"}]})"));
    EXPECT_EQ(patched.at("x"), 2);
    const json::value status = ask(200, "PATCH", path("w") + "/status", R"({"status":{"n":1},"x":3})", kMergePatch);
    EXPECT_EQ(status.at("status"), json::parse(R"({"n":1})"));
    EXPECT_EQ(status.at("x"), 2);
    const json::value refused = ask(415, "PATCH", path("w"), R"({"spec":{"size":1}})", kStrategicPatch);
    EXPECT_THAT(std::string(refused.at("message").as_string()), HasSubstr("application/merge-patch+json"));
    ask(422, "PATCH", path("w"), R"([{"op":"test","path":"/x","value":9}])", kJsonPatch);
}

TEST_F(DefinedKindTest, FinalizersHoldADeletedObject) {
    create("w", R"("spec":{})", R"(,"finalizers":["example.dev/f"])");
    const json::value marked = ask(200, "DELETE", path("w"));
    EXPECT_TRUE(marked.at("metadata").as_object().contains("deletionTimestamp"));
    ask(200, "GET", path("w"));
    ask(200, "PATCH", path("w"), R"({"metadata":{"finalizers":null}})", kMergePatch);
    ask(404, "GET", path("w"));
    create("w");
    EXPECT_EQ(ask(200, "DELETE", path("w")).at("kind"), "Status");
    create("a");
    create("b");
    ask(200, "DELETE", kWidgets);
    EXPECT_TRUE(ask(200, "GET", kWidgets).at("items").as_array().empty());
}

TEST_F(DefinedKindTest, AKindWithoutNamespacesAndStatusHasItsOwnRow) {
    ask(201, "POST", kRacks, R"({"metadata":{"name":"r"},"status":{"s":1}})");
    const json::value rack = ask(200, "GET", std::string(kRacks) + "/r");
    EXPECT_EQ(rack.at("status"), json::parse(R"({"s":1})")) << "no subresource: a member like others";
    EXPECT_FALSE(rack.at("metadata").as_object().contains("namespace"));
    const json::value changed = ask(200, "PATCH", std::string(kRacks) + "/r", R"({"status":{"s":2}})", kMergePatch);
    EXPECT_EQ(changed.at("metadata").at("generation"), 2);
    ask(404, "POST", "/apis/example.dev/v1/namespaces/ns/racks", R"({"metadata":{"name":"r"}})");
}

TEST_F(DefinedKindTest, IsInDiscoveryAndOpenapi) {
    EXPECT_THAT(server.ask("root", "GET", "/apis")->body, HasSubstr("example.dev/v1"));
    const json::value list = ask(200, "GET", "/apis/example.dev/v1");
    EXPECT_EQ(list.at("resources").at(0).at("name"), "racks");
    EXPECT_EQ(list.at("resources").at(1).at("shortNames").at(0), "wd");
    EXPECT_EQ(list.at("resources").at(2).at("name"), "widgets/status");
    EXPECT_THAT(server.ask("root", "GET", "/openapi/v3/apis/example.dev/v1")->body,
                AllOf(HasSubstr("/apis/example.dev/v1/namespaces/{namespace}/widgets"), HasSubstr(R"("kind":"Widget")"),
                      Not(HasSubstr("DefinedObject"))));
    EXPECT_THAT(server.ask("root", "GET", "/metrics")->body, HasSubstr("widgets.example.dev"));
    server.api.kinds->replace(KindRegistry::declared());
    EXPECT_THAT(server.ask("root", "GET", "/apis")->body, Not(HasSubstr("example.dev")));
}

// An object that was stored in another form than that of its kind.
class UnreadableObjectTest : public DefinedKindTest {
protected:
    UnreadableObjectTest() {
        create("good");
        const std::string key = "/example.dev/widgets/ns/bad";
        (void)server.api.store
            ->create(key, std::make_shared<RawObject>(server.api.kinds, key, 0, "\xff", RawObject::Parts{}))
            .value();
        server.api.settle();
    }
    void expect_unreadable(const json::value& answer) {
        EXPECT_THAT(std::string(answer.at("message").as_string()),
                    HasSubstr("the stored object \"/example.dev/widgets/ns/bad\" cannot be read"));
    }
    static constexpr const char* kUnread = "?ignoreStoreReadErrorWithClusterBreakingPotential=true";
};

TEST_F(UnreadableObjectTest, IsAnErrorForThoseWhoReadItAlone) {
    expect_unreadable(ask(500, "GET", path("bad")));
    expect_unreadable(ask(500, "GET", kWidgets));
    expect_unreadable(ask(500, "GET", std::string(kWidgets) + "?fieldSelector=metadata.name%3Dbad"));
    expect_unreadable(ask(500, "PUT", path("bad"), widget_json("bad")));
    expect_unreadable(ask(500, "PATCH", path("bad"), R"({"spec":{}})", kMergePatch));
    expect_unreadable(ask(500, "DELETE", kWidgets));
    ask(409, "POST", kWidgets, widget_json("bad"));
    ask(200, "GET", path("good"));
    EXPECT_EQ(ask(200, "GET", std::string(kWidgets) + "?limit=0&fieldSelector=metadata.name%3Dgood")
                  .at("items")
                  .as_array()
                  .size(),
              1u);
    const auto watch = server.send("root", "GET", std::string(kWidgets) + "?watch=1");
    server.api.settle();
    EXPECT_THAT(watch->body, AllOf(HasSubstr(R"({"type":"ERROR")"), HasSubstr("cannot be read")));
    EXPECT_THAT(server.ask("root", "GET", "/metrics")->body, HasSubstr("widgets.example.dev"));
}

TEST_F(UnreadableObjectTest, IsDeletedWhenTheDeleteSaysSo) {
    const json::value refused = ask(500, "DELETE", path("bad"));
    expect_unreadable(refused);
    EXPECT_THAT(std::string(refused.at("message").as_string()),
                HasSubstr("set ignoreStoreReadErrorWithClusterBreakingPotential"));
    ask(422, "DELETE", path("bad") + kUnread + "&dryRun=All");
    ask(422, "DELETE", std::string(kWidgets) + kUnread);
    const std::string here = std::to_string(server.api.store->revision());
    const auto watch = server.send("root", "GET", std::string(kWidgets) + "?watch=1&resourceVersion=" + here);
    EXPECT_EQ(ask(200, "DELETE", path("bad") + kUnread).at("details").at("name"), "bad");
    ask(404, "GET", path("bad"));
    EXPECT_EQ(ask(200, "GET", kWidgets).at("items").as_array().size(), 1u);
    EXPECT_THAT(watch->body, AllOf(HasSubstr(R"({"type":"DELETED")"), HasSubstr(R"("name":"bad")")));
    create("bad");
    ask(200, "GET", path("bad"));
}

TEST_F(UnreadableObjectTest, IsDeletedOnlyByThoseWhoHaveTheRight) {
    allow(server.api, "ann", "{verbs: [delete], apiGroups: [example.dev], resources: [widgets]}");
    EXPECT_EQ(server.ask("ann", "DELETE", path("bad") + kUnread)->status, 403);
    EXPECT_EQ(server.ask("ann", "DELETE", path("good") + kUnread)->status, 403);
    allow(server.api, "bob",
          "{verbs: [delete, unsafe-delete-ignore-read-errors], apiGroups: [example.dev], resources: [widgets]}");
    EXPECT_EQ(server.ask("bob", "DELETE", path("good") + kUnread)->status, 200)
        << "one that can be read goes as others";
    EXPECT_EQ(server.ask("bob", "DELETE", path("bad") + kUnread)->status, 200);
}

TEST_F(UnreadableObjectTest, IsNotFoundWhenItsKindHasGone) {
    const Place place{api::kind_info_of(kWidgetKind), "ns", "bad"};
    server.api.kinds->replace(KindRegistry::declared());
    const auto read = server.api.objects.get(place);
    ASSERT_FALSE(read.ok()) << "a request that began before keeps its kind";
    EXPECT_THAT(read.error().message, HasSubstr("its kind is not defined"));
    ask(404, "GET", path("bad"));
}

TEST_F(DefinedKindTest, RightsAreThoseOfItsGroupAndResource) {
    create("w");
    EXPECT_EQ(server.ask("ann", "GET", path("w"))->status, 403);
    allow(server.api, "ann", "{verbs: [get], apiGroups: [example.dev], resources: [widgets]}");
    EXPECT_EQ(server.ask("ann", "GET", path("w"))->status, 200);
    EXPECT_EQ(server.ask("ann", "DELETE", path("w"))->status, 403);
}

TEST_F(DefinedKindTest, ObjectsAreThereAfterARestart) {
    create("w", R"("spec":{"size":1})",
           R"(,"ownerReferences":[{"apiVersion":"example.dev/v1","kind":"Rack","name":"r","uid":"u"}])");
    ask(200, "PATCH", path("w") + "/status", R"({"status":{"n":1}})", kMergePatch);
    const json::value before = ask(200, "GET", path("w"));
    const Restarted restarted(server.api.disk, with_widgets());
    EXPECT_EQ(restarted.read("/example.dev/widgets/ns/w"), before);
}

TEST_F(DefinedKindTest, ObjectsSurviveARestartThatDoesNotKnowTheirKind) {
    create("w");
    const json::value before = ask(200, "GET", path("w"));
    Restarted without(server.api.disk, KindRegistry::declared());
    EXPECT_EQ(without.store->revision(), server.api.store->revision());
    const Restarted with(server.api.disk, with_widgets());
    EXPECT_EQ(with.read("/example.dev/widgets/ns/w"), before);
}

}  // namespace defined_kind_test
}  // namespace muster::server
