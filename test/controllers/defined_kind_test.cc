// Garbage collection and namespace deletion of a kind that is defined at run time, on a whole server in virtual time.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "client/metrics.h"
#include "controllers/garbage/controller.h"
#include "controllers/namespace/controller.h"
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
        server.api.kinds->replace(server::with_widgets());
        const api::KindInfo& widgets = api::kind_info_of(server::kWidgetKind);
        const api::KindInfo& racks = api::kind_info_of(server::kRackKind);
        controllers::GarbageOptions garbage_options;
        garbage_options.kinds.insert(garbage_options.kinds.end(), {&widgets, &racks});
        garbage = std::make_unique<controllers::GarbageController>(server.api.loop, client, metrics, garbage_options);
        garbage->start();
        controllers::NamespaceOptions namespace_options;
        namespace_options.kinds.push_back(&widgets);
        namespaces =
            std::make_unique<controllers::NamespaceController>(server.api.loop, client, metrics, namespace_options);
        namespaces->start();
        server.api.loop.run_for(1s);
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

}  // namespace defined_kind_test
}  // namespace muster::worlds
