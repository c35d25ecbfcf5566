#include "api/patch/patch.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include "api/patch/quoted_json.h"
#include "api/patch/sample_type.h"

namespace muster::api {
namespace {

constexpr PatchKind kKinds[] = {PatchKind::kJson, PatchKind::kMerge, PatchKind::kStrategic};

TEST(Patch, AllThreeKindsGoThroughOneDoor) {
    const auto current = quoted_json("{'metadata':{'finalizers':['a']}}");
    const auto add = R"([{"op":"add","path":"/metadata/finalizers/0","value":"b"}])";
    const auto merge = R"({"metadata":{"finalizers":["b"]}})";
    const auto json = apply_patch(PatchKind::kJson, Sample::info(), current, add, {});
    const auto merged = apply_patch(PatchKind::kMerge, Sample::info(), current, merge, {});
    const auto strategic = apply_patch(PatchKind::kStrategic, Sample::info(), current, merge, {});
    EXPECT_EQ(format_json(*json), R"({"metadata":{"finalizers":["b","a"]}})");
    EXPECT_EQ(format_json(*merged), R"({"metadata":{"finalizers":["b"]}})");
    EXPECT_EQ(format_json(*strategic), R"({"metadata":{"finalizers":["b","a"]}})");
    EXPECT_EQ(format_json(current), R"({"metadata":{"finalizers":["a"]}})");
}

TEST(Patch, TextInTextOutGivesTheSame) {
    const auto after = apply_patch_text(PatchKind::kStrategic, Sample::info(), R"({"metadata":{"finalizers":["a"]}})",
                                        R"({"metadata":{"finalizers":["b"],"labels":{"k":"ü\n"}}})", {});
    EXPECT_EQ(*after, R"({"metadata":{"finalizers":["b","a"],"labels":{"k":"ü\n"}}})");
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
    const std::string current = R"({"metadata":{}})";
    for (const std::size_t depth : {129u, 10'000u, 400'000u}) {
        const std::string object = nested(depth, "{\"a\":", "}");
        const std::string operation = R"([{"op":"add","path":"/a","value":)" + nested(depth, "[", "]") + "}]";
        for (const PatchKind kind : kKinds) {
            const std::string& body = kind == PatchKind::kJson ? operation : object;
            const auto refused = apply_patch_text(kind, Sample::info(), current, body, {});
            ASSERT_FALSE(refused.ok());
            EXPECT_EQ(refused.error().code, Code::kBadRequest) << refused.error().message;
        }
    }
    EXPECT_TRUE(apply_patch_text(PatchKind::kMerge, Sample::info(), current, nested(128, "{\"a\":", "}"), {}).ok());
}

TEST(Patch, AnObjectDeeperThanTheLimitIsNotPatched) {
    const auto current = parse_json(nested(129, "{\"a\":", "}"), 200);
    for (const PatchKind kind : kKinds) {
        const char* body = kind == PatchKind::kJson ? "[]" : "{}";
        const auto refused = apply_patch(kind, Sample::info(), *current, body, {});
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().code, Code::kTooLarge);
    }
}

TEST(Patch, PreconditionsAreTheUidAndRevisionThatThePatchNames) {
    const auto of = [](const char* patch) { return patch_preconditions(quoted_json(patch)); };
    EXPECT_EQ(of("{'metadata':{'uid':'u','resourceVersion':'7'}}"),
              (PatchPreconditions{.uid = "u", .resource_version = "7"}));
    EXPECT_EQ(of("{'metadata':{'resourceVersion':'7'}}"), (PatchPreconditions{.resource_version = "7"}));
    for (const char* none : {"{}", "{'metadata':null}", "{'metadata':{'uid':null,'resourceVersion':7}}", "[]"})
        EXPECT_EQ(of(none), PatchPreconditions()) << none;
}

TEST(PatchJson, NumbersAreWrittenAsTheyWouldBeUpstream) {
    const struct {
        const char* read;
        const char* written;
    } cases[] = {{"0.5", "0.5"},    {"1.5e3", "1500"},      {"2", "2"},
                 {"-7", "-7"},      {"0.3", "0.3"},         {"1e-7", "1e-7"},
                 {"1e21", "1e+21"}, {"123.456", "123.456"}, {"18446744073709551615", "18446744073709551615"}};
    for (const auto& number : cases) EXPECT_EQ(format_json(*parse_json(number.read, 8)), number.written);
}

TEST(PatchJson, ADescriptionReadsLikeGosAndIsCutBetweenCharacters) {
    EXPECT_EQ(describe_json(quoted_json("{'name':'c','a':[1,true,null],'b':{}}")),
              "map[a:[1 true <nil>] b:map[] name:c]");
    std::string umlauts = "'";
    for (int i = 0; i < 2000; ++i) umlauts += "ü";
    const std::string cut = describe_json(quoted_json(umlauts + "'"));
    EXPECT_TRUE(parse_json('"' + cut + '"', 8).ok());
    EXPECT_LT(cut.size(), 600u);
}

}  // namespace
}  // namespace muster::api
