#include "api/patch/three_way.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "api/patch/json_dom.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"

namespace muster::api {
namespace three_way_test {

namespace json = boost::json;

struct PatchCase {
    const char* sentence;
    const char* before;
    const char* manifest;
    const char* live;
    const char* patch;
    const char* after;
};

const PatchCase kPodCases[] = {
    {"nothing to do gives no patch", R"({"spec":{"nodeName":"a"}})", R"({"spec":{"nodeName":"a"}})",
     R"({"spec":{"nodeName":"a","hostname":"set by others"}})", "{}",
     R"({"spec":{"nodeName":"a","hostname":"set by others"}})"},
    {"a change and an addition", R"({})", R"({"metadata":{"labels":{"a":"2","b":"1"}}})",
     R"({"metadata":{"labels":{"a":"1","other":"x"}}})", R"({"metadata":{"labels":{"a":"2","b":"1"}}})",
     R"({"metadata":{"labels":{"a":"2","b":"1","other":"x"}}})"},
    {"what was applied before and is gone now goes", R"({"metadata":{"labels":{"a":"1","b":"1"}}})",
     R"({"metadata":{"labels":{"a":"1"}}})", R"({"metadata":{"labels":{"a":"1","b":"1","other":"x"}}})",
     R"({"metadata":{"labels":{"b":null}}})", R"({"metadata":{"labels":{"a":"1","other":"x"}}})"},
    {"what another client has removed already needs no removal", R"({"metadata":{"labels":{"a":"1"}}})",
     R"({"metadata":{}})", R"({"metadata":{}})", "{}", R"({"metadata":{}})"},
    {"containers merge by name", R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})",
     R"({"spec":{"containers":[{"name":"a","image":"2"},{"name":"c","image":"1"}]}})",
     R"({"spec":{"containers":[{"name":"a","image":"1","stdin":true},{"name":"b","image":"1"},{"name":"sidecar"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"c"}],"containers":[{"image":"2","name":"a"},)"
     R"({"name":"c","image":"1"},{"$patch":"delete","name":"b"}]}})",
     R"({"spec":{"containers":[{"name":"a","image":"2","stdin":true},{"name":"c","image":"1"},{"name":"sidecar"}]}})"},
    {"what others added to a list stays and is no change", R"({"spec":{"containers":[{"name":"a","image":"1"}]}})",
     R"({"spec":{"containers":[{"name":"a","image":"1"}]}})",
     R"({"spec":{"containers":[{"name":"injected"},{"name":"a","image":"1"}]}})", "{}",
     R"({"spec":{"containers":[{"name":"injected"},{"name":"a","image":"1"}]}})"},
    {"finalizers merge as a set", R"({"metadata":{"finalizers":["x","y"]}})",
     R"({"metadata":{"finalizers":["y","z"]}})", R"({"metadata":{"finalizers":["x","y","other"]}})",
     R"({"metadata":{"finalizers":["z"],"$deleteFromPrimitiveList/finalizers":["x"]}})",
     R"({"metadata":{"finalizers":["z","y","other"]}})"},
    {"a list that does not merge is replaced", R"({})", R"({"spec":{"tolerations":[{"key":"a"}]}})",
     R"({"spec":{"tolerations":[{"key":"b"}]}})", R"({"spec":{"tolerations":[{"key":"a"}]}})",
     R"({"spec":{"tolerations":[{"key":"a"}]}})"},
    {"another kind of volume drops the first", R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
     R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}})",
     R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
     R"({"spec":{"$setElementOrder/volumes":[{"name":"v"}],"volumes":[{"hostPath":{"path":"/x"},"emptyDir":null,)"
     R"("$retainKeys":["hostPath","name"],"name":"v"}]}})",
     R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}})"},
};

TEST(ThreeWayPatch, BringsALivePodToItsManifest) {
    for (const PatchCase& test : kPodCases) {
        const json::object live = json::parse(test.live).as_object();
        const json::object patch = three_way_patch(&core::Pod::info(), json::parse(test.before).as_object(),
                                                   json::parse(test.manifest).as_object(), live);
        EXPECT_EQ(json::serialize(patch), test.patch) << test.sentence;
        const auto after = apply_strategic_merge(core::Pod::info(), live, patch, {});
        ASSERT_TRUE(after.ok()) << test.sentence << format_error(after.error());
        EXPECT_TRUE(dom_equal(*after, json::parse(test.after))) << test.sentence << json::serialize(*after);
    }
}

TEST(ThreeWayPatch, OfAnUnknownTypeIsAMergePatch) {
    const json::object live = json::parse(R"({"spec":{"list":[{"name":"a"}],"x":1,"mine":2}})").as_object();
    const json::object patch = three_way_patch(nullptr, json::parse(R"({"spec":{"x":1}})").as_object(),
                                               json::parse(R"({"spec":{"list":[{"name":"b"}]}})").as_object(), live);
    EXPECT_EQ(json::serialize(patch), R"({"spec":{"list":[{"name":"b"}],"x":null}})");
    EXPECT_TRUE(
        dom_equal(*apply_merge_patch(live, patch, {}), json::parse(R"({"spec":{"list":[{"name":"b"}],"mine":2}})")));
}

}  // namespace three_way_test
}  // namespace muster::api
