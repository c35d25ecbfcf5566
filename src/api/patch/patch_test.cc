#include "api/patch/patch.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include "api/patch/testing/quoted_json.h"
#include "api/patch/testing/sample_type.h"

namespace muster::api {
namespace patch_test {

using sample::Sample;

constexpr PatchKind kKinds[] = {PatchKind::kJson, PatchKind::kMerge, PatchKind::kStrategic};

TEST(Patch, AllThreeKindsGoThroughOneDoor) {
    const auto current = quoted_json("{'metadata':{'finalizers':['a']}}");
    const auto add = R"([{"op":"add","path":"/metadata/finalizers/0","value":"b"}])";
    const auto merge = R"({"metadata":{"finalizers":["b"]}})";
    const auto json = apply_patch(PatchKind::kJson, Sample::info(), current, add, {});
    const auto merged = apply_patch(PatchKind::kMerge, Sample::info(), current, merge, {});
    const auto strategic = apply_patch(PatchKind::kStrategic, Sample::info(), current, merge, {});
    EXPECT_EQ(format_dom(*json), R"({"metadata":{"finalizers":["b","a"]}})");
    EXPECT_EQ(format_dom(*merged), R"({"metadata":{"finalizers":["b"]}})");
    EXPECT_EQ(format_dom(*strategic), R"({"metadata":{"finalizers":["b","a"]}})");
    EXPECT_EQ(format_dom(current), R"({"metadata":{"finalizers":["a"]}})");
}

TEST(Patch, AJsonPatchThatDoesNotApplyGetsKubernetesWords) {
    const auto refused = apply_patch(PatchKind::kJson, Sample::info(), quoted_json("{}"),
                                     R"([{"op":"remove","path":"/metadata/labels/zz"}])", {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(),
              (Error{Code::kInvalid, "the server rejected our request due to an error in our request"}));
}

TEST(Patch, ABodyThatIsNotJsonOrOfTheWrongTypeIsABadRequest) {
    const char* const bodies[] = {"", "{", "nope", "\"x\"", "null", "7", "{} {}", "{\"a\":1e999}", "\xff"};
    for (const PatchKind kind : kKinds) {
        for (const char* body : bodies) {
            const auto refused = apply_patch(kind, Sample::info(), quoted_json("{}"), body, {});
            ASSERT_FALSE(refused.ok()) << body;
            EXPECT_EQ(refused.error().code, Code::kBadRequest) << body;
            EXPECT_TRUE(refused.error().message.starts_with("error decoding patch: ")) << refused.error().message;
        }
    }
    EXPECT_FALSE(apply_patch(PatchKind::kJson, Sample::info(), quoted_json("{}"), "{}", {}).ok());
    EXPECT_FALSE(apply_patch(PatchKind::kMerge, Sample::info(), quoted_json("{}"), "[]", {}).ok());
}

TEST(Patch, ABodyLongerThanTheLimitIsTooLarge) {
    const std::string body = R"({"metadata":{}})";
    const PatchLimits limits{.body_bytes_max = body.size()};
    EXPECT_TRUE(apply_patch(PatchKind::kMerge, Sample::info(), quoted_json("{}"), body, limits).ok());
    const auto refused = apply_patch(PatchKind::kMerge, Sample::info(), quoted_json("{}"), body + " ", limits);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(), (Error{Code::kTooLarge, "Request entity too large: limit is 15"}));
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
}

TEST(Patch, APatchDeeperThanTheLimitIsABadRequestHoweverDeep) {
    const auto current = quoted_json("{'metadata':{}}");
    for (const std::size_t depth : {1001u, 10'000u, 400'000u}) {
        const std::string object = nested(depth, "{\"a\":", "}");
        const std::string operation = R"([{"op":"add","path":"/a","value":)" + nested(depth, "[", "]") + "}]";
        for (const PatchKind kind : kKinds) {
            const std::string& body = kind == PatchKind::kJson ? operation : object;
            const auto refused = apply_patch(kind, Sample::info(), current, body, {});
            ASSERT_FALSE(refused.ok());
            EXPECT_EQ(refused.error().code, Code::kBadRequest) << refused.error().message;
        }
    }
    EXPECT_TRUE(apply_patch(PatchKind::kMerge, Sample::info(), current, nested(1000, "{\"a\":", "}"), {}).ok());
}

TEST(Patch, AnObjectDeeperThanTheLimitIsNotPatched) {
    const auto current = parse_dom(nested(1001, "{\"a\":", "}"), {.depth_max = 2000});
    for (const PatchKind kind : kKinds) {
        const char* body = kind == PatchKind::kJson ? "[]" : "{}";
        const auto refused = apply_patch(kind, Sample::info(), *current, body, {});
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().code, Code::kTooLarge);
    }
}

TEST(PatchJson, NumbersAreWrittenAsTheyWouldBeUpstream) {
    const struct {
        const char* read;
        const char* written;
    } cases[] = {{"0.5", "0.5"},
                 {"1.5e3", "1500"},
                 {"2", "2"},
                 {"-7", "-7"},
                 {"0.3", "0.3"},
                 {"1e-7", "1e-7"},
                 {"1e21", "1e+21"},
                 {"100000.0", "100000"},
                 {"123.456", "123.456"},
                 {"18446744073709551615", "18446744073709551615"}};
    for (const auto& number : cases) EXPECT_EQ(format_dom(*parse_dom(number.read)), number.written);
}

TEST(PatchJson, ADescriptionReadsLikeGosAndIsCutBetweenCharacters) {
    EXPECT_EQ(describe_dom(quoted_json("{'name':'c','a':[1,true,null],'b':{}}")),
              "map[a:[1 true <nil>] b:map[] name:c]");
    EXPECT_EQ(describe_keys(quoted_json("{'name':'c','$patch':'x','b':{}}").as_object()), "map[$patch:x b name]");
    std::string umlauts = "'";
    for (int i = 0; i < 2000; ++i) umlauts += "ü";
    const std::string cut = describe_dom(quoted_json(umlauts + "'"));
    EXPECT_TRUE(parse_dom('"' + cut + '"').ok());
    EXPECT_LT(cut.size(), 600u);
}

}  // namespace patch_test
}  // namespace muster::api
