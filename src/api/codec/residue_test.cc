// Fields that a type does not know: kept when asked, with every copy, and written back in the encoding they came in.
#include "api/schema/residue.h"

#include <gtest/gtest.h>

#include "api/codec/codec_test_types.h"
#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/kinds/core/pod.h"
#include "api/patch/patch.h"
#include "api/schema/walk.h"
#include "api/text/wire.h"

namespace muster::api {
namespace residue_test {

using codec_test::Inner;
using codec_test::Thing;
using core::Pod;

constexpr DecodeLimits kKeep{.keep_unknown = true};
constexpr DecodeLimits kCluster{.keep_unknown = true, .dialect = Dialect::kKubernetes};

template <class T>
T keep_json(std::string_view text, const DecodeLimits& limits = kKeep) {
    T object{};
    const auto decoded = decode_json(T::info(), &object, text, limits);
    EXPECT_TRUE(decoded.ok()) << decoded.error().message;
    EXPECT_TRUE(decoded.ok() && decoded->complaints.empty()) << "what is kept is not complained about";
    return object;
}

template <class T>
T keep_protobuf(std::string_view bytes, const DecodeLimits& limits = kKeep) {
    T object{};
    const auto decoded = decode_protobuf(T::info(), &object, bytes, limits);
    EXPECT_TRUE(decoded.ok()) << decoded.error().message;
    return object;
}

std::string json_of(const Thing& thing) {
    std::string out;
    append_json(Thing::info(), &thing, out);
    return out;
}

std::string field_of(std::uint32_t number, std::string_view bytes) {
    std::string out;
    append_field(number, bytes, out);
    return out;
}

TEST(Residue, JsonIsWrittenBackBehindTheKnownFieldsOfItsStruct) {
    // What every Thing prints.
    const std::string inner = R"("inner":{"name":""})";
    const std::string rest = R"("probed":null,"always":null)";
    struct Case {
        const char* name;
        std::string read;
        std::string written;
    };
    const Case cases[] = {
        {"at the top", R"({"nope":1,"title":"a"})", R"({"title":"a",)" + inner + "," + rest + R"(,"nope":1})"},
        {"several, in their order", R"({"b":1,"title":"a","a":[]})",
         R"({"title":"a",)" + inner + "," + rest + R"(,"b":1,"a":[]})"},
        {"in a struct", R"({"inner":{"x":{"y":[1]},"name":"n"}})",
         R"({"inner":{"name":"n","x":{"y":[1]}},)" + rest + "}"},
        {"in a boxed struct", R"({"boxed":{"x":true}})",
         "{" + inner + R"(,"boxed":{"name":"","x":true},)" + rest + "}"},
        {"in elements of a list, each its own", R"({"items":[{"x":1},{},{"x":2}]})",
         "{" + inner + R"(,"items":[{"name":"","x":1},{"name":""},{"name":"","x":2}],)" + rest + "}"},
        {"in structs inside each other", R"({"x":1,"inner":{"y":2},"z":3})",
         R"({"inner":{"name":"","y":2},)" + rest + R"(,"x":1,"z":3})"},
        {"beside the fields of an inlined struct", R"({"path":"/","x":1})",
         "{" + inner + R"(,"path":"/",)" + rest + R"(,"x":1})"},
        {"of features that are off", R"({"later":{"name":"b"},"executable":true})",
         "{" + inner + "," + rest + R"(,"later":{"name":"b"},"executable":true})"},
        {"null", R"({"x":null})", "{" + inner + "," + rest + R"(,"x":null})"},
        {"texts with escapes", R"({"\u0061\"":"\u0041\n{\"\u00e9"})",
         "{" + inner + "," + rest + R"(,"a\"":"A\n{\"é"})"},
        {"without the space between", "{ \"x\" : { \"y\" : [ 1 , \"a b\" ] , \"z\" : { } } }",
         "{" + inner + "," + rest + R"(,"x":{"y":[1,"a b"],"z":{}}})"},
        {"with bytes that are no UTF-8 repaired", "{\"x\xff\":\"\xff\"}",
         "{" + inner + "," + rest + ",\"x\xef\xbf\xbd\":\"\xef\xbf\xbd\"}"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        const Thing thing = keep_json<Thing>(c.read);
        EXPECT_EQ(json_of(thing), c.written);
        EXPECT_EQ(keep_json<Thing>(c.written), thing);

        Thing from_tree;
        ASSERT_TRUE(decode_dom(Thing::info(), &from_tree, to_dom(Thing::info(), &thing).value(), kKeep).ok());
        EXPECT_EQ(from_tree, thing);
    }
}

TEST(Residue, NumbersKeepAllTheirDigits) {
    EXPECT_EQ(keep_json<Inner>(R"({"x":123456789012345678901.50,"y":-0})").residue.json(),
              R"(,"x":123456789012345678901.50,"y":-0)");
}

