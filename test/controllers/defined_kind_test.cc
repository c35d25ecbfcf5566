// Garbage collection and namespace deletion of a kind that is defined at run time, on a whole server in virtual time.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "client/metrics.h"
#include "controllers/garbage/controller.h"
#include "controllers/namespace/controller.h"
#include "server/kind_object/raw_object.h"
#include "server/local_client.h"
#include "server/testing/api_server.h"
#include "server/testing/widgets.h"

namespace muster::worlds {
namespace defined_kind_test {

using server::kRacks;
using server::kWidgets;

const std::string kMaps = "/api/v1/namespaces/ns/configmaps";

class DefinedKindWorld : public testing::Test {
protected:
    DefinedKindWorld() {
        define();
        start();
    }
    explicit DefinedKindWorld(bool) {}

    void define() { server.api.kinds->replace(server::with_widgets()); }
    void undefine() { server.api.kinds->replace(server::KindRegistry::declared()); }
    void start() {
        garbage = std::make_unique<controllers::GarbageController>(server.api.loop, client, metrics);
        garbage->start();
        namespaces = std::make_unique<controllers::NamespaceController>(server.api.loop, client, metrics);
        namespaces->start();
        server.api.loop.run_for(1s);
    }
    // An object that was stored in another form than that of its kind.
    void store_unreadable(const std::string& name) {
        const std::string key = "/example.dev/widgets/ns/" + name;
        (void)server.api.store
            ->create(key,
                     std::make_shared<server::RawObject>(server.api.kinds, key, 0, "\xff", server::RawObject::Parts{}))
            .value();
        server.api.settle();
    }

    // The status of the answer, when the controllers have done what follows from the request.
    int ask(std::string method, std::string target, std::string body = {}) {
        const auto talk = server.ask("root", std::move(method), std::move(target), std::move(body));
        answer = talk->body;
        server.api.loop.run_for(1min);
        server.api.settle();
        return talk->status;
    }
    std::string uid() const { return std::string(boost::json::parse(answer).at("metadata").at("uid").as_string()); }
    std::string owned_by(const std::string& kind, const std::string& name) const {
        return R"(,"ownerReferences":[{"apiVersion":"example.dev/v1","kind":")" + kind + R"(","name":")" + name +
               R"(","uid":")" + uid() + R"("}])";
    }
    bool is_there(const std::string& target) { return ask("GET", target) == 200; }

    server::ApiServer server;
    client::Metrics metrics;
    server::LocalClient client{server.api.objects, server::controller_user("controllers")};
    std::unique_ptr<controllers::GarbageController> garbage;
    std::unique_ptr<controllers::NamespaceController> namespaces;
    std::string answer;
};

TEST_F(DefinedKindWorld, DependentsGoWithADefinedOwnerAndDefinedDependentsWithAnyOwner) {
    ASSERT_EQ(ask("POST", kRacks, R"({"metadata":{"name":"r"}})"), 201);
    ASSERT_EQ(ask("POST", kWidgets, server::widget_json("w", R"("spec":{})", owned_by("Rack", "r"))), 201);
    ASSERT_EQ(ask("POST", kMaps, R"({"metadata":{"name":"m")" + owned_by("Widget", "w") + "}}"), 201);
    EXPECT_TRUE(is_there(kMaps + "/m")) << "its owner exists";
    EXPECT_TRUE(is_there(kWidgets + std::string("/w"))) << "its owner, which has no namespace, exists";
    ASSERT_EQ(ask("DELETE", kRacks + std::string("/r")), 200);
    EXPECT_FALSE(is_there(kWidgets + std::string("/w")));
    EXPECT_FALSE(is_there(kMaps + "/m"));
}

TEST_F(DefinedKindWorld, AnOwnerThatIsDeletedInTheForegroundWaitsForItsDependents) {
    ASSERT_EQ(ask("POST", kWidgets, server::widget_json("w")), 201);
    const std::string blocking = R"({"metadata":{"name":"m","finalizers":["example.dev/f"],"ownerReferences":[{)"
                                 R"("apiVersion":"example.dev/v1","kind":"Widget","name":"w","uid":")" +
                                 uid() + R"(","blockOwnerDeletion":true}]}})";
    ASSERT_EQ(ask("POST", kMaps, blocking), 201);
    ASSERT_EQ(ask("DELETE", kWidgets + std::string("/w?propagationPolicy=Foreground")), 200);
    EXPECT_TRUE(is_there(kWidgets + std::string("/w")));
    ASSERT_EQ(server
                  .ask("root", "PATCH", kMaps + "/m", R"({"metadata":{"finalizers":null}})",
                       {{"content-type", "application/merge-patch+json"}})
                  ->status,
              200);
    EXPECT_FALSE(is_there(kMaps + "/m"));
    EXPECT_FALSE(is_there(kWidgets + std::string("/w")));
}

TEST_F(DefinedKindWorld, ANamespaceIsEmptiedOfThem) {
    ASSERT_EQ(ask("POST", kWidgets, server::widget_json("w")), 201);
    ASSERT_EQ(ask("POST", kRacks, R"({"metadata":{"name":"r"}})"), 201);
    ASSERT_EQ(ask("DELETE", "/api/v1/namespaces/ns"), 200);
    EXPECT_FALSE(is_there("/api/v1/namespaces/ns"));
    EXPECT_FALSE(is_there(kWidgets + std::string("/w")));
    EXPECT_TRUE(is_there(kRacks + std::string("/r")));
}

