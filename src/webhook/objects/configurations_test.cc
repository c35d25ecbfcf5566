#include "webhook/objects/configurations.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <set>

namespace muster::webhook {
namespace configurations_test {

namespace json = boost::json;

const json::object* find_hook(const std::vector<json::object>& configurations, std::string_view name) {
    for (const json::object& configuration : configurations)
        for (const json::value& hook : configuration.at("webhooks").as_array())
            if (hook.as_object().at("name").as_string() == name) return &hook.as_object();
    return nullptr;
}

std::string condition(const json::object& hook, std::string_view name) {
    for (const json::value& one : hook.at("matchConditions").as_array())
        if (one.at("name").as_string() == name) return std::string(one.at("expression").as_string());
    return {};
}

TEST(WebhookConfigurations, SendOnlyPodsThatHaveToDoWithQueues) {
    const auto objects = webhook_configurations({});
    for (const char* name : {"pods.queue.muster.dev", "pods.check.queue.muster.dev"}) {
        const json::object* hook = find_hook(objects, name);
        ASSERT_TRUE(hook) << name;
        const std::string asks = condition(*hook, "has-a-queue");
        EXPECT_NE(asks.find("'kueue.x-k8s.io/queue-name'"), std::string::npos);
        EXPECT_NE(asks.find("'kueue.x-k8s.io/pod-group-name'"), std::string::npos);
        EXPECT_EQ(condition(*hook, "not-a-mirror-pod").substr(0, 2), "!(");
    }
    // Those without a mark are sent by namespaces alone that ask for it.
    const json::object* others = find_hook(objects, "other-pods.queue.muster.dev");
    ASSERT_TRUE(others);
    EXPECT_NE(json::serialize(others->at("namespaceSelector")).find("muster.dev/default-queue"), std::string::npos);
}

TEST(WebhookConfigurations, FailForWhatTheySendAndNeverTouchTheSystem) {
    ConfigurationOptions options;
    options.identity.namespace_ = "queues";
    std::set<std::string> names;
    for (const json::object& configuration : webhook_configurations(options))
        for (const json::value& value : configuration.at("webhooks").as_array()) {
            const json::object& hook = value.as_object();
            EXPECT_TRUE(names.insert(std::string(hook.at("name").as_string())).second) << hook.at("name");
            EXPECT_EQ(hook.at("failurePolicy").as_string(), "Fail");
            EXPECT_EQ(hook.at("sideEffects").as_string(), "None");
            EXPECT_EQ(hook.at("timeoutSeconds").as_int64(), 5);
            const std::string group(hook.at("rules").as_array().at(0).at("apiGroups").as_array().at(0).as_string());
            if (group == "kueue.x-k8s.io") continue;
            EXPECT_NE(json::serialize(hook.at("namespaceSelector"))
                          .find(R"("NotIn","values":["kube-system","kueue-system","queues"])"),
                      std::string::npos);
        }
    EXPECT_EQ(names.size(), 9u);
}

TEST(WebhookConfigurations, NameTheServiceOrAnUrl) {
    ConfigurationOptions options;
    EXPECT_EQ(json::serialize(client_config(options, kMutatePath)),
              R"({"service":{"namespace":"muster-system","name":"muster-webhook","path":"/mutate","port":443}})");
    options.identity.url = "https://127.0.0.1:9443";
    options.authority = "PEM";
    EXPECT_EQ(json::serialize(client_config(options, kConvertPath)),
              R"({"url":"https://127.0.0.1:9443/convert","caBundle":"UEVN"})");
}

TEST(WebhookConfigurations, SendAllWorkOfTheNamespacesWhenQueuesManageWorkThatNamesNone) {
    ConfigurationOptions options;
    options.all_work = true;
    options.namespace_selector = json::object{{"matchLabels", json::object{{"team", "a"}}}};
    const auto objects = webhook_configurations(options);
    const json::object* others = find_hook(objects, "other-jobs.queue.muster.dev");
    ASSERT_TRUE(others);
    const std::string selector = json::serialize(others->at("namespaceSelector"));
    EXPECT_EQ(selector.find("default-queue"), std::string::npos);
    EXPECT_NE(selector.find(R"({"team":"a"})"), std::string::npos);
}

}  // namespace configurations_test
}  // namespace muster::webhook
