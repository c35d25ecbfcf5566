#include "server/rest/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/pod.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace binding_test {

using api::core::Pod;
using testing::HasSubstr;

struct BindPodTest : testing::Test {
    ApiObjects api;

    BindPodTest() { create("p"); }
    void create(const std::string& name, const std::string& metadata = "", const std::string& spec = "") {
        api.create<Pod>("metadata: {name: " + name + metadata + "}\nspec: {containers: [{name: c, image: busybox}]" +
                        spec + "}");
    }
    Result<Answer> bind(const std::string& path_name, const std::string& yaml, const std::string& query = "") {
        Call call = make_call("POST", "/api/v1/namespaces/ns/pods/" + path_name + "/binding" + query, yaml,
                              {{"content-type", "application/yaml"}});
        return bind_pod(api.objects, call);
    }
};

TEST_F(BindPodTest, PutsAPodOnANodeOnce) {
    const auto answer =
        bind("p", "{metadata: {name: p, labels: {l: one}, annotations: {a: two}}, target: {kind: Node, name: x}}");
    ASSERT_TRUE(answer.ok()) << format_error(answer.error());
    EXPECT_EQ(answer->code, 201);
    EXPECT_EQ(answer->durable, api.store->revision());
    const Pod& pod = api.get<Pod>("p");
    EXPECT_EQ(pod.spec.node_name, "x");
    EXPECT_EQ(*pod.metadata.labels.find("l"), "one");
    EXPECT_EQ(*pod.metadata.annotations.find("a"), "two");
    ASSERT_EQ(pod.status.conditions.size(), 1u);
    EXPECT_EQ(pod.status.conditions[0].type, "PodScheduled");
    EXPECT_EQ(pod.status.conditions[0].status, "True");
    EXPECT_EQ(pod.status.conditions[0].last_transition_time, api::Time::from_instant(api.loop.now()));
    const auto again = bind("p", "{metadata: {name: p}, target: {name: z}}");
    EXPECT_EQ(again.error().code, Code::kConflict);
    EXPECT_EQ(again.error().message,
              "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"x\"");
}

TEST_F(BindPodTest, ReplacesTheConditionThatSaidOtherwise) {
    const auto unschedulable = [](Pod& pod) {
        pod.status.nominated_node_name = "z";
        auto& condition = pod.status.conditions.edit().emplace_back();
        condition.type = "PodScheduled";
        condition.status = "False";
        condition.reason = "Unschedulable";
        condition.message = "nowhere";
    };
    ASSERT_TRUE(api.update<Pod>("p", unschedulable, Part::kStatus).ok());
    ASSERT_TRUE(bind("p", "{metadata: {name: p}, target: {name: x}}").ok());
    const Pod& pod = api.get<Pod>("p");
    ASSERT_EQ(pod.status.conditions.size(), 1u);
    EXPECT_EQ(pod.status.conditions[0].status, "True");
    EXPECT_EQ(pod.status.conditions[0].reason, "");
    EXPECT_EQ(pod.status.nominated_node_name, "");
}

TEST_F(BindPodTest, IsRefused) {
    create("gated", "", ", schedulingGates: [{name: a/b}]");
    create("going", ", finalizers: [a/b]");
    ASSERT_TRUE(api.remove<Pod>("going").ok());
    struct Case {
        const char* name;
        const char* pod;
        const char* binding;
        Code code;
        const char* message;
    };
    const Case cases[] = {
        {"another name", "p", "{metadata: {name: q}, target: {name: x}}", Code::kBadRequest,
         "name in URL does not match name in Binding object"},
        {"no node", "p", "{metadata: {name: p}, target: {kind: Node}}", Code::kInvalid, "target.name: Required value"},
        {"no node but something else", "p", "{metadata: {name: p}, target: {kind: Rack, name: x}}", Code::kInvalid,
         "target.kind: Unsupported value: \"Rack\""},
        {"no pod", "q", "{metadata: {name: q}, target: {name: x}}", Code::kNotFound, "pods \"q\" not found"},
        {"another uid", "p", "{metadata: {name: p, uid: other}, target: {name: x}}", Code::kConflict,
         "UID in precondition: other"},
        {"another version", "p", "{metadata: {name: p, resourceVersion: '1'}, target: {name: x}}", Code::kConflict,
         "the object has been modified"},
        {"gates", "gated", "{metadata: {name: gated}, target: {name: x}}", Code::kConflict,
         "has non-empty .spec.schedulingGates"},
        {"a pod that goes", "going", "{metadata: {name: going}, target: {name: x}}", Code::kConflict,
         "is being deleted, cannot be assigned to a host"},
    };
    const store::Revision before = api.store->revision();
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const auto refused = bind(one.pod, one.binding);
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().code, one.code);
        EXPECT_THAT(refused.error().message, HasSubstr(one.message));
    }
    EXPECT_EQ(api.store->revision(), before);
}

TEST_F(BindPodTest, ADryRunChangesNothing) {
    const store::Revision before = api.store->revision();
    EXPECT_TRUE(bind("p", "{metadata: {name: p}, target: {name: x}}", "?dryRun=All").ok());
    EXPECT_EQ(api.store->revision(), before);
}

}  // namespace binding_test
}  // namespace muster::server