TEST(Residue, AStructOfUnknownFieldsOnlyHasNoCommaTooMany) {
    const auto pod = keep_json<Pod>(R"({"spec":{"securityContext":{"x":1,"y":2}}})");
    std::string out;
    append_json(core::PodSecurityContext::info(), pod.spec.security_context.get(), out);
    EXPECT_EQ(out, R"({"x":1,"y":2})");
}

TEST(Residue, YamlIsKeptAsJson) {
    Thing thing;
    ASSERT_TRUE(decode_yaml(Thing::info(), &thing, "inner: {x: [1, yes]}\n", kKeep).ok());
    EXPECT_EQ(thing.inner.residue.json(), R"(,"x":[1,true])");
}

TEST(Residue, ProtobufIsWrittenBackByteForByte) {
    const std::string unknown = field_of(77, "seventy-seven") + field_of(1000, "");
    std::string scalars;
    append_field(78, std::uint64_t{1} << 63, scalars);
    append_tag(79, Wire::kFixed64, scalars);
    scalars += "01234567";
    append_tag(80, Wire::kFixed32, scalars);
    scalars += "0123";
    // Structs are written though they are empty.
    const std::string inner = field_of(7, "");
    const std::string flat = field_of(14, "");
    struct Case {
        const char* name;
        std::string bytes;
    };
    const Case cases[] = {
        {"at the top", field_of(1, "title") + inner + flat + unknown + scalars},
        {"in a struct", field_of(7, field_of(1, "n") + unknown) + flat},
        {"in a boxed struct", inner + field_of(8, unknown) + flat},
        {"in elements of a list",
         inner + field_of(9, unknown) + field_of(9, field_of(1, "n")) + field_of(9, scalars) + flat},
        {"in an inlined struct", inner + field_of(14, field_of(1, "/") + scalars)},
        {"in structs inside each other", field_of(7, unknown) + flat + scalars},
        {"of a feature that is off", inner + flat + field_of(20, field_of(1, "n"))},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        const Thing thing = keep_protobuf<Thing>(c.bytes);
        EXPECT_EQ(to_protobuf(thing), c.bytes);
        EXPECT_EQ(to_json(thing), to_json(*from_protobuf<Thing>(c.bytes))) << "none of it is in JSON";
    }
    EXPECT_EQ(to_protobuf(keep_protobuf<Inner>(unknown + field_of(1, "n") + scalars)),
              field_of(1, "n") + unknown + scalars);
    EXPECT_EQ(keep_protobuf<Thing>(field_of(7, unknown) + field_of(7, scalars)).inner.residue.protobuf(),
              unknown + scalars)
        << "a message that comes in two parts is one";
}

TEST(Residue, OfJsonStaysInJson) {
    const auto inner = keep_json<Inner>(R"({"name":"n","x":1})");
    EXPECT_EQ(to_protobuf(inner), field_of(1, "n"));
}

TEST(Residue, IsNotKeptUnlessAsked) {
    Thing thing;
    ASSERT_TRUE(decode_json(Thing::info(), &thing, R"({"x":1,"inner":{"y":1}})").ok());
    EXPECT_EQ(thing, Thing{});
    EXPECT_EQ(*from_protobuf<Thing>(field_of(77, "x")), Thing{});
}

TEST(Residue, CountsInEveryComparison) {
    const auto plain = keep_json<Thing>(R"({"inner":{"name":"n"}})");
    const auto one = keep_json<Thing>(R"({"inner":{"name":"n","x":1}})");
    const auto two = keep_json<Thing>(R"({"inner":{"name":"n","x":2}})");
    for (const auto& [left, right] : {std::pair(plain, one), std::pair(one, two)}) {
        EXPECT_NE(left, right);
        EXPECT_FALSE(is_equal(Thing::info(), &left, &right));
        EXPECT_FALSE(is_equal_sharing(Thing::info(), &left, &right));
    }
    EXPECT_EQ(one, keep_json<Thing>(R"({"inner":{"x":1,"name":"n"}})"));
    EXPECT_EQ(diff(plain, one), "inner: unknown fields (none) → \"x\":1\n");
    EXPECT_EQ(diff(one, two), "inner: unknown fields \"x\":1 → \"x\":2\n");
    EXPECT_EQ(diff(Thing{}, keep_protobuf<Thing>(field_of(77, "x"))), "unknown fields (none) → 4 bytes of protobuf\n");
    EXPECT_EQ(diff(Thing{}, keep_protobuf<Thing>(field_of(14, field_of(77, "x")))),
              "unknown fields (none) → 4 bytes of protobuf\n")
        << "an inlined struct has no name";
    const auto only_unknown = keep_json<Inner>(R"({"x":1})");
    EXPECT_FALSE(is_zero(Inner::info(), &only_unknown));
}

TEST(Residue, GoesWithEveryCopyAndStaysThroughEdits) {
    const auto from =
        keep_json<Thing>(R"({"boxed":{"x":1},"items":[{"name":"a","x":2},{"name":"b"}],"inner":{"x":3}})");
    Thing to;
    to.boxed = from.boxed;
    to.items = from.items;
    to.inner = from.inner;
    to.boxed.edit().name = "changed";
    to.items.edit().erase(to.items.edit().begin() + 1);
    to.items.edit()[0].count = 7;
    to.inner.limit = 0;
    EXPECT_EQ(json_of(to), R"({"inner":{"name":"","limit":0,"x":3},"boxed":{"name":"changed","x":1},)"
                           R"("items":[{"name":"a","count":7,"x":2}],"probed":null,"always":null})");
}

