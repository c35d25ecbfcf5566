#include "api/defaults/defined.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"

namespace muster::api {
namespace defined_test {

TEST(CanonicalJson, TheSameValueHasTheSameText) {
    const struct {
        const char* why;
        const char* text;
        const char* expected;
    } cases[] = {
        {"members are sorted at every depth", R"({"b":{"d":1,"c":[{"z":1,"a":2}]},"a":1})",
         R"({"a":1,"b":{"c":[{"a":2,"z":1}],"d":1}})"},
        {"numbers are written in one way", "[1.0,1,1e2,-0.5,18446744073709551615,9007199254740993]",
         "[1,1,100,-0.5,18446744073709551615,9007199254740993]"},
        {"spaces go, texts stay", " { \"a b\" : \" x \\n\\u00e4\" } ", "{\"a b\":\" x \\nä\"}"},
        {"null inside stays", R"({"a":null})", R"({"a":null})"},
        {"null is nothing", "null", ""},
        {"nothing is nothing", "", ""},
        {"a text", R"("x")", R"("x")"},
        {"empty ones", R"({"a":{},"b":[]})", R"({"a":{},"b":[]})"},
    };
    for (const auto& one : cases) EXPECT_EQ(canonical_json({Text(one.text)}).json, one.expected) << one.why;
}

DefinedObject read(const char* text) {
    DefinedObject object;
    const auto decoded = decode_json(DefinedObject::info(), &object, text);
    EXPECT_TRUE(decoded.ok());
    return object;
}

TEST(DefinedObject, KeepsEveryMemberAndPrintsIt) {
    const DefinedObject object =
        read(R"({"apiVersion":"a/v1","kind":"K","metadata":{"name":"n"},"z":[1],"a":"x","status":{"s":1},"spec":{}})");
    EXPECT_EQ(object.metadata.name, "n");
    EXPECT_EQ(object.status.json, R"({"s":1})");
    EXPECT_EQ(object.content.size(), 3u);
    EXPECT_EQ(
        to_json(object),
        R"({"kind":"DefinedObject","apiVersion":"","metadata":{"name":"n"},"status":{"s":1},"a":"x","spec":{},"z":[1]})");
    DefinedObject again;
    ASSERT_TRUE(decode_protobuf(DefinedObject::info(), &again, to_protobuf(object)).ok());
    EXPECT_EQ(again, object);
}

TEST(DefinedObject, ComplainsAboutItsMetadataAndAboutMembersThatComeTwice) {
    DefinedObject object;
    const auto decoded =
        decode_json(DefinedObject::info(), &object, R"({"metadata":{"no":1},"a":1,"metadata":{},"a":{"b":1,"b":2}})");
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->complaints, (std::vector<std::string>{"unknown field \"metadata.no\"",
                                                             "duplicate field \"metadata\"", "duplicate field \"a\""}));
    EXPECT_EQ(object.content.find("a")->json, R"({"b":1,"b":2})");
    EXPECT_EQ(decode_json(DefinedObject::info(), &object, R"({"spec":{"n":1e999}})").error().message,
              "a number in field spec is out of range");
}

TEST(DefinedObject, TheGenerationCountsChangesOfTheContent) {
    const DefinedObject before = read(R"({"metadata":{"generation":3},"spec":1,"status":{"s":1}})");
    const struct {
        const char* why;
        const char* now;
        bool has_status;
        std::int64_t generation;
    } cases[] = {
        {"the same", R"({"metadata":{"generation":3},"spec":1,"status":{"s":1}})", true, 3},
        {"other metadata", R"({"metadata":{"generation":3,"labels":{"a":"b"}},"spec":1,"status":{"s":1}})", true, 3},
        {"another spec", R"({"metadata":{"generation":3},"spec":2,"status":{"s":1}})", true, 4},
        {"another status, which is a subresource", R"({"metadata":{"generation":3},"spec":1})", true, 3},
        {"another status, which is none", R"({"metadata":{"generation":3},"spec":1})", false, 4},
        {"one member more", R"({"metadata":{"generation":3},"spec":1,"x":0,"status":{"s":1}})", true, 4},
    };
    for (const auto& one : cases) {
        DefinedObject now = read(one.now);
        prepare_defined_update(now, before, one.has_status);
        EXPECT_EQ(now.metadata.generation, one.generation) << one.why;
        EXPECT_EQ(now.status.json, one.has_status ? R"({"s":1})" : "") << one.why;
    }
}

}  // namespace defined_test
}  // namespace muster::api