// The controllers run before the kinds are defined.
class LateKindWorld : public DefinedKindWorld {
protected:
    LateKindWorld() : DefinedKindWorld(true) { start(); }
};

TEST_F(LateKindWorld, AKindThatAppearsIsCollected) {
    define();
    ASSERT_EQ(ask("POST", kRacks, R"({"metadata":{"name":"r"}})"), 201);
    ASSERT_EQ(ask("POST", kWidgets, server::widget_json("w", R"("spec":{})", owned_by("Rack", "r"))), 201);
    ASSERT_EQ(ask("DELETE", kRacks + std::string("/r")), 200);
    EXPECT_FALSE(is_there(kWidgets + std::string("/w")));
}

TEST_F(LateKindWorld, AKindThatAppearsIsEmptiedOutOfNamespaces) {
    define();
    ASSERT_EQ(ask("POST", kWidgets, server::widget_json("w")), 201);
    ASSERT_EQ(ask("DELETE", "/api/v1/namespaces/ns"), 200);
    EXPECT_FALSE(is_there("/api/v1/namespaces/ns"));
    EXPECT_FALSE(is_there(kWidgets + std::string("/w")));
}

TEST_F(LateKindWorld, AnOwnerOfAKindThatIsNotDefinedYetIsLookedForWhenItIs) {
    ASSERT_EQ(ask("POST", kMaps,
                  R"({"metadata":{"name":"m","ownerReferences":[{"apiVersion":"example.dev/v1","kind":"Rack",)"
                  R"("name":"gone","uid":"u"}]}})"),
              201);
    EXPECT_TRUE(is_there(kMaps + "/m")) << "nothing is known of its owner";
    define();
    server.api.loop.run_for(30min);
    EXPECT_FALSE(is_there(kMaps + "/m"));
}

TEST_F(DefinedKindWorld, WhatAKindOwnedStaysWhenTheKindIsGone) {
    ASSERT_EQ(ask("POST", kRacks, R"({"metadata":{"name":"r"}})"), 201);
    ASSERT_EQ(ask("POST", kMaps, R"({"metadata":{"name":"m")" + owned_by("Rack", "r") + "}}"), 201);
    undefine();
    server.api.loop.run_for(30min);
    EXPECT_TRUE(is_there(kMaps + "/m")) << "its owner may exist";
    EXPECT_TRUE(garbage->idle());
    define();
    server.api.loop.run_for(1min);
    EXPECT_TRUE(is_there(kRacks + std::string("/r")));
    ASSERT_EQ(ask("DELETE", kRacks + std::string("/r")), 200);
    EXPECT_FALSE(is_there(kMaps + "/m")) << "it is watched again";
}

TEST_F(DefinedKindWorld, AnOwnerDoesNotWaitForDependentsOfAKindThatIsGone) {
    ASSERT_EQ(ask("POST", kMaps, R"({"metadata":{"name":"m"}})"), 201);
    const std::string blocking = R"(,"finalizers":["example.dev/f"],"ownerReferences":[{"apiVersion":"v1",)"
                                 R"("kind":"ConfigMap","name":"m","uid":")" +
                                 uid() + R"(","blockOwnerDeletion":true}])";
    ASSERT_EQ(ask("POST", kWidgets, server::widget_json("w", R"("spec":{})", blocking)), 201);
    ASSERT_EQ(ask("DELETE", kMaps + "/m?propagationPolicy=Foreground"), 200);
    EXPECT_TRUE(is_there(kMaps + "/m"));
    undefine();
    server.api.loop.run_for(1min);
    EXPECT_FALSE(is_there(kMaps + "/m"));
}

TEST_F(DefinedKindWorld, ANamespaceGoesWithoutObjectsOfAKindThatIsGone) {
    ASSERT_EQ(ask("POST", kWidgets, server::widget_json("w")), 201);
    undefine();
    ASSERT_EQ(ask("DELETE", "/api/v1/namespaces/ns"), 200);
    EXPECT_FALSE(is_there("/api/v1/namespaces/ns"));
}

TEST_F(LateKindWorld, AnUnreadableObjectStopsOnlyWhatIsAboutIt) {
    garbage.reset();
    define();
    store_unreadable("bad");
    garbage = std::make_unique<controllers::GarbageController>(server.api.loop, client, metrics);
    garbage->start();
    ASSERT_EQ(ask("POST", kMaps, R"({"metadata":{"name":"owner"}})"), 201);
    const std::string owned = R"({"metadata":{"name":"m","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",)"
                              R"("name":"owner","uid":")" +
                              uid() + R"("}]}})";
    ASSERT_EQ(ask("POST", kMaps, owned), 201);
    ASSERT_EQ(ask("DELETE", kMaps + "/owner"), 200);
    EXPECT_FALSE(is_there(kMaps + "/m")) << "objects of other kinds are collected";

    ASSERT_EQ(ask("DELETE", "/api/v1/namespaces/ns"), 200);
    ASSERT_TRUE(is_there("/api/v1/namespaces/ns"));
    EXPECT_NE(answer.find("cannot be read"), std::string::npos) << "the namespace says why it stays: " << answer;
    ASSERT_EQ(ask("DELETE", kWidgets + std::string("/bad?ignoreStoreReadErrorWithClusterBreakingPotential=true")), 200);
    server.api.loop.run_for(30min);
    EXPECT_FALSE(is_there("/api/v1/namespaces/ns"));
}

}  // namespace defined_kind_test
}  // namespace muster::worlds