TEST(Residue, SurvivesPatches) {
    const auto pod = keep_json<Pod>(
        R"({"metadata":{"name":"p","x":1},"spec":{"x":2,"containers":[{"name":"a","x":3},{"name":"b","x":{"y":4}}]}})");
    struct Case {
        PatchKind kind;
        const char* patch;
    };
    const Case cases[] = {
        {PatchKind::kStrategic, R"({"spec":{"containers":[{"name":"b","image":"i"}]}})"},
        {PatchKind::kJson, R"([{"op":"add","path":"/spec/containers/1/image","value":"i"}])"},
        {PatchKind::kMerge, R"({"spec":{"containers":[{"name":"a","x":3},{"name":"b","image":"i","x":{"y":4}}]}})"},
    };
    Pod want = pod;
    want.spec.containers.edit()[1].image = "i";
    for (const Case& c : cases) {
        SCOPED_TRACE(c.patch);
        const auto patched = apply_patch(c.kind, Pod::info(), to_dom(Pod::info(), &pod).value(), c.patch, {});
        ASSERT_TRUE(patched.ok()) << patched.error().message;
        Pod after;
        ASSERT_TRUE(decode_dom(Pod::info(), &after, *patched, kKeep).ok());
        EXPECT_EQ(diff(after, want), "");
    }
}

TEST(Residue, FieldsOfMusterAreUnknownInKubernetesDialect) {
    constexpr std::string_view kText = R"({"spec":{"ttlSecondsAfterFinished":60}})";
    const auto ours = keep_json<Pod>(kText);
    EXPECT_EQ(ours.spec.ttl_seconds_after_finished, 60);
    EXPECT_TRUE(ours.spec.residue.empty());

    const auto theirs = keep_json<Pod>(kText, kCluster);
    EXPECT_FALSE(theirs.spec.ttl_seconds_after_finished.has_value());
    EXPECT_EQ(theirs.spec.residue.json(), R"(,"ttlSecondsAfterFinished":60)");
    EXPECT_FALSE(keep_protobuf<Pod>(to_protobuf(ours), kCluster).spec.ttl_seconds_after_finished.has_value());

    Pod dropped;
    const auto decoded = decode_json(Pod::info(), &dropped, kText, {.dialect = Dialect::kKubernetes});
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->complaints, std::vector<std::string>{R"(unknown field "spec.ttlSecondsAfterFinished")"});
}

TEST(Residue, FieldsOfMusterAreNotWrittenInKubernetesDialect) {
    Pod pod;
    pod.spec.ttl_seconds_after_finished = 60;
    for (const Dialect dialect : {Dialect::kMuster, Dialect::kKubernetes}) {
        const bool want = dialect == Dialect::kMuster;
        std::string json;
        append_json(Pod::info(), &pod, json, nullptr, dialect);
        EXPECT_EQ(json.find("ttlSecondsAfterFinished") != std::string::npos, want);
        std::string protobuf;
        append_protobuf(Pod::info(), &pod, protobuf, nullptr, dialect);
        EXPECT_EQ(from_protobuf<Pod>(protobuf)->spec.ttl_seconds_after_finished.has_value(), want);
    }
    // What a cluster sent under the same name is its own, and goes back.
    const auto theirs = keep_json<Pod>(R"({"spec":{"ttlSecondsAfterFinished":60}})", kCluster);
    std::string json;
    append_json(Pod::info(), &theirs, json, nullptr, Dialect::kKubernetes);
    EXPECT_NE(json.find(R"("ttlSecondsAfterFinished":60)"), std::string::npos);
}

TEST(Residue, IsCountedAmongTheBytesThatADocumentMayBecome) {
    DecodeLimits limits = kKeep;
    limits.elements_bytes_max = 1000;
    const std::string text(2000, 'x');
    Thing thing;
    const auto json = decode_json(Thing::info(), &thing, R"({"inner":{"x":")" + text + R"("}})", limits);
    ASSERT_FALSE(json.ok());
    EXPECT_EQ(json.error().code, Code::kTooLarge);
    Thing other;
    const auto protobuf = decode_protobuf(Thing::info(), &other, field_of(7, field_of(77, text)), limits);
    ASSERT_FALSE(protobuf.ok());
    EXPECT_EQ(protobuf.error().code, Code::kTooLarge);

    // A struct that comes in many parts is not copied for each of them without end.
    std::string parts;
    for (int i = 0; i < 1000; ++i) parts += field_of(7, field_of(77, "x"));
    EXPECT_FALSE(decode_protobuf(Thing::info(), &other, parts, limits).ok());
}

}  // namespace residue_test
}  // namespace muster::api
