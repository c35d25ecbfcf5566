#include "api/patch/json_diff.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/patch/json_dom.h"
#include "api/patch/json_patch.h"

namespace muster::api {
namespace json_diff_test {

namespace json = boost::json;

TEST(JsonDiff, TouchesWhatDiffersAndNothingElse) {
    struct Row {
        const char* sentence;
        const char* before;
        const char* after;
        const char* patch;
    };
    const Row rows[] = {
        {"equal documents need no patch", R"({"a":1,"b":[1,{"c":2}]})", R"({"b":[1,{"c":2}],"a":1.0})", "[]"},
        {"a new member is added", R"({"a":1})", R"({"a":1,"b":{"c":2}})",
         R"([{"op":"add","path":"/b","value":{"c":2}}])"},
        {"a member that is gone is removed", R"({"a":1,"b":2})", R"({"a":1})", R"([{"op":"remove","path":"/b"}])"},
        {"a member that differs is replaced where it stands", R"({"a":{"b":1,"c":1}})", R"({"a":{"b":2,"c":1}})",
         R"([{"op":"replace","path":"/a/b","value":2}])"},
        {"keys are escaped", R"({"a":{}})", R"({"a":{"x.io/y~z":"1"}})",
         R"([{"op":"add","path":"/a/x.io~1y~0z","value":"1"}])"},
        {"a list that grows is appended to", R"({"l":["a"]})", R"({"l":["a","b","c"]})",
         R"([{"op":"add","path":"/l/-","value":"b"},{"op":"add","path":"/l/-","value":"c"}])"},
        {"a list that shrinks is replaced", R"({"l":["a","b"]})", R"({"l":["b"]})",
         R"([{"op":"replace","path":"/l","value":["b"]}])"},
        {"an element that differs is changed in its place", R"({"l":[{"n":1,"x":1},{"n":2}]})",
         R"({"l":[{"n":1,"x":2},{"n":2}]})", R"([{"op":"replace","path":"/l/0/x","value":2}])"},
        {"another type replaces", R"({"a":[1]})", R"({"a":{"b":1}})",
         R"([{"op":"replace","path":"/a","value":{"b":1}}])"},
        {"null is a value", R"({"a":null})", R"({"a":1})", R"([{"op":"replace","path":"/a","value":1}])"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.sentence);
        const json::value before = json::parse(row.before);
        const json::value after = json::parse(row.after);
        const json::array patch = diff_json(before, after);
        EXPECT_EQ(json::serialize(patch), row.patch);
        const auto applied = apply_json_patch(before, patch, {});
        ASSERT_TRUE(applied.ok());
        EXPECT_TRUE(dom_equal(*applied, after));
    }
}

TEST(JsonDiff, KeepsHowADocumentSpellsWhatDidNotChange) {
    // The typed object has more members than the document, and prints a quantity in another way.
    const json::value document = json::parse(R"({"spec":{"cpu":"1000m"},"metadata":{"name":"p"},"other":{"x":1}})");
    const json::value before = json::parse(R"({"metadata":{"name":"p"},"spec":{"cpu":"1"},"status":{}})");
    const json::value after =
        json::parse(R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"cpu":"1"},"status":{}})");
    const auto patch = diff_document(document, before, after);
    ASSERT_TRUE(patch.ok());
    EXPECT_EQ(json::serialize(*patch), R"([{"op":"add","path":"/metadata/labels","value":{"a":"b"}}])");
    EXPECT_TRUE(diff_document(document, before, before).value().empty());
    EXPECT_EQ(diff_document(json::parse("[]"), before, after).error().code, Code::kBadRequest);
}

}  // namespace json_diff_test
}  // namespace muster::api
