#include "api/patch/json_patch.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <chrono>

#include "api/patch/json_dom.h"
#include "api/patch/json_pointer.h"
#include "api/patch/testing/quoted_json.h"

namespace muster::api {
namespace json_patch_test {

namespace json = boost::json;

struct Case {
    const char* sentence;
    const char* document;
    const char* patch;
    const char* outcome;  // the document afterwards, or the code
};

std::string outcome_of(const Case& given) {
    const auto after = apply_json_patch(quoted_json(given.document), quoted_json(given.patch), {});
    return after.ok() ? sorted_json(*after) : std::string(name_of(after.error().code));
}

std::string expected_of(const Case& given) {
    const std::string_view outcome = given.outcome;
    return outcome.front() == '{' ? sorted_json(quoted_json(outcome)) : std::string(outcome);
}

TEST(JsonPatch, EachOperationDoesAsTheTableSays) {
    const Case cases[] = {
        {"no operations change nothing", "{'a':1}", "[]", "{'a':1}"},
        {"add makes a member", "{}", "[{'op':'add','path':'/a','value':{'b':1}}]", "{'a':{'b':1}}"},
        {"add replaces a member that is there", "{'a':1}", "[{'op':'add','path':'/a','value':2}]", "{'a':2}"},
        {"add inserts before the index", "{'a':[1,2]}", "[{'op':'add','path':'/a/1','value':9}]", "{'a':[1,9,2]}"},
        {"add at the length appends", "{'a':[1]}", "[{'op':'add','path':'/a/1','value':9}]", "{'a':[1,9]}"},
        {"add at - appends", "{'a':[1,2]}", "[{'op':'add','path':'/a/-','value':9}]", "{'a':[1,2,9]}"},
        {"add at -1 appends, as upstream counts from the new length", "{'a':[1,2]}",
         "[{'op':'add','path':'/a/-1','value':9}]", "{'a':[1,2,9]}"},
        {"add beyond the length does not apply", "{'a':[1]}", "[{'op':'add','path':'/a/2','value':9}]", "invalid"},
        {"an index with a leading zero is none", "{'a':[1,2]}", "[{'op':'add','path':'/a/01','value':9}]", "invalid"},
        {"an index with a plus is none", "{'a':[1,2]}", "[{'op':'add','path':'/a/+1','value':9}]", "invalid"},
        {"an index of 20 digits is none", "{'a':[1]}", "[{'op':'remove','path':'/a/18446744073709551616'}]", "invalid"},
        {"add without a value adds null", "{}", "[{'op':'add','path':'/a'}]", "{'a':null}"},
        {"add does not make the way to its path", "{}", "[{'op':'add','path':'/a/b','value':1}]", "invalid"},
        {"add below a scalar does not apply", "{'a':1}", "[{'op':'add','path':'/a/b','value':1}]", "invalid"},
        {"add does not take the whole document", "{}", "[{'op':'add','path':'','value':{}}]", "invalid"},
        {"a path without its slash does not apply", "{'a':1}", "[{'op':'remove','path':'a'}]", "invalid"},
        {"~1 is a slash and ~0 a tilde, read once", "{}", "[{'op':'add','path':'/x~1y~01','value':1}]", "{'x/y~1':1}"},
        {"the empty key is a key", "{'':{'':1}}", "[{'op':'remove','path':'//'}]", "{'':{}}"},
        {"remove takes a member", "{'a':1,'b':2}", "[{'op':'remove','path':'/a'}]", "{'b':2}"},
        {"remove takes an element", "{'a':[1,2,3]}", "[{'op':'remove','path':'/a/1'}]", "{'a':[1,3]}"},
        {"remove at -1 takes the last element", "{'a':[1,2]}", "[{'op':'remove','path':'/a/-1'}]", "{'a':[1]}"},
        {"remove of nothing does not apply", "{'a':{}}", "[{'op':'remove','path':'/a/zz'}]", "invalid"},
        {"remove at - does not apply", "{'a':[1]}", "[{'op':'remove','path':'/a/-'}]", "invalid"},
        {"replace changes a member", "{'a':1}", "[{'op':'replace','path':'/a','value':[]}]", "{'a':[]}"},
        {"replace of an absent member adds it, as upstream does", "{}", "[{'op':'replace','path':'/a','value':1}]",
         "{'a':1}"},
        {"replace of an absent element does not apply", "{'a':[]}", "[{'op':'replace','path':'/a/0','value':1}]",
         "invalid"},
        {"replace changes an element", "{'a':[1,2]}", "[{'op':'replace','path':'/a/1','value':9}]", "{'a':[1,9]}"},
        {"replace takes the whole document", "{'a':1}", "[{'op':'replace','path':'','value':{'b':2}}]", "{'b':2}"},
        {"a scalar is no whole document", "{'a':1}", "[{'op':'replace','path':'','value':7}]", "invalid"},
        {"move renames", "{'a':{'x':1}}", "[{'op':'move','from':'/a/x','path':'/a/z'}]", "{'a':{'z':1}}"},
        {"move within an array counts after taking out", "{'a':[1,2,3]}", "[{'op':'move','from':'/a/0','path':'/a/2'}]",
         "{'a':[2,3,1]}"},
        {"move into itself does not apply", "{'a':{'b':{}}}", "[{'op':'move','from':'/a','path':'/a/b/c'}]", "invalid"},
        {"move from nowhere does not apply", "{}", "[{'op':'move','from':'/a','path':'/b'}]", "invalid"},
        {"move without a from does not apply", "{'a':1}", "[{'op':'move','path':'/b'}]", "invalid"},
        {"copy leaves the first in place", "{'a':{'x':1}}", "[{'op':'copy','from':'/a','path':'/b'}]",
         "{'a':{'x':1},'b':{'x':1}}"},
        {"copy into itself copies what it was", "{'a':{'x':1}}", "[{'op':'copy','from':'/a','path':'/a/y'}]",
         "{'a':{'x':1,'y':{'x':1}}}"},
        {"copy from nowhere does not apply", "{}", "[{'op':'copy','from':'/a','path':'/b'}]", "invalid"},
        {"test holds for an equal value in any member order", "{'a':{'x':1,'y':[2]}}",
         "[{'op':'test','path':'/a','value':{'y':[2],'x':1.0}}]", "{'a':{'x':1,'y':[2]}}"},
        {"test fails for another value", "{'a':'1'}", "[{'op':'test','path':'/a','value':'9'}]", "invalid"},
        {"test does not take 1 for '1'", "{'a':1}", "[{'op':'test','path':'/a','value':'1'}]", "invalid"},
        {"test takes an absent member for null", "{}", "[{'op':'test','path':'/a','value':null}]", "{}"},
        {"test of an absent member for a value fails", "{}", "[{'op':'test','path':'/a','value':1}]", "invalid"},
        {"test compares the whole document", "{'a':1}", "[{'op':'test','path':'','value':{'a':1}}]", "{'a':1}"},
        {"operations see what those before them did", "{}",
         "[{'op':'add','path':'/a','value':{}},{'op':'add','path':'/a/b','value':1},{'op':'test','path':'/a/b',"
         "'value':1}]",
         "{'a':{'b':1}}"},
        {"one that does not apply fails all", "{'a':1}", "[{'op':'remove','path':'/a'},{'op':'remove','path':'/a'}]",
         "invalid"},
        {"an unknown operation does not apply", "{}", "[{'op':'explode','path':'/a'}]", "invalid"},
        {"an operation without a name does not apply", "{}", "[{'path':'/a'}]", "invalid"},
        {"an operation without a path does not apply", "{}", "[{'op':'add','value':1}]", "invalid"},
        {"a path that is no text is malformed", "{}", "[{'op':'add','path':1}]", "bad request"},
        {"an operation that is no object is malformed", "{}", "[1]", "bad request"},
        {"a patch that is no array is malformed", "{}", "{'op':'add'}", "bad request"},
    };
    for (const Case& given : cases) EXPECT_EQ(outcome_of(given), expected_of(given)) << given.sentence;
}

json::value operations(std::size_t count, const char* operation) {
    json::array list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(quoted_json(operation));
    return list;
}

TEST(JsonPatchLimit, TenThousandOperationsPassAndOneMoreIsTooLarge) {
    const char* kTest = "{'op':'test','path':'/a','value':1}";
    EXPECT_TRUE(apply_json_patch(quoted_json("{'a':1}"), operations(10'000, kTest), {}).ok());
    const auto refused = apply_json_patch(quoted_json("{'a':1}"), operations(10'001, kTest), {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kTooLarge);
    EXPECT_EQ(refused.error().message,
              "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001");
}

TEST(JsonPatchLimit, CopiesMayNotBlowTheDocumentUp) {
    // Each doubles the document: thirty would make a gigabyte of sixteen bytes.
    json::value patch = operations(30, "{'op':'copy','from':'/a','path':'/a/-'}");
    const auto refused = apply_json_patch(quoted_json("{'a':[1,2,3,4,5,6]}"), patch, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kInvalid);
    EXPECT_NE(refused.error().message.find("the copies of this patch would add"), std::string::npos);
}

TEST(JsonPatchLimit, CopiesAndMovesMayNotDeepenTheDocumentPastTheLimit) {
    json::array copies;
    json::array moves;
    json::object towers;
    for (int i = 0; i < 400; ++i) {
        const std::string here = "/t" + std::to_string(i);
        const std::string next = "/t" + std::to_string(i + 1) + "/x/x/x";
        copies.push_back({{"op", "copy"}, {"from", "/t0"}, {"path", "/t0/x/y"}});
        moves.push_back({{"op", "move"}, {"from", here}, {"path", next}});
    }
    for (int i = 0; i < 401; ++i) towers["t" + std::to_string(i)] = quoted_json("{'x':{'x':{}}}");
    for (const json::array& patch : {copies, moves}) {
        const auto refused = apply_json_patch(towers, patch, {.depth_max = 128});
        ASSERT_FALSE(refused.ok());
        EXPECT_NE(refused.error().message.find("too deep"), std::string::npos) << refused.error().message;
    }
}

TEST(JsonPatchLimit, ShiftingALongArrayOverAndOverIsRefused) {
    json::value document = quoted_json("{'a':[]}");
    document.at("a").as_array().resize(500'000);
    const auto begin = std::chrono::steady_clock::now();
    const auto refused = apply_json_patch(document, operations(10'000, "{'op':'add','path':'/a/0','value':1}"), {});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("too long"), std::string::npos) << refused.error().message;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));  // unbounded: minutes
}

TEST(JsonPointer, AnIndexIsBelowTheSize) {
    EXPECT_EQ(parse_array_index("0", 1), 0u);
    EXPECT_EQ(parse_array_index("10", 11), 10u);
    EXPECT_EQ(parse_array_index("-2", 2), 0u);
    for (const char* none : {"", "-", "1", "-0", "-2", "00", " 0", "0 ", "a"})
        EXPECT_EQ(parse_array_index(none, 1), std::nullopt) << none;
}

}  // namespace json_patch_test
}  // namespace muster::api
